"""Measuring similarities: how many are missing, how long it takes, the button, and the progress."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from core.records import Status
from core.runs import execution, expected_seconds, measure, span, worker
from core.similarity import METRICS, Measured
from core.store import Extent, Store
from pages.components.separability.choices import SeparabilityChoice
from pages.components.shared.faults import fragment
from pages.components.shared.frame import Study
from pages.components.shared.notice import notice, small
from pages.components.shared.runs_table import workers
from pages.components.shared.stores import reopen

AT_WORK = (Status.QUEUED, Status.RUNNING)


def measured(study: Study, choice: SeparabilityChoice) -> bool:
    """Whether there is something to show. What is missing is said, with the button that measures
    it.
    """
    wants = choice.similarities
    found = measure.outlook(study.store, wants)
    if not found.missing:
        return True
    run = _run(study.store, choice)
    if run is not None and Status(study.store.runs.get(run).status) in AT_WORK:
        notice(f"Measuring similarity: {METRICS[choice.settings.metric].label}.")
        _progress(study, choice, run)
        return False
    _offer(study, choice, found, run)
    return _partly(study.store, choice, wants, found)


def _partly(store: Store, choice: SeparabilityChoice, wants: Measured, found: Extent) -> bool:
    """Whether something can be told of these systems from what is there: others may have come since
    it was measured.
    """
    if choice.pair is None:
        return found.measured > 0
    key = wants.make().signatures[wants.metric]
    return store.similarities.extent(key, replace(wants.chosen, systems=choice.pair)).done > 0


def _offer(study: Study, choice: SeparabilityChoice, found: Extent, run: int | None) -> None:
    seconds = span(expected_seconds(found, choice.characters, choice.settings.metric))
    of = f" of {found.pairs:,}" if found.measured else ""
    encoded = "precision" in METRICS[choice.settings.metric].takes
    machine = "on two CPU cores, less on a GPU" if encoded else "here"
    notice(
        f"{found.missing:,}{of} pairs of texts have no similarity by this metric yet. Measuring "
        f"takes about {seconds} {machine}, once."
    )
    if run is not None and (error := _error(study.store, run)):
        notice(f"The last attempt failed: {error}", kind="problem")
    spread = workers(study, "measure")
    if st.button("Measure", type="primary"):
        measure.enqueue(study.store, choice.similarities, spread)
        worker.ensure(study.store.path)
        st.rerun()


def _run(store: Store, choice: SeparabilityChoice) -> int | None:
    """The run of the same request, if it was ever asked for."""
    settings = choice.similarities.settings()
    return store.runs.find(choice.selection.dataset, "measure", settings)


def _error(store: Store, run: int) -> str:
    plans = store.runs.plans(kind="run").set_index("run")
    return str(plans.loc[run, "error"] or "")


@fragment(every=0.7)
def _progress(study: Study, choice: SeparabilityChoice, run: int) -> None:
    """How far it is, drawn anew until it is done; then the page is."""
    with reopen(study.store.path) as store:
        now = execution.standing(store, run)
        if now.status not in AT_WORK:
            st.rerun(scope="app")
        worker.ensure(store.path)
        found = measure.outlook(store, choice.similarities)
        row = store.runs.plans(kind="run").set_index("run").loc[run]
    pace, situation = float(row["per_second"] or 0), str(row["error"] or "")
    bar, words, stop = st.columns([3, 4, 1.2], vertical_alignment="center")
    bar.progress(found.measured / found.pairs)
    said = [f"{now.done:,} of {now.planned:,} items"]
    if now.status is Status.QUEUED:
        said.append("waiting for the worker")
    elif pace:
        said.append(f"about {span((now.planned - now.done) / pace)} left")
        said += [situation] if situation else []
    else:
        said.append("loading")
    with words:
        small(" · ".join(said))
    if stop.button("Stop", width="stretch"):
        with reopen(study.store.path) as store:
            execution.cancel(store, run)
        st.rerun(scope="app")
