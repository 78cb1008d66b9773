"""Runs as rows: who or what runs, and how far it is."""

from __future__ import annotations

import json
from collections.abc import Hashable, Mapping
from typing import Any

import pandas as pd
import streamlit as st

STATES = {
    "queued": "waiting",
    "running": "running",
    "done": "done",
    "cancelled": "stopped",
    "failed": "failed",
}
WAITING = "waiting for a batch"


def named(run: Mapping[Hashable, Any] | pd.Series) -> str:
    """Who answers in a run, and whether under attack; of one that no judge answers, what it
    does.
    """
    if isinstance(run["judge"], str):
        return f"{run['judge']}, attacked" if run["task"] == "attack" else run["judge"]
    settings = json.loads(run["settings"])
    return {
        "measure": f"similarity: {settings.get('metric')}",
        "generate": str(settings.get("system")),
    }.get(run["task"], "")


def runs_table(frame: pd.DataFrame) -> None:
    """A read-only table of runs."""
    shown = pd.DataFrame(
        {
            "run": frame["run"],
            "data set": frame["dataset"],
            "judge or task": [named(run) for _, run in frame.iterrows()],
            "state": frame["status"].map(STATES).mask(frame["batched"] > 0, WAITING),
            "progress": frame["done"] / frame["planned"].clip(lower=1),
            "of": frame["planned"],
            "unanswered": frame["failed"],
        }
    )
    st.dataframe(
        shown,
        hide_index=True,
        column_config={
            "run": st.column_config.NumberColumn(width=60),
            "judge or task": st.column_config.TextColumn(width=270),
            "progress": st.column_config.ProgressColumn(format="percent", min_value=0, max_value=1),
            "of": st.column_config.NumberColumn(
                format="localized", help="Comparisons, scores, or items to measure"
            ),
        },
    )
