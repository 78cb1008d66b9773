"""Who is annotating: the person of a personal link or a sign-in; at this machine, a name."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from core.access import DeniedError
from core.annotation import enrol
from core.records import FaultError, Role, TandemError
from core.store import Store
from pages.components.annotate.script import listen
from pages.components.shared.frame import Study
from pages.components.shared.notice import notice
from pages.components.shared.stores import reopen
from pages.components.shared.visitor import visit


def annotator(study: Study) -> str:
    """The annotator's name, or '' after showing the form that asks for it."""
    if study.visit.name:
        try:
            _must_be_here(study.store, study.visit.name)
            enrol(study.store, study.visit.name)
        except FaultError:  # not about the name
            raise
        except TandemError as error:
            notice(str(error), kind="problem")
        else:
            if study.visit.person is None and not _in_address(study.visit.name):
                st.query_params["annotator"] = study.visit.name
            return study.visit.name
    if study.visit.person is None:
        _form()
    return ""


def reopen_for(annotator: str, path: Path) -> Store:
    """The store for a press on this annotator's screen. Raises DeniedError when somebody else sits
    there by now, or they have left the study, and as `reopen` does.
    """
    store = reopen(path, Role.ANNOTATOR)
    try:
        if visit().name != annotator:
            raise DeniedError(f"This screen belonged to {annotator}, and you are {visit().name}")
        _must_be_here(store, annotator)
    except BaseException:
        store.close()
        raise
    return store


def _must_be_here(store: Store, name: str) -> None:
    """Who comes by a name alone is held to it: a link or a sign-in says more, and is checked when
    they come in. Raises DeniedError for the name of somebody who has left.
    """
    person = store.people.named(name)
    if person and person.left_at:
        raise DeniedError(
            f"{name} is no longer part of this study. If that is a mistake, an owner can take "
            "them back on the page People"
        )


def _in_address(name: str) -> bool:
    return st.query_params.get("annotator") == name


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
    listen()
