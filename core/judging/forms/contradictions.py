"""Contradictions: a reply that takes its verdict back, or concludes with another one.

A reason may concede whatever it likes ("Summary B reads better"): that contradicts nothing.
"""

from __future__ import annotations

import re

from core.judging.forms.form import Statement, UnparsedReplyError
from core.judging.forms.labels import Labels

_OPENS = (
    r"(?:\A|[.!…;,\n—–-]|(?<=[。！？，]))[ \t*_\])}\"'”`]{0,9}"
    r"(?:(?:hm+|oh|ah|well|but|and|so|no|oops)\b[,.… ]{0,5}){0,3}"
)
"""Where a sentence or clause begins, with what may come before its first word."""

_AT_ITS_BEGINNING = (
    r"wait\b|actually\b|no\b(?=[,.!]| wait)|sorry\b|rather\b|edit\s*:|correction\b|hold on\b|nein\b"
    r"|moment\b|halt\b|korrektur\b|non\b(?=[,.! ])|en fait\b|rectification\b|no, espera\b|espera\b"
    r"|corrección\b|en realidad\b|нет\b|поправка\b|вернее\b|точнее\b|いや|やはり|待って|不，|不是"
)
_ANYWHERE = (
    r"\b(?:on (?:second thoughts?|reflection)"
    r"|(?:up)?on (?:a )?(?:further|closer|second) (?:look|reading|inspection|consideration)"
    r"|scratch that|let me (?:reconsider|re-?evaluate|rethink|correct|revise)"
    r"|i (?:take (?:that|it) back|was wrong|meant|misread|mixed|confused|stand corrected)"
    r"|(?:changes?|revise|correct) (?:my|to)\b|my mistake|apologies|i apologi[sz]e|oops|sorry)"
    r"|\b(?:doch nicht|ich meinte|verwechselt|stimmt nicht|entschuldigung|bei genauerem)"
    r"|\b(?:trompée?|pardon|désolée?|perdón|quise decir|me equivoqué)\b|ошиб(?:ся|лась)|извините"
    r"|等等|不对|更正|抱歉|弄错|看错|搞错|改变主意|应该是|訂正|間違え|すみません"
)
_TAKES_BACK = re.compile(rf"{_OPENS}(?:{_AT_ITS_BEGINNING})|{_ANYWHERE}", re.IGNORECASE)
_NEAR = 200  # characters within which a reply that takes its verdict back gives the other

_CONCLUDES = (
    r"(?:\b(?:therefore|so|thus|hence|in conclusion|overall|ultimately|finally|all in all)\b,? "
    r"[^.!?\n]{0,60}?\bOTHER(?: (?:is|wins|would be)\b[^.!?\n]{0,30}\b(?:better|best|winner"
    r"|superior|preferred|preferable|stronger))?[^\w\n]*(?:[.!\n]|\Z)"
    r"|(?<!\bwould )\b(?:i (?:would |will |'d |must )?(?:choose|prefer|pick|select|go with)"
    r"|the winner is|the better (?:one|\w+) is)[^\w\n]{1,4}OTHER)"
)
_CONDITION = re.compile(r"\b(?:if|alone|only)\b", re.IGNORECASE)


def refuse_verdict_taken_back(text: str, verdict: Statement, labels: Labels) -> None:
    """Raises UnparsedReplyError where another label follows "no, wait" and the like."""
    other = rf"{labels.others(verdict.label)}|\bthe other\b"
    if _is_taken_back(text[verdict.end :], other):
        raise UnparsedReplyError("it takes its verdict back")


def refuse_other_conclusion(text: str, verdict: Statement, labels: Labels) -> None:
    """Raises UnparsedReplyError where a reason ends in a choice of another label, unless under a
    condition ("if style alone counted, I would choose B").
    """
    concludes = _CONCLUDES.replace("OTHER", labels.others(verdict.label))
    for sentence in re.split(r"(?<=[.!?\n])", text[verdict.end :]):
        if re.search(concludes, sentence, re.IGNORECASE) and not _CONDITION.search(sentence):
            raise UnparsedReplyError("it begins with one verdict and concludes with another")


def refuse_number_taken_back(text: str, end: int) -> None:
    """Raises UnparsedReplyError where a number follows "no, wait" and the like, after `end`."""
    if _is_taken_back(text[end:], r"\d|the other way"):
        raise UnparsedReplyError("it takes its numbers back")


def _is_taken_back(after: str, other: str) -> bool:
    return any(
        re.search(other, after[match.start() : match.end() + _NEAR], re.IGNORECASE)
        for match in _TAKES_BACK.finditer(after)
    )
