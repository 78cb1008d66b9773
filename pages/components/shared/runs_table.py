"""A table of runs, redrawn while one is at work, and the choice of how to distribute a run."""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st

from core.judging import ServerList, is_cluster
from core.models import cluster
from core.runs import worker
from core.store import Store
from pages.components.shared.faults import fragment
from pages.components.shared.frame import Study
from pages.components.shared.stores import reopen

STATES = {
    "queued": "waiting",
    "running": "running",
    "done": "done",
    "cancelled": "stopped",
    "failed": "failed",
}
WAITING = "waiting for a batch"


def name_run(run: Mapping[Hashable, Any] | pd.Series) -> str:
    """Return the judge of a run, marked if probed; what the run does if it has no judge."""
    if isinstance(run["judge"], str):
        return f"{run['judge']}, probed" if run["task"] == "attack" else run["judge"]
    settings = json.loads(run["settings"])
    return {
        "measure": f"similarity: {settings.get('metric')}",
        "generate": str(settings.get("system")),
    }.get(run["task"], "")


def draw_while_at_work(store: Store, draw: Callable[[Store], None], *, every: float = 2.0) -> None:
    """Draw a part of the page, and redraw it `every` seconds while any run waits or works.

    When a run begins or ends, the whole page is drawn, since other parts have changed.
    """
    at_work = store.run_counts.list_unfinished()

    def redraw(path: Path) -> None:
        with reopen(path) as store:
            if store.run_counts.list_unfinished() != at_work:
                st.rerun()
            if at_work:
                worker.ensure(store.path)  # also where the one that was at it has died
            draw(store)

    fragment(redraw, every=every if at_work else None)(store.path)


THIS_MACHINE = "this machine"


def workers(study: Study, key: str) -> dict[str, Any]:
    """Ask how to distribute a run (`Options`) over listed clusters; nothing without Ray."""
    if not cluster.is_installed("ray"):
        return {}
    with st.expander("Workers"):
        if not st.checkbox(
            "Spread over a Ray cluster",
            key=f"{key}-spread",
            help="Several GPUs, or machines, answer at once. The answers are the same.",
        ):
            return {}
        where, number = st.columns([3, 1])
        servers = ServerList(study.store.path).servers()
        clusters = {one.address: one.name for one in servers if is_cluster(one)}
        address = where.selectbox(
            "Cluster",
            [THIS_MACHINE, *clusters],
            format_func=lambda one: f"{clusters[one]} · {one}" if one in clusters else one,
            help="An owner lists others, as ray://HOST:PORT, on the page Judge.",
            key=f"{key}-cluster",
        )
        count = number.number_input(
            "Number", 0, help="0 = one on each GPU, or for every four cores.", key=f"{key}-workers"
        )
    on = address if address in clusters else "ray"
    return {"on": on, "workers": int(count)} if count else {"on": on}
