"""Executing a run in the foreground, or following the process that does."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from ..models import Respondent
from ..records import Status, TandemError, render_options
from ..runs import execution
from ..store import Store
from .options import flag
from .output import BrokenError, warn

FOLLOWING_SECONDS = 1.0  # how often one looks how far another process has come


def execute_or_follow(
    store: Store,
    run: int,
    by: Respondent[Any, Any],
    show: Callable[[execution.ExecutionResult], None],
    limit: int | None = None,
    *,
    kept: str,
) -> execution.ExecutionResult:
    """Execute a run or, while another process does, follow it until it ends; should that one die,
    take its place. Raises BrokenError, which says that what was `kept` ("answered") stays, also
    where somebody else has stopped the run. Notes what was learnt of the server meanwhile.
    """
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
