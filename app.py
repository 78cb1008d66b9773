"""The server, and its first page. Overview: what is known of a data set, and what to do next."""

import streamlit as st

from pages.components.overview.summary import (
    describe_data,
    draw_result,
    has_leader,
    rate_systems,
    read_contents,
    show_next_step,
    show_question,
    show_result,
    show_summary,
)
from pages.components.shared.filters import show_simulated
from pages.components.shared.frame import frame, link_to
from pages.components.shared.headers import PROTECTED
from pages.components.shared.notice import show_caption
from pages.components.shared.report import offer_report
from pages.components.shared.stores import prepare_store, warn_when_wide_open

# `streamlit run` finds this in the file, and serves the file with it. The imports above take two
# seconds: the server's own, so that nobody's first page does.
app = st.App(__file__, lifespan=prepare_store, middleware=PROTECTED)

if __name__ == "__main__":  # it is being drawn
    with frame("Overview", title="Overview") as study:
        warn_when_wide_open(study.store)
        held = read_contents(study)
        show_question(study, held)
        result = rate_systems(study)
        columns = st.columns([5, 6], gap="large") if has_leader(result) else (st.container(), None)
        said, picture = columns
        with said:
            show_result(result, f"{study.dataset}: {describe_data(study, held)}")
            show_next_step(held)
        if result:
            with picture or said:
                if picture:
                    draw_result(result)
                link_to("leaderboard", "See the leaderboard")
            show_summary(study, held)
        show_simulated(study)
        if held.answers:
            offer_report(study)
        if held.source:
            show_caption(held.source)
