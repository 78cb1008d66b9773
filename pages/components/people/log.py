"""The audit log: who decided what, and when."""

from __future__ import annotations

import json

import streamlit as st

from core.analysis.export import for_spreadsheets
from pages.components.shared.frame import Study
from pages.components.shared.notice import small

WORDS = {"at": "when (UTC)", "subject": "about"}


def said(details: str) -> str:
    """What a row of the log holds besides, in words."""
    return ", ".join(
        f"{name} {', '.join(map(str, value)) if isinstance(value, list) else value}"
        for name, value in json.loads(details).items()
        if value not in (None, "", [])
    )


def show_log(study: Study) -> None:
    """What was decided about people and access, and what left the house; newest first."""
    st.header("Log", anchor=False)
    log = study.store.audit.all()
    if log.empty:
        small("Nothing has been decided about people yet.")
        return
    shown = log.assign(
        at=log["at"].str[:16].str.replace("T", " "), details=log["details"].map(said)
    )
    st.dataframe(
        shown.rename(columns=WORDS), hide_index=True, height=min(35 * (len(log) + 1) + 3, 380)
    )
    st.download_button(
        "Log as CSV", for_spreadsheets(log), "log.csv", "text/csv", on_click="ignore"
    )
