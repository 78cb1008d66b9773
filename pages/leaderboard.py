"""Leaderboard: who leads, and whether that is certain."""

import streamlit as st

from pages.components.leaderboard.boards import rate_boards, show_boards, show_figures, show_ways_on
from pages.components.leaderboard.choices import choices
from pages.components.leaderboard.closer import show_closer
from pages.components.shared.frame import frame
from pages.components.shared.report import offer_report

with frame("Leaderboard", title="Leaderboard") as study:
    answer = st.container()
    boards = choices(study)
    with answer:
        computed = rate_boards(study, boards)
        if boards and not computed:
            show_ways_on(boards)
        shown = show_boards(computed) if computed else []
    if computed:
        show_figures(computed, shown)
        show_closer(study, computed, shown)
        offer_report(study)
