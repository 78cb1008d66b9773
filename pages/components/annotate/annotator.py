"""Who is annotating: a name, kept in the link."""

from __future__ import annotations

import streamlit as st

from core.annotation import enrol
from core.records import FaultError, TandemError
from pages.components.shared.frame import Study
from pages.components.shared.notice import notice


def annotator(study: Study) -> str:
    """The annotator's name from the link, or '' after showing the form that asks for it."""
    given = str(st.query_params.get("annotator") or st.session_state.get("annotator") or "")
    if given:
        try:
            name = " ".join(given.split())
            enrol(study.store, name)
        except FaultError:  # not about the name
            raise
        except TandemError as error:
            notice(str(error), kind="problem")
        else:
            st.session_state["annotator"] = name
            if st.query_params.get("annotator") != name:
                st.query_params["annotator"] = name
            return name
    _form()
    return ""


def _form() -> None:
    st.title("Annotate", anchor=False)
    notice(
        "You will read two texts side by side and choose the better one. Your name keeps your "
        "answers separate."
    )
    with st.form("name", border=False, width=420):
        name = st.text_input("Your name", max_chars=80, autocomplete="off")
        if st.form_submit_button("Start", type="primary") and name.strip():
            st.session_state["annotator"] = name
            st.query_params["annotator"] = " ".join(name.split())
            st.rerun()
