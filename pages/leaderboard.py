"""Leaderboard: who leads, and whether that is certain."""

from dataclasses import replace

import streamlit as st

from core.charts import ratings
from pages.components.leaderboard.choices import choices
from pages.components.leaderboard.head_to_head import show_matches
from pages.components.leaderboard.table import compute, sentence, show_changes, show_table
from pages.components.shared.downloads import downloads
from pages.components.shared.faults import told
from pages.components.shared.frame import frame, ways_on
from pages.components.shared.notice import lead, small
from pages.components.shared.style import theme

with frame("Leaderboard", title="Leaderboard") as study:
    chosen, result = choices(study), None
    if chosen:
        selection, settings = chosen
        with told():
            result = compute(study, selection, settings)
        if result is None:
            ways_on(annotate="Annotate", judge="Run a judge")
    if chosen and result:
        lead(sentence(result))
        st.altair_chart(
            ratings(result.rows, result.facts["method"], theme=theme()), width="stretch", theme=None
        )
        for note in result.notes:
            small(note)
        if "elo" in result.rows:
            show_changes(result)
        show_table(replace(result, notes=()))  # they stand above
        downloads(
            "leaderboard",
            {"leaderboard": result.rows},
            ratings(result.rows, result.facts["method"]),
        )
        show_matches(
            study, selection, settings, result.rows.dropna(subset="rating")["system"].tolist()
        )
