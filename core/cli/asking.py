"""Executing a run in the foreground, or following the process that does; answers as lines."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from ..failures import count_kinds, reason_of, remedy_of
from ..judging import StoredReply, parse_replies
from ..labels import escape_unprintable
from ..models import Respondent
from ..records import Status, TandemError, render_options
from ..runs import execution
from ..store import Store
from .output import BrokenError, ProgressLine, warn
from .settings import flag

FOLLOWING_SECONDS = 1.0  # how often one looks how far another process has come


def execute_live(
    store: Store,
    run: int,
    by: Respondent[Any, Any],
    title: str,
    limit: int | None = None,
    *,
    kept: str,
    notes: Callable[[execution.ExecutionResult], Iterable[str]] = lambda now: (),
) -> execution.ExecutionResult:
    """Execute a run or, while another process does, follow it until it ends; should that one die,
    take its place. Shows how far it is, under a `title` and with `notes` beside.

    Raises BrokenError, which says that what was `kept` ("answered") stays, also where somebody else
    has stopped the run. Notes what was learnt of the server meanwhile.
    """
    progress = ProgressLine()

    def show(now: execution.ExecutionResult) -> None:
        said = ", ".join(filter(None, [*notes(now), now.situation]))
        progress(title, now.done, count_wanted(now, limit), f" ({said})" if said else "")

    note = by.note
    try:
        result = _follow_run(store, run, by, show, limit)
    except Exception as error:
        sentence = error.sentence if isinstance(error, TandemError) else str(error)
        raise BrokenError(
            f"{render_options(sentence, flag)}; what was {kept} is kept, and the same command "
            "continues"
        ) from error
    warn(by.note if by.note != note else "")
    if result.status is Status.CANCELLED and (limit is None or result.answered < limit):
        raise BrokenError(
            f"run {run} was stopped elsewhere, with {result.done:,} of {result.planned:,} "
            f"done; what was {kept} is kept, and the same command continues"
        )
    return result


def count_wanted(result: execution.ExecutionResult, limit: int | None) -> int:
    """Return how many answers there are when the command ends."""
    return min(result.planned, result.already_there + (limit or result.planned))


def _follow_run(
    store: Store,
    run: int,
    by: Respondent[Any, Any],
    show: Callable[[execution.ExecutionResult], None],
    limit: int | None,
) -> execution.ExecutionResult:
    only_from = tuple(Status)
    while True:
        try:
            return execution.execute(
                store, run, by=by, limit=limit, only_from=only_from, progress=show
            )
        except execution.BusyError:
            show(execution.load_progress(store, run))
        # A stop or a failure of the other one is ours, too
        only_from = (Status.QUEUED, Status.RUNNING, Status.DONE)
        time.sleep(FOLLOWING_SECONDS)
        now = execution.load_progress(store, run)
        if now.status is Status.FAILED:
            raise TandemError(
                f"run {run} broke in another process: "
                f"{store.runs.list_all(kind='run').set_index('run').error[run]}"
            )
        if now.status not in (Status.QUEUED, Status.RUNNING):
            return now


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
