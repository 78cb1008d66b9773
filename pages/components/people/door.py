"""Access without a link or sign-in, and the log of decisions."""

from __future__ import annotations

import json

import streamlit as st

from core import access
from core.access import Access, Right
from core.exporting import for_spreadsheets
from core.reporting import sentences
from core.store import Store
from pages.components.shared.door import warn_when_wide_open
from pages.components.shared.frame import Study
from pages.components.shared.notice import show_caption
from pages.components.shared.stores import store_action
from pages.components.shared.visitor import current_session


def choose_access(study: Study) -> None:
    """Ask who may enter, and warn if everybody may."""
    st.header("Who may come in", anchor=False)
    now = access.access_of(study.store)
    key = f"access {now}"
    st.radio(
        "Who may come in",
        list(Access),
        index=list(Access).index(now),
        format_func=access.WORDS.get,
        key=key,
        label_visibility="collapsed",
        on_change=_set_access,
        args=(study.store.path, key),
    )
    warn_when_wide_open(study.store)


@store_action(Right.PEOPLE)
def _set_access(store: Store, key: str) -> None:
    try:
        access.people.set_access(store, current_session().audit_name, Access(st.session_state[key]))
    finally:
        st.session_state.pop(key, None)


WORDS = {"at": "when (UTC)", "subject": "about"}


def show_log(study: Study) -> None:
    """Show decisions about people and access, and downloads, newest first."""
    st.header("Log", anchor=False)
    log = study.store.audit.load_all()
    if log.empty:
        show_caption("There are no decisions about people yet.")
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
