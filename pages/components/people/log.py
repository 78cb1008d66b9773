"""The audit log: who decided what, and when."""

from __future__ import annotations

import json

import streamlit as st

from core.exporting import for_spreadsheets
from core.reporting import sentences
from pages.components.shared.frame import Study
from pages.components.shared.notice import small

WORDS = {"at": "when (UTC)", "subject": "about"}


def show_log(study: Study) -> None:
    """What was decided about people and access, and what left the house; newest first."""
    st.header("Log", anchor=False)
    log = study.store.audit.all()
    if log.empty:
        small("Nothing has been decided about people yet.")
        return
    shown = log.assign(
        at=log["at"].str[:16].str.replace("T", " "),
        action=log["action"].map(sentences.action),
        details=[sentences.decision(json.loads(details)) for details in log["details"]],
    )
    st.dataframe(
        shown.rename(columns=WORDS), hide_index=True, height=min(35 * (len(log) + 1) + 3, 380)
    )
    st.download_button(
        "Log as CSV", for_spreadsheets(log), "log.csv", "text/csv", on_click="ignore"
    )
