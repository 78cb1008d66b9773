"""A new campaign in four steps: what it is for, who is asked, what they read, and a last look."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import streamlit as st

from core import campaigns
from core.campaigns import (
    GOALS,
    CampaignDraft,
    CampaignOutlook,
    Design,
    NewChecks,
    add_checks,
    begin_with,
    fit_checks,
    note_fewer_checks,
)
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
from pages.components.shared.settings import list_labels, render_labels
from pages.components.shared.stores import reopen

STEPS = ("1 Goal", "2 People", "3 What they read", "4 Preview and open")
STEP = "new-campaign"
"""The key of the steps."""

BEGUN = "campaigns begun"
"""By data set what its form began with, see `_Beginning`."""

NAME = "new name"
USUAL = "pilot"
"""The goal that a form begins with."""

REFUSED = "campaign refused"
"""Why it could not be opened: said beside its button, which is far from the top of the page."""


class _Beginning(NamedTuple):
    """The draft that a form began with, its goal ('' of a copy), and how many there were before:
    another draft is another form.
    """

    draft: CampaignDraft
    goal: str
    number: int = 0


def _get_beginning(dataset: str) -> _Beginning:
    begun = st.session_state.get(BEGUN, {}).get(dataset)
    return begun or _Beginning(begin_with(USUAL, dataset), USUAL)


def begin_draft(draft: CampaignDraft, goal: str = "") -> None:
    """Let the form of a data set begin with this draft, and drop what was in it."""
    dataset = draft.choice.dataset
    number = _get_beginning(dataset).number + 1
    st.session_state.setdefault(BEGUN, {})[dataset] = _Beginning(draft, goal, number)


def begin_by(dataset: str, way: str) -> None:
    """Let the form begin with another way to choose pairs, as another page proposes."""
    begin_draft(CampaignDraft(Choice(dataset=dataset, way=way, budget=100), Design()))


def new_campaign(study: Study) -> None:
    """The four steps, and what the campaign comes to, beside each of them."""
    if not study.store.datasets.systems(study.dataset):
        return
    st.header("New campaign", anchor=False)
    begun, goal, number = _get_beginning(study.dataset)
    outlook_place = st.container()
    steps = st.tabs(STEPS, key=STEP, on_change="rerun")
    key = f"new {study.dataset} {number}"
    form = ChoiceForm(study, key, begun.choice)
    with steps[0]:
        _choose_goal(study.dataset, goal, number)
        form.choose_size()
        with st.expander("Which pairs"):
            form.choose_pairs()
        _offer_step(1)
    try:
        design, checks = _design(steps, key, begun)
        draft = CampaignDraft(form.read(), design, checks)
        outlook = campaigns.foresee(study.store, draft.choice)
    except TandemError as error:
        with outlook_place:
            notice(f"{_name_fields(error)}.", kind="problem")
        return
    with outlook_place:
        _show_outlook(study, draft, outlook)
    with steps[3]:
        _open_button(study, draft, outlook, goal)
        if steps[3].open:
            _preview(study, draft, outlook)


def _name_fields(error: TandemError) -> str:
    """Say what is wrong, with each setting called by the label of its field."""
    return render_labels(error.sentence, list_labels(Choice, Design))


def _choose_goal(dataset: str, goal: str, number: int) -> None:
    key = f"goal {dataset} {number}"
    st.radio(
        "What is it for?", list(GOALS), key=key, horizontal=True,
        index=list(GOALS).index(goal) if goal else None,
        format_func=lambda name: GOALS[name].label,
        captions=[one.help for one in GOALS.values()],
        on_change=_change_goal, args=(dataset, key),
    )  # fmt: skip


def _change_goal(dataset: str, key: str) -> None:
    goal = st.session_state[key]
    begin_draft(begin_with(goal, dataset), goal)


def _design(steps: list, key: str, begun: CampaignDraft) -> tuple[Design, NewChecks]:
    """The design and the checks in steps 2 and 3."""
    with steps[1]:
        design = choose_people(key, begun.design)
        with st.expander("Order, and pairs asked twice"):
            design = choose_order(key, design)
        _offer_step(2)
    with steps[2]:
        design = write_words(key, design)
        with st.expander("Practice and checks"):
            design, checks = choose_checks(key, design, begun.checks)
        with st.expander("Answers besides A and B"):
            design = choose_answers(key, design)
        _offer_step(3)
    return design, checks


def _offer_step(to: int) -> None:
    st.button(f"Next: {STEPS[to][2:].lower()}", key=f"to step {to}", on_click=_go_to, args=(to,))


def _go_to(step: int) -> None:
    st.session_state[STEP] = STEPS[step]


def _preview(study: Study, draft: CampaignDraft, outlook: CampaignOutlook) -> None:
    small("This is what a person sees. Nothing is recorded here.")
    unsaved = Campaign(0, study.dataset, "", "open", draft.design.to_stored(), {}, "")
    with st.container(border=True):
        shown = outlook.example and campaigns.show_example(study.store, unsaved, outlook.example)
        show_preview(shown, draft.design)


def _open_button(study: Study, draft: CampaignDraft, outlook: CampaignOutlook, goal: str) -> None:
    usual = _propose_name(study, goal)
    if refused := st.session_state.pop(REFUSED, ""):
        notice(refused, kind="problem")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = st.text_input("Name", max_chars=60, width=300, key=NAME, placeholder=usual)
        st.button(
            "Open campaign",
            type="primary",
            disabled=not outlook.pairs,
            on_click=_open,
            args=(study.store.path, name.strip() or usual, draft),
        )


def _propose_name(study: Study, goal: str) -> str:
    """The goal's name, with a number where there is such a campaign already."""
    taken = {campaign.name for campaign in study.store.campaigns.of(study.dataset)}
    name = GOALS[goal].label.lower() if goal else "copy"
    numbered = (f"{name} {number}" for number in range(2, len(taken) + 3))
    return name if name not in taken else next(one for one in numbered if one not in taken)


def _show_outlook(study: Study, draft: CampaignDraft, outlook: CampaignOutlook) -> None:
    """Show the workload at people's pace so far, and the precision to expect."""
    checks = fit_checks(study.store, draft.checks, draft.choice, outlook.first_texts)
    workload = campaigns.estimate_workload(
        outlook, draft.design, checks=checks.total,
        seconds=campaigns.get_pace(study.store, study.dataset),
    )  # fmt: skip
    said = campaigns.describe_workload(workload, draft.design)
    fewer = note_fewer_checks(draft.checks, checks.attention)
    conclude([*said, *identical_note(outlook.identical), *fewer])


@action
def _open(path: Path, name: str, draft: CampaignDraft) -> None:
    try:
        with reopen(path) as store, store.transaction(durable=True):
            campaign = campaigns.open_campaign(store, name, draft.choice, draft.design)
            add_checks(store, campaign, draft.checks)
    except FaultError:
        raise
    except TandemError as error:
        st.session_state[REFUSED] = f"{_name_fields(error)}."
        return
    set_campaign(campaign.name)
    st.session_state[NAME] = ""
    begin_draft(begin_with(USUAL, campaign.dataset), USUAL)
    _go_to(0)
