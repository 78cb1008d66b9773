"""Notice that a data set has simulated votes, and the button that withdraws them."""

from __future__ import annotations

import streamlit as st

from core.labels import VOTES, pluralize
from core.records import Kind
from core.store import Store, dataset_decisions
from pages.components.shared.frame import Study
from pages.components.shared.notice import show_caption, show_done
from pages.components.shared.stores import store_action
from pages.components.shared.visitor import current_session

SAID = "simulated votes withdrawn"


def show_simulated(study: Study) -> None:
    """Show the number of simulated votes, to withdraw, or that they were withdrawn."""
    show_done(SAID)
    answered = study.store.judgement_frames.count_answers(study.dataset)
    mine = answered[answered["kind"] == Kind.SIMULATED]
    if mine.empty:
        return
    votes = pluralize(int(mine["asked"].sum()), VOTES[Kind.SIMULATED])
    with st.container(horizontal=True, vertical_alignment="center"):
        show_caption(
            f"{votes} of {pluralize(len(mine), 'annotator')} are here to show what the pages do. "
            "A program drew them. They never count as people's votes."
        )
        st.button(
            "Withdraw simulated votes", on_click=_withdraw, args=(study.store.path, study.dataset),
            key="withdraw-simulated",
        )  # fmt: skip


@store_action()
def _withdraw(store: Store, dataset: str) -> None:
    number = dataset_decisions.withdraw_simulated(store, current_session().audit_name, dataset)
    st.session_state[SAID] = (
        f"{number:,} simulated votes and scores are withdrawn. They stay in the store, and count "
        "nowhere."
    )
