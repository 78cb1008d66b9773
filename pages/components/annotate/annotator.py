"""Find out who is annotating which campaign: by link, by sign-in or, at this machine, by name."""

from __future__ import annotations

import streamlit as st

from core import campaigns
from core.access import DeniedError, Right
from core.campaigns import enrol
from core.records import FaultError, TandemError
from core.store import Campaign, Store, check_name
from pages.components.annotate.answers import listen
from pages.components.shared.address import CAMPAIGN, read_parameter, select_campaign, set_campaign
from pages.components.shared.frame import Study
from pages.components.shared.notice import notice
from pages.components.shared.stores import reopen
from pages.components.shared.visitor import current_session


def annotator(study: Study) -> str:
    """Return the annotator's name; '' after showing the form that asks for it."""
    if study.visit.name:
        name = study.store.people.spelling(study.visit.name)
        try:
            _must_be_here(study.store, name)
            enrol(study.store, name)
        except FaultError:  # not about the name
            raise
        except TandemError as error:
            notice(str(error), kind="problem")
        else:
            if study.visit.person is None and st.query_params.get("annotator") != name:
                st.query_params["annotator"] = name
            return name
    if study.visit.person is None:
        _form(study.store)
    return ""


def reopen_for(annotator: str) -> Store:
    """Open the store for a click on this annotator's screen.

    Raises DeniedError if another person uses this screen now, or the annotator has left the study.
    Raises as `reopen` otherwise.
    """
    store = reopen(Right.ANNOTATE)
    try:
        if store.people.spelling(current_session().name) != annotator:
            raise DeniedError(
                f"This screen belonged to {annotator}, and you are {current_session().name}"
            )
        _must_be_here(store, annotator)
    except BaseException:
        store.close()
        raise
    return store


def _must_be_here(store: Store, name: str) -> None:
    """Raise DeniedError if the person of this name, which is checked nowhere else, has left."""
    person = store.people.find_by_name(name)
    if person and person.left_at:
        raise DeniedError(
            f"{name} is no longer part of this study. If that is a mistake, an owner can take "
            "them back on the page People"
        )


def _form(store: Store) -> None:
    st.title("Annotate", anchor=False)
    notice(
        "You will read two texts side by side and choose the better one. Your name keeps your "
        "answers separate."
    )
    with st.form("name", border=False, width=420):
        name = st.text_input("Your name", max_chars=80, autocomplete="off")
        if st.form_submit_button("Start", type="primary"):
            _begin(store, name)
    if asked := st.session_state.get(_ASKED):
        typed, known = asked
        notice(f"There is a {known} already: is that you?")
        with st.container(horizontal=True):
            if st.button("Yes, that is me"):
                _start(known)
            if st.button("No, I am somebody else"):
                _start(typed)
    listen()


_ASKED = "annotator-alike"
"""A name that was typed, and the one here that differs from it in capital letters alone."""


def _begin(store: Store, name: str) -> None:
    """Start under a name, unless somebody here may be meant: that is asked."""
    spelled = store.people.spelling(name)
    try:
        check_name(spelled)
    except TandemError as error:
        st.session_state.pop(_ASKED, None)
        notice(str(error), kind="problem")
        return
    alike = store.people.list_similar_names(spelled)
    if alike and not store.people.find_by_name(spelled):
        st.session_state[_ASKED] = spelled, alike[0]
    else:
        _start(spelled)


def _start(name: str) -> None:
    st.session_state.pop(_ASKED, None)
    st.session_state["annotator"] = name
    st.query_params["annotator"] = name
    st.rerun()


def choose_campaign(study: Study) -> Campaign | None:
    """Return the campaign of a personal link, else of the address, else the newest.

    Open campaigns come first; if several are open, the menu offers a choice. Returns None if the
    data set has no campaign.
    """
    if study.visit.campaign is not None:
        return study.store.campaigns.get(study.visit.campaign)
    named = read_parameter(CAMPAIGN)
    open_ = [one.name for one in campaigns.open_campaigns(study.store, study.dataset)]
    there = [one.name for one in study.store.campaigns.list_all(study.dataset)]
    if named in there and named not in open_:
        open_.append(named)
    if len(open_) > 1:
        with st.sidebar:
            named = select_campaign(
                open_, open_[0], dataset=study.dataset, key=f"campaign of {study.dataset}"
            )
        set_campaign(named)
    return campaigns.current(study.store, study.dataset, named)


def list_other_campaigns(study: Study, campaign: Campaign) -> list[tuple[str, str]]:
    """Return the other (data set, campaign) pairs that this person could annotate."""
    if study.visit.campaign is not None:
        return []
    datasets = [study.dataset] if study.is_annotator else study.store.datasets.names()
    return [
        (dataset, one.name)
        for dataset in datasets
        for one in campaigns.open_campaigns(study.store, dataset)
        if one.id != campaign.id
    ]
