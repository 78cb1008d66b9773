"""A new campaign in four steps: its goal, who is asked, what they read, and a last look.

The store keeps each person's latest draft of one, with which its form begins.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import NamedTuple

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core import campaigns
from core.campaigns import (
    GOALS,
    LARGEST_FILE,
    CampaignDraft,
    CampaignOutlook,
    Design,
    DraftError,
    add_checks,
    begin_with,
    load_draft,
    note_fewer_checks,
    save_draft,
)
from core.pairing import Choice, identical_note
from core.records import FaultError, TandemError
from core.store import Campaign, Store
from pages.components.annotate.answers import show_preview
from pages.components.campaigns.forms import ChoiceForm, DesignForm, learn_pace
from pages.components.shared.address import set_campaign
from pages.components.shared.frame import Study
from pages.components.shared.notice import (
    action,
    capitalise_reason,
    notice,
    show_caption,
    show_faults,
    show_findings,
)
from pages.components.shared.settings import KEPT, list_labels, render_labels
from pages.components.shared.stores import reopen, store_action
from pages.components.shared.visitor import current_session

STEPS = ("1 Goal", "2 People", "3 What they read", "4 Preview and open")
STEP = "new-campaign"
"""The key of the steps."""

LONGEST_NAME = 60

REFUSED = "campaign refused"
"""Why it could not be opened: said beside its button, which is far from the top of the page."""


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
            args=(name, draft),
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
    name = GOALS[goal].label.lower() if goal else "copy"
    return find_free_name(study.store, study.dataset, name)


def find_free_name(store: Store, dataset: str, name: str) -> str:
    """Return the name, with a number behind it where a campaign of the data set is called so."""
    taken = {campaign.name for campaign in store.campaigns.list_all(dataset)}
    numbered = (f"{name[:56]} {number}" for number in range(2, len(taken) + 3))
    return name if name not in taken else next(one for one in numbered if one not in taken)


def _show_outlook(study: Study, draft: CampaignDraft, outlook: CampaignOutlook) -> None:
    pace = learn_pace(study)
    workload = campaigns.estimate_workload(outlook, draft.design, seconds=pace)
    said = campaigns.describe_workload(workload, draft.design)
    fewer = note_fewer_checks(draft.checks, outlook.attention)
    show_findings([*said, *identical_note(outlook.identical), *fewer])


@action
def _open(name: str, draft: CampaignDraft) -> None:
    try:
        with reopen() as store, store.transaction(durable=True):
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


BEGUN = "campaigns begun"
"""By data set what its form began with, see `Beginning`."""

SAVED = "campaign drafts saved"
"""By data set the draft that the store has, as far as this session knows."""

USUAL = "pilot"
"""The goal that a form begins with."""


class Beginning(NamedTuple):
    """The draft that a form began with, and how many there were before: another draft is another
    form. `note` says what became of the draft of an earlier visit. `first` and `latest` are what
    the form gave at its first look and at its last.
    """

    draft: CampaignDraft
    number: int = 0
    note: str = ""
    first: CampaignDraft | None = None
    latest: CampaignDraft | None = None


def find_beginning(study: Study) -> Beginning:
    """Return how the form begins: at a session's first look, the draft of an earlier visit."""
    begun: dict[str, Beginning] = st.session_state.setdefault(BEGUN, {})
    if study.dataset not in begun:
        begun[study.dataset] = _load_beginning(study)
    return begun[study.dataset]


def _load_beginning(study: Study) -> Beginning:
    usual = begin_with(USUAL, study.dataset)
    try:
        saved = load_draft(study.store, study.dataset, _owner())
    except DraftError as error:
        return Beginning(usual, note=f"{capitalise_reason(str(error))}.")
    if saved is None:
        return Beginning(usual)
    _get_saved()[study.dataset] = saved.draft
    today = saved.saved_at.date() == datetime.now().astimezone().date()
    at = saved.saved_at.strftime("%H:%M" if today else "%d %b %Y, %H:%M")
    return Beginning(saved.draft, note=f"Draft of {at}, continued.")


def begin_draft(draft: CampaignDraft) -> None:
    """Let the form of a data set begin with this draft, and drop what was in it."""
    begun: dict[str, Beginning] = st.session_state.setdefault(BEGUN, {})
    dataset = draft.choice.dataset
    number = begun[dataset].number + 1 if dataset in begun else 1
    begun[dataset] = Beginning(draft, number)


def keep_draft(study: Study, draft: CampaignDraft) -> None:
    """Save the draft if it changed. A form that nobody touched is not kept as a draft."""
    begun = find_beginning(study)
    begun = begun._replace(first=begun.first or draft, latest=draft)
    st.session_state[BEGUN][study.dataset] = begun
    is_usual = begun.draft == begin_with(USUAL, study.dataset)
    kept = _drop_large_file(draft)
    if kept != draft:
        limit = LARGEST_FILE // 2**20
        show_caption(
            f"The draft keeps no file over {limit} MB: choose the file again after a reload."
        )
    wanted = None if is_usual and draft == begun.first else kept
    if wanted == _get_saved().get(study.dataset) or study.store.connection.fault:
        return  # the top of the page says the fault
    with show_faults():
        if wanted is None:
            discard_draft(study.store, study.dataset)
        else:
            save_draft(study.store, _owner(), wanted)
            _get_saved()[study.dataset] = wanted


def _drop_large_file(draft: CampaignDraft) -> CampaignDraft:
    known = draft.checks.known
    if known is None or len(known) <= LARGEST_FILE:
        return draft
    return replace(draft, checks=replace(draft.checks, known=None))


def discard_draft(store: Store, dataset: str) -> None:
    """Delete the draft of the visitor about a data set, if there is one."""
    store.campaign_drafts.discard(dataset, _owner())
    _get_saved().pop(dataset, None)


def show_draft(study: Study, note: str) -> None:
    """Say what became of the draft of an earlier visit, and offer to discard it."""
    if not note:
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        with st.container(width="content"):
            show_caption(note)
        st.button("Discard draft", on_click=_begin_again, args=(study.dataset,))


@store_action()
def _begin_again(store: Store, dataset: str) -> None:
    discard_draft(store, dataset)
    begin_draft(begin_with(USUAL, dataset))


def _owner() -> str:
    """Return the name by which a draft is found again, which nobody can give themselves."""
    person = current_session().person
    return person.name if person else ""


def _get_saved() -> dict[str, CampaignDraft]:
    saved: dict[str, CampaignDraft] = st.session_state.setdefault(SAVED, {})
    return saved
