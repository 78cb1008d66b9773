"""Runs and campaigns with their state, as page and command line list them."""

from __future__ import annotations

from typing import Annotated

import pandas as pd

from ..frames import Schema
from ..records import Status
from ..store import Store
from . import execution

RunOverview = Annotated[
    pd.DataFrame,
    Schema({int: "done failed batched", float: "per_second", object: "failures"}, is_open=True),
]


def load_overview(
    store: Store, *, dataset: str | None = None, kind: str | None = None
) -> RunOverview:
    """Load runs and campaigns, newest first, of all data sets or one, of both kinds or one.

    Columns are the store's, `done` (asked, or with all its votes), `failed` and by reason
    `failures`, how many comparisons are `batched` and wait for it, and `per_second` of those at
    work (0 = not known).
    """
    frame = store.runs.list_all(dataset=dataset, kind=kind).rename(columns={"asked": "done"})
    failed = [
        execution.failures(store, run) if kind == "run" else {}
        for run, kind in zip(frame["run"], frame["kind"], strict=True)
    ]
    for row in frame.index[(frame["kind"] == "run") & (frame["task"] != "compare")]:
        standing = execution.load_progress(store, int(frame["run"][row]))
        frame.loc[row, ["planned", "done"]] = standing.planned, standing.done
    counts = [sum(reasons.values()) for reasons in failed]
    pace = frame["per_second"].where(frame["status"] == Status.RUNNING, 0.0)
    waiting = store.batches.count_waiting()
    batched = [waiting.get(int(run), 0) for run in frame["run"]]
    frame = frame.assign(batched=batched)
    return frame.assign(failed=counts, failures=pd.Series(failed, dtype=object), per_second=pace)
