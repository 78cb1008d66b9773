"""The server, and its first page. Overview: what the store holds, and what to do next."""

import streamlit as st

from pages.components.shared.headers import PROTECTED

# `streamlit run` finds this in the file, and serves the file with it.
app = st.App(__file__, middleware=PROTECTED)

if __name__ == "__main__":  # it is being drawn
    from pages.components.overview import figures
    from pages.components.shared.door import warn_when_wide_open
    from pages.components.shared.frame import frame
    from pages.components.shared.whole_report import offer_report

    with frame("Overview", title="Overview") as study:
        warn_when_wide_open(study.store)
        held = figures.holding(study)
        figures.show_figures(study, held)
        figures.show_next_steps(held)
        if held.answers:
            offer_report(study)
        figures.show_recent_runs(study)
