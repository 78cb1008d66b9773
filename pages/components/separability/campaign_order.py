"""What separability is for: which pairs people are asked about first."""

from __future__ import annotations

import streamlit as st

from core.analysis.separability import campaign_order
from core.pairing import BySeparability
from pages.components.separability.choices import Choice
from pages.components.shared.frame import Study
from pages.components.shared.notice import notice, refusals, small

ORDERS = {"random": "in random order", "order": "the most separable pairs first"}


def who_is_asked_first(study: Study, chosen: Choice) -> None:
    """How people are asked now, and a switch to the other way. Votes that are there stay."""
    st.subheader("Ask people about these first", anchor=False)
    now = study.store.campaigns.ordering(study.dataset).partition("|")[0]
    small(
        "A vote says little where two texts cannot be told apart. Annotators can be asked about "
        "the most separable pairs first."
    )
    wanted = st.segmented_control(
        "Annotators are asked",
        list(ORDERS),
        format_func=ORDERS.__getitem__,
        default=now if now in ORDERS else None,
        key=f"ordering-{study.dataset}",
    )
    if now not in ORDERS:
        small(
            f"Now: {study.store.campaigns.ordering(study.dataset)}, as the command line was told."
        )
    if wanted and wanted != now:
        with refusals():
            forgotten = campaign_order.forgotten(study.store, study.dataset)
            if wanted == "random":
                campaign_order.at_random(study.store, study.dataset)
            else:
                campaign_order.first_by_separability(
                    study.store,
                    study.dataset,
                    BySeparability("order"),
                    metric=chosen.how.metric,
                    encoder=chosen.how.encoder,
                )
            notice(f"From now on annotators are asked {ORDERS[wanted]}.", kind="good")
            if forgotten:
                small(f"{forgotten}.")
