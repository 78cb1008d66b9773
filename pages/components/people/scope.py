"""Scope of a section: all votes of a data set, or those of one campaign or attribute."""

from __future__ import annotations

import streamlit as st

from core.findings.judgements import Selection
from core.findings.people import Scope
from core.records import Kind, choose_voting_kind
from pages.components.shared.address import set_campaign, wanted_campaign
from pages.components.shared.filters import WIDE, Choices, choose_attribute
from pages.components.shared.frame import Study, next_step_links
from pages.components.shared.notice import notice
from pages.components.shared.simulated_votes import show_simulated

ALL = "all votes"
SUPERVISED = "supervised campaign"
NONE = 0  # no campaign: None would be offered for removal


def choose_scope(study: Study) -> Scope | None:
    """Ask for the campaign and attribute to look at; None, with a notice, if nobody has judged."""
    judges = study.store.judgement_frames.judges(study.dataset, excluded=True)
    voting = choose_voting_kind(judges["kind"])
    people = judges[judges["kind"] == voting]
    if people.empty:
        notice("Nobody has judged here yet. Annotate some pairs, or invite people who do.")
        next_step_links(annotate="Annotate")
        return None
    row = Choices()
    campaign = _choose_campaign(study, row.place())
    attribute = choose_attribute(people["attribute"], row)
    if voting is Kind.SIMULATED:
        show_simulated(study)
    return Scope(Selection(study.dataset, attribute=attribute), campaign)


def _choose_campaign(study: Study, row: st.delta_generator.DeltaGenerator) -> int | None:
    names = {one.id: one.name for one in study.store.campaigns.list_all(study.dataset)}
    if not names:
        return None
    named = wanted_campaign()
    st.session_state[SUPERVISED] = next((row for row, name in names.items() if name == named), NONE)
    chosen = row.selectbox(
        "Campaign", [NONE, *names], format_func=lambda number: names.get(number, ALL), width=WIDE,
        key=SUPERVISED, on_change=_follow, args=(names,),
        help="“All votes” has imported ones, too.",
    )  # fmt: skip
    return None if chosen == NONE else chosen


def _follow(names: dict[int, str]) -> None:
    set_campaign(names.get(st.session_state[SUPERVISED], ""))


def stamp(study: Study) -> str:
    """Return a text that changes with the judgements, exclusions and answers to checks."""
    return f"{study.judgements_stamp}-{study.store.annotator_stats.stamp(study.dataset)}"
