"""Reading: what a reply states in the form its prompt asked for."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ...models import split_thoughts
from ...records import Scale
from .comparisons import (
    COMPARISON_FORMS,
    find_brackets,
    find_json,
    find_label_first,
    find_strength,
    find_verdict_lines,
)
from .contradictions import (
    refuse_number_taken_back,
    refuse_other_conclusion,
    refuse_verdict_taken_back,
)
from .form import Statement, UnparsedReplyError, VerdictForm
from .labels import MARKUP, NOUNS, Labels, narrow_characters
from .marks import MARK_FORMS, find_mark_lines

_GOES_ON = "…"
"""Mark of a reply that was cut off: "Summary A" may go on by "is worse"."""

_STRICT = (find_brackets, find_strength, find_verdict_lines, find_json, find_label_first)


def read_verdict(
    reply: str,
    labels: Sequence[str],
    form: str = "label-first",
    *,
    is_cut: bool = False,
    lenient: bool = False,
) -> Statement:
    """Return the verdict that a reply states in a form.

    `labels` are the words for text A, text B and, where it was offered, for a tie. In a reply that
    `is_cut` off, only a verdict stated whole counts. A `lenient` reading looks at the sentences of
    a reply that states a verdict in no form at all.

    Raises UnparsedReplyError for a reply that states no verdict or different ones, or takes one
    back.
    """
    own, offered = COMPARISON_FORMS[form], Labels(tuple(labels))
    squeezed = squeeze_reply(_clean_answer(reply, is_cut=is_cut))
    whole = squeezed.text
    text = f"{whole}{_GOES_ON}" if is_cut else whole
    stated = list(own.find(text, offered))
    if not stated:
        if lenient and not is_cut and not any(True for _ in _find_statements(text, offered)):
            stated = list(find_in_free_text(text, offered))
        if not stated:
            raise UnparsedReplyError(f"it states no verdict in the form {form}")
    verdict = _require_agreement(stated)
    _must_not_be_contradicted(whole, verdict, own, offered)
    return squeezed.restore(verdict)


def read_mark(
    reply: str, scale: Scale, form: str = "mark-first", *, is_cut: bool = False
) -> Statement:
    """Return the mark that a reply gives in a form.

    Raises UnparsedReplyError as `read_verdict` does.
    """
    squeezed = squeeze_reply(_clean_answer(reply, is_cut=is_cut))
    whole = squeezed.text
    stated = list(MARK_FORMS[form].find(f"{whole}{_GOES_ON}" if is_cut else whole, scale))
    if not stated:
        raise UnparsedReplyError(f"it gives no score in the form {form}")
    mark = _require_agreement(stated)
    if any(other.verdict != mark.verdict for other in _find_marks(whole, scale)):
        raise UnparsedReplyError("it gives another score in another form")
    refuse_number_taken_back(whole, mark.end)
    return squeezed.restore(mark)


def propose_form(template: str, *, marks: bool = False) -> VerdictForm:
    """Return the form that a prompt's own words ask for, where it declares none."""
    forms = list((MARK_FORMS if marks else COMPARISON_FORMS).values())
    signs = {
        "strength": r"\[\[[^\[\]\n>]*>[^\[\]\n]*\]\]",
        "brackets": r"\[\[",
        "json": r"\"(?:verdict|winner|score|rating)\"\s*:",
        "last": r"(?:verdict|score|rating)\s*:\s*\S",
    }
    for name, sign in signs.items():
        fitting = [form for form in forms if form.name.endswith(name)]
        if fitting and re.search(sign, template, re.IGNORECASE):
            return fitting[0]
    return forms[0]


def _clean_answer(reply: str, *, is_cut: bool) -> str:
    """Return the reply in plain letters, its thoughts blanked out.

    Raises UnparsedReplyError where nothing is left.
    """
    parts = split_thoughts(reply)
    text = narrow_characters(parts.blanked)
    if not text.strip():
        raise UnparsedReplyError("it ends while thinking" if parts.is_thinking else "it is empty")
    if parts.is_thinking:
        raise UnparsedReplyError("it thinks again at its end")
    if is_cut and parts.has_open_thought:
        raise UnparsedReplyError("it may have ended while thinking")
    return text.rstrip() if is_cut else text


def _require_agreement(stated: Sequence[Statement]) -> Statement:
    if len({(one.verdict, one.strength) for one in stated}) > 1:
        raise UnparsedReplyError("it states several different verdicts")
    return stated[-1]


def _find_statements(text: str, labels: Labels) -> Iterator[Statement]:
    """Yield the statements of a reply in all forms that name a label."""
    for find in _STRICT:
        try:
            yield from find(text, labels)
        except UnparsedReplyError:
            continue


def _find_marks(text: str, scale: Scale) -> Iterator[Statement]:
    for find in (find_mark_lines, *(form.find for form in MARK_FORMS.values())):
        try:
            yield from find(text, scale)
        except UnparsedReplyError:
            continue


def _must_not_be_contradicted(
    text: str, verdict: Statement, form: VerdictForm, labels: Labels
) -> None:
    """Refuse a verdict that is taken back, or stated otherwise in another form.

    A reason that concedes something does neither. Raises UnparsedReplyError.
    """
    if any(one.label != verdict.label for one in _find_statements(text, labels)):
        raise UnparsedReplyError("it states another verdict in another form")
    refuse_verdict_taken_back(text, verdict, labels)
    if form.name == "two-scores":
        refuse_number_taken_back(text, verdict.end)
    if form.name == "label-first":
        refuse_other_conclusion(text, verdict, labels)


# ---- A lenient reading of free text, for replies that state no verdict in any form. Off by
# default: what sentences mean is guessed, if carefully.


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


# ---- A reply without what would take long to read and says nothing


LONGEST = 20_000
"""Characters of a reply that are read: half from its beginning, half from its end."""

_EDGE = 32  # characters that are left of each end of a run
_RUN = re.compile(rf"[\W_]{{{2 * _EDGE + 1},}}")
_SKIPPED = "\n…\n"  # stands for the middle of a long reply: no line goes on behind it


@dataclass(frozen=True)
class SqueezedReply:
    """A reply in which something is left out: behind each of the places `ends` of its `text`, up to
    which `shifts` characters are missing. `whole` is what it was squeezed from, if that itself is
    a squeezed reply.
    """

    text: str
    ends: tuple[int, ...] = ()
    shifts: tuple[int, ...] = ()
    whole: SqueezedReply | None = None

    def restore(self, stated: Statement) -> Statement:
        """Return a statement of `text`, at its place in the whole reply."""
        start, core = self._find_place(stated.start), self._find_place(stated.core)
        # Its end lies behind its last character, even if something is left out there.
        end = self._find_place(stated.end - 1) + 1 if stated.end > stated.start else start
        return replace(stated, start=start, core=core, end=end)

    def _find_place(self, place: int) -> int:
        before = bisect_right(self.ends, place)
        place += self.shifts[before - 1] if before else 0
        return self.whole._find_place(place) if self.whole else place


def squeeze_reply(text: str) -> SqueezedReply:
    """Return the reply without the middle of long runs of spaces, brackets and other signs.

    A pattern would start a search for a word at each of these signs. A reply still longer than
    LONGEST loses its own middle.
    """
    runs = [(run.start() + _EDGE, run.end() - _EDGE) for run in _RUN.finditer(text)]
    squeezed = _leave_out(text, runs)
    if len(squeezed.text) <= LONGEST:
        return squeezed
    half = LONGEST // 2
    middle = [(half, len(squeezed.text) - half)]
    return replace(_leave_out(squeezed.text, middle, _SKIPPED), whole=squeezed)


def _leave_out(text: str, spans: Sequence[tuple[int, int]], instead: str = "") -> SqueezedReply:
    parts: list[str] = []
    ends, shifts, place, length = [], [], 0, 0
    for start, end in spans:
        parts += [text[place:start], instead]
        length += start - place + len(instead)
        ends.append(length)
        shifts.append(end - length)
        place = end
    return SqueezedReply("".join([*parts, text[place:]]), tuple(ends), tuple(shifts))
