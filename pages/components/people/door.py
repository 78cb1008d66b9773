"""Who may come in besides those with a link or a sign-in."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from core import access
from core.access import Access
from core.records import Role
from pages.components.shared.door import warn_when_wide_open
from pages.components.shared.faults import action
from pages.components.shared.frame import Study
from pages.components.shared.stores import reopen
from pages.components.shared.visitor import visit


def who_may_come_in(study: Study) -> None:
    """The choice, and a warning where it is a wide one."""
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


@action
def _set_access(path: Path, key: str) -> None:
    with reopen(path, Role.OWNER) as store:
        try:
            access.people.set_access(store, visit().who, Access(st.session_state[key]))
        finally:
            st.session_state.pop(key, None)
