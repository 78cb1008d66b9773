"""Contradictions: a reply that takes its verdict back, or concludes with another one.

A reason may concede anything ("Summary B reads better") without contradicting the verdict.
"""

from __future__ import annotations

import re

from .form import Statement, UnparsedReplyError
from .labels import NOUNS, Labels

_OPENS = (
    r"(?:\A|[.!…;,\n—–-]|(?<=[。！？，]))[ \t*_\])}\"'”`]{0,9}"
    r"(?:(?:hm+|oh|ah|well|but|and|so|no|oops)\b[,.… ]{0,5}){0,3}"
)
"""Where a sentence or clause begins, with what may come before its first word."""

_AT_ITS_BEGINNING = (
    r"wait\b|actually\b|no\b(?=[,.!]| wait)|sorry\b(?! to)|rather\b(?! than)|edit\s*:|correction\b"
    r"|hold on\b|nein\b|moment\b|halt\b|korrektur\b|non\b(?=[,.! ])|en fait\b|rectification\b"
    r"|no, espera\b|espera\b|corrección\b|en realidad\b|нет\b|поправка\b|вернее\b|точнее\b"
    r"|いや|やはり|待って|不，|不是"
)
_ANYWHERE = (
    r"\b(?:on (?:second thoughts?|reflection)"
    r"|(?:up)?on (?:a )?(?:further|closer|second) (?:look|reading|inspection|consideration)"
    r"|(?:scratch|strike) that|let me (?:reconsider|re-?evaluate|rethink|correct|revise)"
    r"|(?:up)?on re-?reading|after (?:further|more) (?:thought|reflection)|misjudged"
    r"|i (?:take (?:that|it) back|was wrong|meant?|misread|mixed|confused|retract|switch"
    r"|stand corrected)|the above is (?:wrong|incorrect)"
    r"|(?:changes?|revise|correct) (?:my|to)\b|my mistake|apologies|i apologi[sz]e|oops)"
    r"|\b(?:doch nicht|ich meinte|verwechselt|stimmt nicht|entschuldigung|bei genauerem)"
    r"|\b(?:trompée?|pardon|désolée?|perdón|quise decir|me equivoqué)\b|ошиб(?:ся|лась)|извините"
    r"|等等|不对|更正|抱歉|弄错|看错|搞错|改变主意|应该是|訂正|間違え|すみません"
)
_AT_ONCE = r"\A\W*(?:that|this|it) (?:is|was) (?:wrong|incorrect|a mistake)\b"
_TAKES_BACK = re.compile(rf"{_OPENS}(?:{_AT_ITS_BEGINNING})|{_ANYWHERE}|{_AT_ONCE}", re.IGNORECASE)
_NEAR = 200  # characters within which a reply that takes its verdict back gives the other

_CONCLUDES = (
    r"(?:\b(?:therefore|so|thus|hence|in conclusion|overall|ultimately|finally|all in all)\b,? "
    r"(?P<before>[^.!?\n]{0,60}?)\bOTHER(?: (?:is|wins|would be)\b[^.!?\n]{0,30}\b(?:better|best"
    r"|winner|superior|preferred|preferable|stronger))?[^\w\n]*(?:[.!\n]|\Z)"
    r"|(?<!\bwould )\b(?:i (?:would |will |'d |must )?(?:choose|prefer|pick|select|go with)"
    rf"|the winner is|the (?:better|right|correct|best) (?:one|{'|'.join(NOUNS)}) is)"
    r"[^\w\n]{1,4}OTHER)"
    r"|\bOTHER is (?:the (?:answer|winner)|(?:the )?(?:right|correct) (?:one|answer|choice))\b"
    r"|\b(?:or rather|update|revised|corrected|instead)\b[^.!?:\n]{0,20}[: ]\W{0,4}OTHER\W*\Z"
    r"|\A\W*(?:\w+ ){0,2}\w+, OTHER\W*\Z"
)
_PREFERS = (
    r"(?:\A|\n|[.!?]\s)[\s*_#>-]{0,6}OTHER\s+(?:is|was)\s+(?:\w+\s){0,2}(?:better|superior"
    r"|preferable)\s+(?:than|to)\s+(?:the\s+)?OWN"
)
_COMPARED = r"\b(?:than|to|over|against|of|by|in|with)\s+(?:the\s+)?\Z|OWN"
LOSES = (
    r"\b(?:worse|weaker|inferior|loses?|lost|falls? short|schlechter|verliert|unterliegt|peor|pire"
    r"|moins bonn?e?|хуже)\b|不如|较差|劣"
)
"""What a text is said to be or to do that is not the better one."""

_CONDITION = re.compile(r"\b(?:if|alone|only)\b", re.IGNORECASE)


def refuse_verdict_taken_back(text: str, verdict: Statement, labels: Labels) -> None:
    """Refuse a reply in which another label follows "no, wait" and the like.

    Raises UnparsedReplyError.
    """
    other = rf"{labels.pattern_except(verdict.label)}|\bthe other\b"
    if _is_taken_back(text[verdict.end :], other):
        raise UnparsedReplyError("it takes its verdict back")


def refuse_other_conclusion(text: str, verdict: Statement, labels: Labels) -> None:
    """Refuse a reply whose reason ends in a choice of another label.

    A choice under a condition is allowed ("if style alone counted, I would choose B"). Raises
    UnparsedReplyError.
    """
    concludes = _CONCLUDES.replace("OTHER", labels.pattern_except(verdict.label))
    own = labels.pattern_of(verdict.label)
    compared = _COMPARED.replace("OWN", own)
    prefers = _PREFERS.replace("OTHER", labels.pattern_except(verdict.label)).replace("OWN", own)
    if re.search(prefers, text[verdict.end :], re.IGNORECASE):
        raise UnparsedReplyError("it begins with one verdict and prefers another text")
    for sentence in re.split(r"(?<=[.!?\n])", text[verdict.end :]):
        match = re.search(concludes, sentence, re.IGNORECASE)
        if match is None or _CONDITION.search(sentence):
            continue
        # "Overall, A is better than B" says the same again, "A is worse than B" does not.
        is_compared = re.search(compared, match["before"] or "", re.IGNORECASE)
        if not is_compared or re.search(LOSES, sentence, re.IGNORECASE):
            raise UnparsedReplyError("it begins with one verdict and concludes with another")


def refuse_number_taken_back(text: str, end: int) -> None:
    """Refuse a reply in which a number follows "no, wait" and the like, after `end`.

    Raises UnparsedReplyError.
    """
    if _is_taken_back(text[end:], r"\d|the other way"):
        raise UnparsedReplyError("it takes its numbers back")


def _is_taken_back(after: str, other: str) -> bool:
    return any(
        re.search(other, after[match.start() : match.end() + _NEAR], re.IGNORECASE)
        for match in _TAKES_BACK.finditer(after)
    )
