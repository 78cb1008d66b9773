"""A new campaign in four steps: its goal, who is asked, what they read, and a last look."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core import campaigns
from core.campaigns import (
    GOALS,
    CampaignDraft,
    CampaignOutlook,
    Design,
    add_checks,
    begin_with,
    note_fewer_checks,
)
from core.pairing import Choice, identical_note
from core.records import FaultError, TandemError
from core.store import Campaign
from pages.components.annotate.answers import show_preview
from pages.components.campaigns.draft import (
    USUAL,
    begin_draft,
    discard_draft,
    find_beginning,
    keep_draft,
    show_draft,
)
from pages.components.campaigns.forms import ChoiceForm, DesignForm, learn_pace
from pages.components.shared.address import set_campaign
from pages.components.shared.frame import Study
from pages.components.shared.notice import action, notice, show_caption, show_findings
from pages.components.shared.settings import KEPT, list_labels, render_labels
from pages.components.shared.stores import reopen

STEPS = ("1 Goal", "2 People", "3 What they read", "4 Preview and open")
STEP = "new-campaign"
"""The key of the steps."""

LONGEST_NAME = 60

REFUSED = "campaign refused"
"""Why it could not be opened: said beside its button, which is far from the top of the page."""


def begin_by(dataset: str, way: str) -> None:
    """Let the form begin with another way to choose pairs, as another page proposes."""
    begin_draft(CampaignDraft(Choice(dataset=dataset, way=way, budget=100), Design()))


def new_campaign(study: Study) -> None:
    """Show the four steps, and beside each what the campaign comes to."""
    if not study.store.datasets.systems(study.dataset):
        return
    st.header("New campaign", anchor=False)
    beginning = find_beginning(study)
    begun = beginning.draft
    show_draft(study, beginning.note)
    outlook_place = st.container()
    steps = st.tabs(STEPS, key=STEP, on_change="rerun")
    key = f"new {study.dataset} {beginning.number}"
    form = ChoiceForm(study, key, begun.choice)
    with steps[0]:
        _choose_goal(study.dataset, begun.goal, key)
        form.choose_size()
        with st.expander("Which pairs"):
            form.choose_pairs()
        _offer_step(1)
    with steps[3]:
        opening, name = _ask_name(study, key, begun)
    draft, outlook = replace(beginning.latest or begun, goal=begun.goal, name=name), None
    try:
        draft = _design(steps, key, begun, draft)
        draft = replace(draft, choice=form.read())
        outlook = campaigns.compute_outlook(study.store, draft)
    except TandemError as error:
        with outlook_place:
            notice(f"{_name_fields(error)}.", kind="problem")
    keep_draft(study, draft)
    if outlook is None:
        return
    with outlook_place:
        _show_outlook(study, draft, outlook)
    with steps[3]:
        name = draft.name or _propose_name(study, draft.goal)
        opening.button(
            "Open campaign",
            type="primary",
            disabled=not outlook.pairs,
            on_click=_open,
            args=(study.store.path, name, draft),
        )
        if steps[3].open:
            _preview(study, draft, outlook)


def _name_fields(error: TandemError) -> str:
    return render_labels(error.sentence, list_labels(Choice, Design))


def _choose_goal(dataset: str, goal: str, key: str) -> None:
    st.radio(
        "What is it for?", list(GOALS), key=f"goal {key}",
        index=list(GOALS).index(goal) if goal else None,
        format_func=lambda name: GOALS[name].label,
        captions=[one.help for one in GOALS.values()],
        on_change=_change_goal, args=(dataset, key),
    )  # fmt: skip


def _change_goal(dataset: str, key: str) -> None:
    goal, name = (st.session_state[f"{which} {key}"] for which in ("goal", "name"))
    begin_draft(replace(begin_with(goal, dataset), name=name))


def _design(steps: list, key: str, begun: CampaignDraft, draft: CampaignDraft) -> CampaignDraft:
    form = DesignForm(key, begun.design)
    with steps[1]:
        form.choose_people()
        with st.expander("Order, and pairs asked twice"):
            form.choose_order()
        _offer_step(2)
    with steps[2]:
        form.write_words()
        with st.expander("Practice and checks"):
            checks = form.choose_checks(replace(begun.checks, known=draft.checks.known))
        with st.expander("Answers besides A and B"):
            form.choose_answers()
        _offer_step(3)
    return replace(draft, design=form.read(), checks=checks)


def _offer_step(to: int) -> None:
    st.button(f"Next: {STEPS[to][2:].lower()}", key=f"to step {to}", on_click=_go_to, args=(to,))


def _go_to(step: int) -> None:
    st.session_state[STEP] = STEPS[step]


def _preview(study: Study, draft: CampaignDraft, outlook: CampaignOutlook) -> None:
    show_caption("This is what a person sees. Nothing is recorded here.")
    unsaved = Campaign(0, study.dataset, "", "open", draft.design.to_stored(), {}, "")
    with st.container(border=True):
        shown = outlook.example and campaigns.show_example(study.store, unsaved, outlook.example)
        show_preview(shown, draft.design)


def _ask_name(study: Study, key: str, begun: CampaignDraft) -> tuple[DeltaGenerator, str]:
    if refused := st.session_state.pop(REFUSED, ""):
        notice(refused, kind="problem")
    row = st.container(horizontal=True, vertical_alignment="bottom")
    name = row.text_input(
        "Name", begun.name[:LONGEST_NAME], max_chars=LONGEST_NAME, width=300, key=f"name {key}",
        placeholder=_propose_name(study, begun.goal), **KEPT,
    )  # fmt: skip
    return row, name.strip()


def _propose_name(study: Study, goal: str) -> str:
    taken = {campaign.name for campaign in study.store.campaigns.list_all(study.dataset)}
    name = GOALS[goal].label.lower() if goal else "copy"
    numbered = (f"{name} {number}" for number in range(2, len(taken) + 3))
    return name if name not in taken else next(one for one in numbered if one not in taken)


def _show_outlook(study: Study, draft: CampaignDraft, outlook: CampaignOutlook) -> None:
    pace = learn_pace(study)
    workload = campaigns.estimate_workload(outlook, draft.design, seconds=pace)
    said = campaigns.describe_workload(workload, draft.design)
    fewer = note_fewer_checks(draft.checks, outlook.attention)
    show_findings([*said, *identical_note(outlook.identical), *fewer])


@action
def _open(path: Path, name: str, draft: CampaignDraft) -> None:
    try:
        with reopen(path) as store, store.transaction(durable=True):
            campaign = campaigns.open_campaign(store, name, draft.choice, draft.design)
            add_checks(store, campaign, draft.checks)
            discard_draft(store, campaign.dataset)
    except FaultError:
        raise
    except TandemError as error:
        st.session_state[REFUSED] = f"{_name_fields(error)}."
        return
    set_campaign(campaign.name)
    begin_draft(begin_with(USUAL, campaign.dataset))
    _go_to(0)
