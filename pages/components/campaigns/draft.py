"""The draft of a new campaign: how its form begins; the store keeps each person's latest."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import NamedTuple

import streamlit as st

from core.campaigns import (
    LARGEST_FILE,
    CampaignDraft,
    DraftError,
    begin_with,
    load_draft,
    save_draft,
)
from core.store import Store
from pages.components.shared.frame import Study
from pages.components.shared.notice import capitalise_reason, show_caption, show_faults
from pages.components.shared.stores import store_action
from pages.components.shared.visitor import current_session

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
        st.button("Discard draft", on_click=_begin_again, args=(study.store.path, study.dataset))


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
