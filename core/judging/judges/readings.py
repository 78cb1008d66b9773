"""Readings: what a judge makes of one reply, a label, a mark, or a failure with its reason."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.failures import CUT_OFF, EMPTY, UNPARSED
from core.judging.reply_parsing import mark, read_verdict
from core.judging.verdict_forms import UnparsedReplyError
from core.models import split_thoughts


@dataclass(frozen=True)
class ParsedReply:
    """The label a reply chooses or the mark it gives or, with a `failure`, `why` it does not."""

    label: int | None = None
    mark: float | None = None
    failure: str = ""
    why: str = ""


def read_reply(text: str, labels: Sequence[str], *, is_cut: bool = False) -> ParsedReply:
    """Read which label a reply chooses. One that `is_cut` off has to state it in a form."""
    try:
        return ParsedReply(label=read_verdict(text, labels, is_cut=is_cut).label)
    except UnparsedReplyError as error:
        return _describe_failure(text, str(error), is_cut=is_cut)


def read_mark(text: str, low: float, high: float, *, is_cut: bool = False) -> ParsedReply:
    """Read the mark a reply gives. One that `is_cut` off has to begin with it or to label it."""
    given = mark(text, low, high, is_cut=is_cut)
    if given is not None:
        return ParsedReply(mark=given)
    return _describe_failure(text, "it gives no mark on the scale, or more than one", is_cut=is_cut)


def _describe_failure(text: str, why: str, *, is_cut: bool) -> ParsedReply:
    if is_cut or split_thoughts(text).is_thinking:
        return ParsedReply(failure=CUT_OFF, why=why)
    return ParsedReply(failure=UNPARSED if text.strip() else EMPTY, why=why if text.strip() else "")
