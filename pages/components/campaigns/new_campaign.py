"""A new campaign in four steps: what it is for, who is asked, what they read, and a last look."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import streamlit as st

from core import campaigns
from core.campaigns import GOALS, Design, Draft, Outlook, add_checks, begin_with
from core.pairing import Choice, identical_note
from core.records import FaultError, TandemError
from core.store import Campaign
from pages.components.annotate.preview import show_preview
from pages.components.campaigns.choice_form import ChoiceForm
from pages.components.campaigns.design_form import (
    choose_answers,
    choose_checks,
    choose_order,
    choose_people,
    write_words,
)
from pages.components.shared.address import set_campaign
from pages.components.shared.faults import action
from pages.components.shared.frame import Study
from pages.components.shared.notice import conclude, notice, small
from pages.components.shared.stores import reopen

STEPS = ("1 Goal", "2 People", "3 What they read", "4 Preview and open")
STEP = "new-campaign"
"""The key of the steps, which is also how the address says where somebody is."""

BEGUN = "campaign begun"
"""The draft that the form began with, and its number: another draft is another form."""

GOAL, NAME = "campaign goal", "new name"
REFUSED = "campaign refused"
"""Why it could not be opened: said beside its button, which is far from the top of the page."""


def begin_draft(draft: Draft) -> None:
    """Let the form begin with this draft, whatever stood in it."""
    number = st.session_state.get(BEGUN, (0, None))[0]
    st.session_state[BEGUN] = (number + 1, draft)


def begin_by(dataset: str, way: str) -> None:
    """Let the form begin with another way to choose pairs, as another page proposes."""
    begin_draft(Draft(Choice(dataset=dataset, way=way, budget=100), Design()))


def new_campaign(study: Study) -> None:
    """The four steps, and what the campaign comes to, beside each of them."""
    if not study.store.datasets.systems(study.dataset):
        return
    st.header("New campaign", anchor=False)
    number, begun = st.session_state.get(BEGUN, (0, None))
    if begun is None or begun.choice.dataset != study.dataset:
        begun = begin_with("pilot", study.dataset)
    outlook_place = st.container()
    steps = st.tabs(STEPS, key=STEP, on_change="rerun")
    key = f"new {study.dataset} {number}"
    form = ChoiceForm(study, key, begun.choice)
    with steps[0]:
        _choose_goal(study.dataset)
        form.choose_size()
        with st.expander("Which pairs"):
            form.choose_pairs()
        _lead_on(1)
    try:
        draft = _design(steps, key, Draft(form.read(), begun.design, begun.checks))
        outlook = campaigns.foresee(study.store, draft.choice)
    except TandemError as error:
        with outlook_place:
            notice(f"{error}.", kind="problem")
        return
    with outlook_place:
        _say_outlook(study, draft, outlook)
    with steps[3]:
        _open_button(study, draft, outlook)
        if steps[3].open:
            _preview(study, draft, outlook)


def _choose_goal(dataset: str) -> None:
    st.session_state.setdefault(GOAL, "pilot")
    st.radio(
        "What is it for?", list(GOALS), key=GOAL, horizontal=True,
        format_func=lambda goal: GOALS[goal].label,
        captions=[goal.help for goal in GOALS.values()],
        on_change=_change_goal, args=(dataset,),
    )  # fmt: skip


def _change_goal(dataset: str) -> None:
    begin_draft(begin_with(st.session_state[GOAL], dataset))


def _design(steps: list, key: str, begun: Draft) -> Draft:
    """The design and the checks as they stand in steps 2 and 3."""
    with steps[1]:
        design = choose_people(key, begun.design)
        with st.expander("Order, and pairs asked twice"):
            design = choose_order(key, design)
        _lead_on(2)
    with steps[2]:
        design = write_words(key, design)
        with st.expander("Answers besides A and B"):
            design = choose_answers(key, design)
        with st.expander("Practice and checks"):
            design, checks = choose_checks(key, design, begun.checks)
        _lead_on(3)
    return replace(begun, design=design, checks=checks)


def _lead_on(to: int) -> None:
    st.button(f"Next: {STEPS[to][2:].lower()}", key=f"to step {to}", on_click=_go_to, args=(to,))


def _go_to(step: int) -> None:
    st.session_state[STEP] = STEPS[step]


def _preview(study: Study, draft: Draft, outlook: Outlook) -> None:
    small("This is what a person sees. Nothing is recorded here.")
    unsaved = Campaign(0, study.dataset, "", "open", draft.design.stored(), {}, "")
    with st.container(border=True):
        shown = outlook.example and campaigns.show_example(study.store, unsaved, outlook.example)
        show_preview(shown, draft.design)


def _open_button(study: Study, draft: Draft, outlook: Outlook) -> None:
    if refused := st.session_state.pop(REFUSED, ""):
        notice(refused, kind="problem")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = st.text_input(
            "Name", max_chars=60, width=300, key=NAME, placeholder=_propose_name(study)
        )
        st.button(
            "Open campaign",
            type="primary",
            disabled=not outlook.pairs,
            on_click=_open,
            args=(study.store.path, name.strip() or _propose_name(study), draft),
        )


def _propose_name(study: Study) -> str:
    """The goal's name, with a number where there is such a campaign already."""
    taken = {campaign.name for campaign in study.store.campaigns.of(study.dataset)}
    name = GOALS[st.session_state[GOAL]].label.lower()
    numbered = (f"{name} {number}" for number in range(2, len(taken) + 3))
    return name if name not in taken else next(one for one in numbered if one not in taken)


def _say_outlook(study: Study, draft: Draft, outlook: Outlook) -> None:
    """What it takes, at the pace of people so far, and what it will tell."""
    workload = campaigns.estimate_workload(
        outlook, draft.design, checks=draft.checks.total,
        seconds=campaigns.get_pace(study.store, study.dataset),
    )  # fmt: skip
    said = campaigns.describe_workload(workload, draft.design)
    conclude([*said, *identical_note(outlook.identical)])


@action
def _open(path: Path, name: str, draft: Draft) -> None:
    try:
        with reopen(path) as store, store.transaction(durable=True):
            campaign = campaigns.open_campaign(store, name, draft.choice, draft.design)
            add_checks(store, campaign, draft.checks)
    except FaultError:
        raise
    except TandemError as error:
        st.session_state[REFUSED] = f"{error}."
        return
    set_campaign(campaign.name)
    st.session_state[NAME] = ""
    begin_draft(begin_with(st.session_state[GOAL], campaign.dataset))
    _go_to(0)
