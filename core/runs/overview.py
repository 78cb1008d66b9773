"""Runs and campaigns with their state, as page and command line list them, and warnings about a
run's samples: all of them are alike, or votes are split evenly.
"""

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


def describe_identical_samples(store: Store, run: int) -> str:
    """Return a warning if the samples of each of a run's many questions are all alike; '' =
    none.
    """
    row = store.runs.get(run)
    if row.task == "generate":
        system = row.settings["system"]
        items = store.generated_texts.count_identical(row.dataset).get(system, 0)
        return f"the texts of {system} are the same within each of {items:,} items; {WAY_OUT}" * (
            items > 0
        )
    if row.judge in store.judges.unanimous():
        return (
            "all sampled votes agree in every comparison, and count without probabilities; "
            f"{WAY_OUT}"
        )
    return ""


WAY_OUT = "perhaps the model does not sample"

SPLIT = "{:,} votes were split evenly, which is a tie by our rule"
