"""A new campaign: what it asks about (attributes, systems, which pairs and how many), and the
button that opens it.
"""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core import campaigns
from core.campaigns import Design, NewChecks, add_checks
from core.pairing import Choice, identical_note
from core.records import FaultError, Kind, TandemError
from core.runs import span
from pages.components.campaigns.design_form import design_form
from pages.components.campaigns.manage import seconds_a_vote
from pages.components.shared.address import set_campaign
from pages.components.shared.faults import action
from pages.components.shared.filters import label_metrics
from pages.components.shared.frame import Study
from pages.components.shared.notice import notice, several, small
from pages.components.shared.settings import (
    Offered,
    choose_number,
    choose_setting,
    choose_several,
    describe_setting,
)
from pages.components.shared.stores import reopen

EACH = "each other"
WAY = "campaign way"
"""How pairs are chosen, in the session: another page may have said so."""


def choice_form(study: Study) -> Choice:
    """The choice as it stands in the form. Raises TandemError for one that cannot be."""
    attributes = [attribute.name for attribute in study.store.datasets.attributes(study.dataset)]
    systems = study.store.datasets.systems(study.dataset)
    about, which, against = st.columns([2, 2, 1])
    values: dict[str, Any] = {
        "attributes": _choose_some(about, "attributes", attributes),
        "systems": _choose_some(which, "systems", systems),
        "against": choose_setting(against, Choice, "against", _name({"": EACH}, systems)),
        "pairs": _pairs_of(systems),
    }
    how, number, samples, subset = st.columns([2, 1, 1, 1])
    values["way"] = choose_setting(how, Choice, "way", key=WAY)
    values["budget"] = choose_number(number, Choice, "budget", 100, min_value=0, step=10) or None
    values["samples"] = choose_number(samples, Choice, "samples")
    subsets = study.store.datasets.subsets(study.dataset)
    there = _name({"": "all"}, subsets)
    values["subset"] = choose_setting(subset, Choice, "subset", there, disabled=not subsets)
    return Choice(dataset=study.dataset, **values, **_more(study, str(values["way"])))


def _pairs_of(systems: list[str]) -> tuple[tuple[str, str], ...]:
    """Only these pairs of systems; none is all. Two systems are one pair."""
    if len(systems) < 3:
        return ()
    pairs = {pair: " – ".join(pair) for pair in combinations(systems, 2)}
    return _choose_some(st.container(), "pairs", pairs)


def _choose_some(row: DeltaGenerator, name: str, offered: Offered) -> tuple[Any, ...]:
    """Some of what a data set has; none is all."""
    return choose_several(row, Choice, name, offered=offered, placeholder="all")


def _name(first: dict[str, str], names: list[str]) -> dict[str, str]:
    """Names, which are called as they are, behind what stands first."""
    return first | {name: name for name in names}


def _more(study: Study, way: str) -> dict[str, Any]:
    if way == "separability":
        return _separability()
    if way == "informative":
        return _informative(study)
    return _uncertain(study) if way == "uncertain" else {}


def _separability() -> dict[str, Any]:
    metric, draw, span = st.columns([2, 2, 3])
    low, high = span.slider("Separability", -1.0, 1.0, (0.0, 1.0), 0.05)
    return {
        "separability": choose_setting(
            metric, Choice, "separability", label_metrics(), value="bertscore-length"
        ),
        "draw": choose_setting(draw, Choice, "draw"),
        "low": low,
        "high": high,
    }


def _informative(study: Study) -> dict[str, Any]:
    row, models = st.container(), _models(study)
    return {
        "judges": choose_several(
            row, Choice, "judges", offered=models, placeholder="all language models"
        )
    }


def _models(study: Study) -> list[str]:
    frame = study.store.judgement_frames.judges(study.dataset)
    return sorted({*frame.loc[frame["kind"].isin([Kind.LLM, Kind.BASELINE]), "judge"]})


def _uncertain(study: Study) -> dict[str, Any]:
    models = _models(study)
    judge, gap = st.columns([3, 2])
    return {
        "judge": choose_setting(
            judge, Choice, "judge", models, placeholder="no model has judged here yet"
        )
        or "",
        "gap": gap.slider(
            **describe_setting(Choice, "gap"), min_value=0.0, max_value=0.5, value=0.1, step=0.01
        ),
    }


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
