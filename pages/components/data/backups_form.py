"""A backup of the whole store, made on the page; the command line restores it."""

from __future__ import annotations

import streamlit as st

from core.access import Right
from core.store import Store, backups
from pages.components.shared.frame import Study
from pages.components.shared.notice import show_caption, show_done
from pages.components.shared.stores import store_action

SAID = "said of backups"  # shown when the page is redrawn


def backups_form(study: Study) -> None:
    """Let owners back up the whole store."""
    if not study.may(Right.BACKUPS):
        return
    show_done(SAID)
    with st.expander("Back up the whole store"):
        folder = backups.find_backup_folder(study.store.path)
        show_caption(
            f"A copy goes to the folder {folder.name}: it takes seconds, and people vote on "
            "meanwhile. On the command line, restore FILE goes back to one."
        )
        st.button("Back up now", on_click=_back_up, args=(study.store.path,))


@store_action(Right.BACKUPS)
def _back_up(store: Store) -> None:
    made = backups.back_up(store)
    st.session_state[SAID] = f"{made['file']} has all {made['judgements']:,} judgements."
