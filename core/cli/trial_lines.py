"""The answers of a trial as lines: verdict, reply, and what a failure asks for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..failures import count_kinds, reason_of, remedy_of
from ..judging import StoredReply, parse_replies
from ..labels import escape_unprintable
from ..records import render_options
from .options import flag

REPLY_SHOWN = 300
"""Characters of a reply in a line."""


def answer_line(answer: Mapping[str, Any]) -> str:
    """One answer of a trial in a line."""
    failure = answer["failure"]
    given = failure or (f"{answer['value']:.4g}" if "value" in answer else str(answer["outcome"]))
    sure = "" if answer.get("prob_a") is None else f" (p {answer['prob_a']:.3f})"
    why = f": {explain_failure(failure)}" if failure else ""
    said = parse_replies(answer["raw"])
    detail = [escape_unprintable(said.detail)] if failure and said.detail else []
    replies = " / ".join(map(reply_line, said.replies))
    return " | ".join(
        [f"{answer['attribute']}: {given}{sure}{why}", *filter(None, [replies]), *detail,
         *_effort(answer, said.kept_by)]
    )  # fmt: skip


def explain_failure(failure: str) -> str:
    """Explain why a question has no answer, and which command-line options may help."""
    parts = (reason_of(failure), render_options(remedy_of(failure), flag))
    return "; ".join(filter(None, parts))


def failure_lines(failures: Mapping[str, int]) -> Iterator[str]:
    """Yield a line per kind of failure: how many there are, and what to do about them."""
    for kind, count in count_kinds(failures).items():
        yield f"  {count:,} {kind}: {explain_failure(kind)}"


def _effort(answer: Mapping[str, Any], kept_by: str) -> Iterator[str]:
    """Yield what kept the form of an answer, and the tokens and time it took."""
    if kept_by:
        yield f"form kept by {kept_by}"
    if answer["tokens"]:
        seconds = "" if answer["seconds"] is None else f" in {answer['seconds']:.2g} s"
        yield f"{answer['tokens']:,} tokens{seconds}"


def reply_line(reply: StoredReply) -> str:
    """Write a reply in one line, the part read between « and »; a long one is cut around it."""
    before, read, after = (" ".join(escape_unprintable(part).split()) for part in reply.parts)
    room = max(REPLY_SHOWN - len(read), 0)
    if len(before) + len(after) > room:
        tail = min(len(after), room // 4)
        head = room - tail
        if len(before) > head:
            before = f"{before[: head // 2]} ... {before[len(before) - head // 2 :]}"
        after = f"{after[:tail]} ..." if tail < len(after) else after
    marked = f"«{read}»" if read else ""
    return " ".join(filter(None, [before, marked, after]))
