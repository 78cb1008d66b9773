"""A lenient reading of free text, for replies that state no verdict in any form. Off by default:
what sentences mean is guessed, if carefully.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from .form import Statement
from .labels import MARKUP, NOUNS, Labels

_BETTER = (
    r"(?:is|was|seems|appears|sounds|reads)\s+(?:(?:the|a|clearly|slightly|much|overall|far)\s+)*"
    r"(?:better|best|superior|stronger|preferable|preferred|winner)|wins\b"
)
_PICKS = (
    r"\bi(?:'d|\s+would|\s+will)?\s+(?:choose|pick|prefer|select|go with|vote for)\s+|"
    r"\b(?:better|best|preferred|winning)\s+(?:one|\w+)?\s*(?:is|would be)\s+"
)
_REST = (
    rf"(?:\s+(?:one|choice|overall|{'|'.join(NOUNS)}))*(?:\s+of the two)?"
    rf"(?:\s+(?:than|over|to|against)\s+(?:the\s+)?{MARKUP}{{0,4}}LABEL)?{MARKUP}{{0,4}}"
    r"(?:,\s+(?:as|for)\b.*|,?\s+(?:because|since)\b.*|\s+as the (?:better|best|more)\b.*)?"
    r"[.!]?\s*\Z"
)
"""What may follow a choice. "Summary A is better suited for the bin" is not a choice."""

_DOUBT = re.compile(
    r"\?|\b(?:not|never|neither|nor|no|cannot|but|however|although|though|while|whereas|yet|if"
    r"|unless|both|either|or|worse|worst|less|least|inferior|weaker|loses?|lost|initially"
    r"|at first|first impression|might|may|could|except|than it|on the other hand)\b|n['’]t\b",
    re.IGNORECASE,
)


def find_in_free_text(text: str, labels: Labels) -> Sequence[Statement]:
    """Return the label that plain sentences choose ("I prefer Summary B", "Summary A is better than
    Summary B"), of a reply in which no sentence that names a label is in doubt.
    """
    found = []
    for sentence in re.finditer(r"[^.!?;\n]+[.!?;]?", text):
        if re.search(labels.any_pattern, sentence[0], re.IGNORECASE) is None:
            continue
        praised = labels.any_pattern.replace("?P<core", "?P<own")
        match = re.search(
            rf"(?:{_PICKS}){MARKUP}{{0,9}}(?:the\s+)?(?P<picked>{labels.any_pattern})"
            rf"|\A{MARKUP}*+(?:(?:so|therefore|thus|overall|i (?:think|believe)(?: that)?),?\s+)?"
            rf"(?:the\s+)?(?P<praised>{praised}){MARKUP}{{0,9}}(?:{_BETTER})",
            sentence[0],
            re.IGNORECASE,
        )
        if match is None or _DOUBT.search(sentence[0]):
            return ()
        group = "picked" if match["picked"] else "praised"
        core = "core" if match["picked"] else "own"
        index = next(i for i in range(len(labels.words)) if match[f"{core}{i}"])
        rest = re.compile(_REST.replace("LABEL", labels.pattern_except(index)), re.IGNORECASE)
        if not rest.match(sentence[0], match.end()):
            return ()
        start, end = (sentence.start() + place for place in match.span(group))
        found.append(Statement(index, start, end, sentence.start() + match.start(f"{core}{index}")))
    return found
