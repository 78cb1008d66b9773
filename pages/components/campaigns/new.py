"""A new campaign: what it asks about, how, and what that comes to before it is opened."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from core import campaigns
from core.campaigns import Design
from core.pairing import Choice, identical_note
from core.records import FaultError, TandemError
from core.runs import span
from pages.components.campaigns.choice_form import choice_form
from pages.components.campaigns.design_form import design_form
from pages.components.campaigns.known_answers import NewChecks, add_checks
from pages.components.campaigns.overview import seconds_a_vote
from pages.components.shared.address import set_campaign
from pages.components.shared.faults import action
from pages.components.shared.frame import Study
from pages.components.shared.notice import notice, several, small
from pages.components.shared.stores import reopen

REFUSED = "campaign refused"
"""Why it could not be opened: said beside its button, which is far from the top of the page."""


def new_campaign(study: Study) -> None:
    """The form, and what it comes to."""
    if not study.store.datasets.systems(study.dataset):
        return
    st.header("New campaign", anchor=False)
    name = st.text_input("Name", placeholder="pilot", max_chars=60, width=420, key="new name")
    try:
        choice = choice_form(study)
        design, checks = design_form("new", Design())
        pairs = campaigns.preview(study.store, choice)
        identical = campaigns.count_identical(study.store, choice)
    except TandemError as error:
        notice(f"{error}.", kind="problem")
        return
    if refused := st.session_state.pop(REFUSED, ""):
        notice(refused, kind="problem")
    small(" ".join([_comes_to(study, pairs, choice, design), *identical_note(identical)]))
    st.button(
        "Open campaign",
        type="primary",
        disabled=not name.strip() or not pairs,
        help=None if name.strip() else "Give it a name first",
        on_click=_open,
        args=(study.store.path, name, choice, design, checks),
    )


def _comes_to(study: Study, pairs: int, choice: Choice, design: Design) -> str:
    """Votes and hours, at the pace of people so far."""
    if choice.way == "active" and choice.budget:
        attributes = len(choice.attributes) or len(study.store.datasets.attributes(study.dataset))
        pairs = min(pairs, choice.budget * attributes)
    votes = round(pairs * design.overlap * (1 + design.repeat_share))
    seconds = seconds_a_vote(study)
    return (
        f"{several(pairs, 'pair')}, {several(votes, 'vote')}: about {span(votes * seconds)} of "
        f"people's time, at {seconds:.0f} s a vote."
    )


@action
def _open(path: Path, name: str, choice: Choice, design: Design, checks: NewChecks) -> None:
    try:
        with reopen(path) as store, store.transaction(durable=True):
            campaign = campaigns.open_campaign(store, name, choice, design)
            add_checks(store, campaign, checks)
    except FaultError:
        raise
    except TandemError as error:
        st.session_state[REFUSED] = f"{error}."
        return
    set_campaign(campaign.name)
    st.session_state["new name"] = ""
