"""The order in which annotators get the pairs."""

from __future__ import annotations

import streamlit as st

from core.pairing import BySeparability
from pages.components.separability.choices import SeparabilityChoice
from pages.components.shared.faults import told
from pages.components.shared.frame import Study
from pages.components.shared.notice import notice, small

ORDERS = {"random": "in random order", "order": "most separable first"}


def choose_order(study: Study, choice: SeparabilityChoice) -> None:
    """The order of now, and a switch to the other. Judgements that are there stay."""
    st.header("Order of annotation", anchor=False)
    campaign = study.store.campaigns.default(study.dataset)
    ordering = study.store.campaigns.ordering(campaign.id)
    now = ordering.partition("|")[0]
    small(
        "A judgement says little where two texts cannot be told apart. Annotators can get the "
        "most separable pairs first."
    )
    wanted = st.segmented_control(
        "Annotators get the pairs",
        list(ORDERS),
        format_func=ORDERS.__getitem__,
        default=now if now in ORDERS else None,
        key=f"ordering-{study.dataset}",
    )
    if now not in ORDERS:
        small(f"Set on the command line: {ordering}")
    if wanted and wanted != now:
        with told():
            forgotten = ordering.forgotten(study.store, campaign)
            if wanted == "random":
                ordering.at_random(study.store, campaign)
            else:
                ordering.first_by_separability(
                    study.store,
                    campaign,
                    BySeparability("order"),
                    metric=choice.settings.metric,
                    encoder=choice.settings.encoder,
                )
            notice(f"From now on annotators get the pairs {ORDERS[wanted]}.", kind="good")
            if forgotten:
                small(f"{forgotten}.")
