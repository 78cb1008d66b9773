"""The empty state: a store whose last data set was deleted."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from core import sample_study
from core.access import Visit
from core.records import Role
from core.store import Store
from pages.components.shared.faults import action
from pages.components.shared.notice import notice
from pages.components.shared.stores import reopen
from pages.components.shared.visitor import LINK


def show_no_data(store: Store, visitor: Visit, *, on_data: bool = False) -> None:
    """Say that no data set is left, and offer to import one or to load the sample study."""
    for name in ("chosen", "dataset"):
        st.session_state.pop(name, None)
    st.query_params.pop("dataset", None)
    if visitor.role is Role.ANNOTATOR:
        notice("There is nothing to annotate here yet. Ask whoever runs this study.")
        return
    where = "below" if on_data else "on the page Data"
    notice(f"There is no data set here. Import one {where}, or load the sample study.")
    with st.container(horizontal=True, vertical_alignment="center"):
        if not on_data:
            link = {LINK: str(st.session_state[LINK])} if st.session_state.get(LINK) else {}
            st.page_link(
                "pages/data.py", label="Import a data set", query_params=link, width="content"
            )
        st.button("Load the sample study", on_click=_load_sample, args=(store.path,))


@action
def _load_sample(path: Path) -> None:
    with reopen(path, Role.RESEARCHER) as store:
        sample_study.load(store)
