"""Where a run is done: by this store's worker alone, or spread over the workers of a cluster."""

from __future__ import annotations

from typing import Any

import streamlit as st

from core.judging import ServerList, is_cluster
from core.models import cluster
from pages.components.shared.frame import Study

THIS_MACHINE = "this machine"


def workers(study: Study, key: str) -> dict[str, Any]:
    """How a run is spread, as `Options` takes it; nothing is asked where Ray is not installed. A
    cluster elsewhere runs code for this machine, so only listed ones are offered.
    """
    if not cluster.is_installed():
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
