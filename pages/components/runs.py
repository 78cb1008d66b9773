"""Runs as rows: how far, how fast, what to do about them."""

from __future__ import annotations

import pandas as pd
import streamlit as st

STATES = {
    "queued": "waiting",
    "running": "running",
    "done": "done",
    "cancelled": "stopped",
    "failed": "failed",
}


def runs_table(frame: pd.DataFrame) -> None:
    """A read-only table of runs."""
    shown = pd.DataFrame(
        {
            "run": frame["run"],
            "data set": frame["dataset"],
            "judge": frame["judge"],
            "pairs": frame["strategy"],
            "state": frame["status"].map(STATES),
            "progress": frame["done"] / frame["planned"].clip(lower=1),
            "comparisons": frame["planned"],
            "unanswered": frame["failed"],
        }
    )
    st.dataframe(
        shown,
        hide_index=True,
        column_config={
            "run": st.column_config.NumberColumn(width=60),
            "progress": st.column_config.ProgressColumn(format="percent", min_value=0, max_value=1),
            "comparisons": st.column_config.NumberColumn(format="localized"),
        },
    )
