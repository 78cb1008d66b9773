"""The server, and its first page. Overview: what the store holds, and what to do next."""

import streamlit as st

from pages.components.overview import figures
from pages.components.shared.door import warn_when_wide_open
from pages.components.shared.frame import frame
from pages.components.shared.headers import PROTECTED
from pages.components.shared.whole_report import offer_report

# `streamlit run` finds this in the file, and serves the file with it. The imports above take two
# seconds: the server's own, so that nobody's first page does.
app = st.App(__file__, middleware=PROTECTED)

if __name__ == "__main__":  # it is being drawn
    with frame("Overview", title="Overview") as study:
        warn_when_wide_open(study.store)
        about = figures.summary(study)
        held = figures.holding(study, about)
        figures.show_figures(study, about, held)
        figures.show_next_steps(held)
        if held.answers:
            offer_report(study)
        figures.show_recent_runs(study)
