"""A run that waits for a batch: fetch its results, take a file of them, or give it up."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import streamlit as st

from core.judging import Batchable, ServerList, remake
from core.pairing import Request
from core.runs import batch
from core.store import Store
from pages.components.shared.faults import action
from pages.components.shared.stores import reopen

COLLECTED = "collected"  # what came of the last collection, and of which run


def batch_actions(store: Store, run: int) -> None:
    """The buttons of a run that waits, and what came when one was pressed last."""
    here = store.path, run
    if any(each.name for each in store.batches.open(run)):
        st.button(
            "Collect",
            key=f"collect-{run}",
            on_click=_fetch,
            args=here,
            help="Fetches from the server what it has answered.",
        )
    with st.popover("Add results"):
        st.file_uploader(
            "A file of results (.jsonl)",
            type=["jsonl", "json", "txt"],
            key=f"results-{run}",
            on_change=_read,
            args=here,
        )
    st.button(
        "Give up batch",
        key=f"give-up-{run}",
        on_click=_give_up,
        args=here,
        help="What it has not answered may be asked again.",
    )


def collected(run: int) -> str:
    """What came when results of a run were collected last in this session."""
    last, told = st.session_state.get(COLLECTED, (0, ""))
    return told if last == run else ""


@action
def _fetch(path: Path, run: int) -> None:
    with reopen(path) as store:
        done = batch.collect_at_server(store, run, _judge(store, run))
    unknown = f"not fetched, and left open: {done.unknown:,} of the batches" * bool(done.unknown)
    told = filter(None, [*done.states, str(done), unknown])
    st.session_state[COLLECTED] = run, "; ".join(told)


@action
def _read(path: Path, run: int) -> None:
    file = st.session_state.get(f"results-{run}")
    if file is None:  # taken back
        return
    with reopen(path) as store:
        done = batch.collect(store, run, _judge(store, run), _lines(file))
    st.session_state[COLLECTED] = run, str(done)


@action
def _give_up(path: Path, run: int) -> None:
    with reopen(path) as store:
        given_up = batch.give_up(store, run, _judge(store, run))
    st.session_state[COLLECTED] = run, " ".join(given_up.not_stopped)


def _judge(store: Store, run: int) -> Batchable:
    row = store.runs.get(run)
    permit = ServerList(store.path).permit
    made = remake(store.judges.spec(row.judge), row.execution, permit)
    return batch.checked(made, Request.stored(row.settings))[0]


def _lines(file: Iterator[bytes]) -> Iterator[str]:
    return (line.decode("utf-8", errors="replace") for line in file)
