"""Where a run is done: by this store's worker alone, or spread over the workers of a cluster."""

from __future__ import annotations

from typing import Any

import streamlit as st

from core.models import cluster
from pages.components.shared.faults import told


def workers(key: str) -> dict[str, Any]:
    """How a run is spread, as `Options` takes it; nothing is asked where Ray is not installed."""
    if not cluster.installed():
        return {}
    with st.expander("Workers"):
        if not st.checkbox(
            "Spread over a Ray cluster",
            key=f"{key}-spread",
            help="Several GPUs, or machines, answer at once. The answers are the same.",
        ):
            return {}
        where, number = st.columns([3, 1])
        address = where.text_input(
            "Cluster",
            placeholder="ray://host:10001; blank means this machine",
            key=f"{key}-cluster",
        ).strip()
        count = number.number_input(
            "Number", 0, help="0 = one on each GPU, or for every four cores.", key=f"{key}-workers"
        )
    on = address or "ray"
    with told():
        cluster.check(on)
    return {"on": on, "workers": int(count)} if count else {"on": on}
