"""Readings: what a judge makes of one reply, a verdict or a failure with its reason."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from core.failures import CUT_OFF, EMPTY, UNPARSED
from core.judging.forms import Statement, UnparsedReplyError
from core.models import split_thoughts


@dataclass(frozen=True)
class ParsedReply:
    """The verdict that a reply states or, with a `failure`, `why` it states none."""

    stated: Statement | None = None
    failure: str = ""
    why: str = ""

    @property
    def span(self) -> list[int] | None:
        """Where in the reply the verdict stands."""
        return [self.stated.start, self.stated.end] if self.stated else None


def read_reply(read: Callable[[str], Statement], text: str, *, is_cut: bool = False) -> ParsedReply:
    """What a reply states, as `read` reads it, or the failure that it is."""
    try:
        return ParsedReply(read(text))
    except UnparsedReplyError as error:
        parts = split_thoughts(text)
        if is_cut or parts.is_thinking:
            return ParsedReply(failure=CUT_OFF, why=str(error))
        if not parts.answer:
            return ParsedReply(failure=EMPTY)
        return ParsedReply(failure=UNPARSED, why=str(error))
