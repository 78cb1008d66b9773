"""The small model that Tandem fetches, offered in the choice of a local model."""

from __future__ import annotations

import streamlit as st

from core.access import Right
from core.models.local import background_fetch, small_model
from core.store import Store
from pages.components.shared.faults import fragment
from pages.components.shared.frame import Study
from pages.components.shared.notice import notice, show_caption
from pages.components.shared.stores import store_action

MODEL = "judge-model"
"""The key of the field that names a model."""

OFFER = f"A small model on this machine, {small_model.SIZE}"
FETCHING = "small model is being fetched"


def offer_small_model(study: Study) -> str:
    """Offer the small model above the field that names one, or show its state.

    An owner can fetch it with one click. Once fetched, it is entered in the field unless that names
    another model. Returns the key of the field, which must be drawn after this.
    """
    is_fetched, named = small_model.is_fetched(), st.session_state.get(MODEL, "").strip()
    if st.session_state.pop(FETCHING, False) and is_fetched and not named:
        st.session_state[MODEL] = named = small_model.SPEC
    state = background_fetch.read_fetch_state()
    if named == small_model.SPEC and is_fetched:
        show_caption(small_model.ADVICE)
    elif is_fetched:
        _offer("Use it", _choose)
    elif state.is_running:
        _follow_fetch()
    elif study.may(Right.SERVERS):
        _offer("Fetch it", _fetch, study.store.path)
        if state.failure:
            notice(state.failure, kind="problem")
    return MODEL


def _offer(label: str, press: object, *args: object) -> None:
    words, button = st.columns([5, 1.6], vertical_alignment="center")
    with words:
        show_caption(f"{OFFER}. {small_model.ADVICE}")
    button.button(label, key="small-model", on_click=press, args=args)  # type: ignore[arg-type]


@fragment(every=1.0)
def _follow_fetch() -> None:
    """Show the step of a fetch until it ends; then redraw the whole page."""
    state = background_fetch.read_fetch_state()
    st.session_state[FETCHING] = True
    if not state.is_running:
        st.rerun()
    show_caption(f"{OFFER}. {state.line or 'Starting ...'}")


def _choose() -> None:
    st.session_state[MODEL] = small_model.SPEC


@store_action(Right.SERVERS)
def _fetch(_store: Store) -> None:
    background_fetch.start_fetch()
    st.session_state[MODEL] = ""
