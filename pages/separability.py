"""Separability: which items tell two systems apart, and whether preferences mean anything else."""

import streamlit as st

from core.findings.separability import columns
from pages.components.separability.choices import choices, choose_order, is_measured
from pages.components.separability.consistency import show_consistency, show_sample_size
from pages.components.separability.figures import (
    choose_item,
    compute,
    link_to_items,
    show_evidence,
    show_item,
)
from pages.components.shared.frame import frame
from pages.components.shared.notice import show_headline

with frame("Separability", title="Separability") as study:
    answer = st.container()
    choice = choices(study)
    with answer:
        result = compute(study, choice) if choice and is_measured(study, choice) else None
        if result:
            show_headline(columns.summarise_items(result.rows))
            item = choose_item(result)
    if choice and result:
        show_item(study, choice, item, result.signature)
        link_to_items(choice)
        show_consistency(study, choice)
        with st.expander("Show more: are there enough texts, and in which order to annotate"):
            show_sample_size(study, choice, result)
            choose_order(study, choice)
        show_evidence(result)
