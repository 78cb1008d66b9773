"""Whom or what to ask next: how many more votes settle the ranks, and on which pairs."""

from __future__ import annotations

from functools import partial

import streamlit as st

from core.findings.combine import FEWEST
from core.findings.judgements import Finding
from core.findings.plan import PlanSettings, plan
from core.findings.plan.chart import chances
from core.pairing import WAYS
from core.records import FaultError, TandemError
from core.rendering.charts import CaptionedChart
from pages.components.campaigns.choice_form import WAY
from pages.components.shared.cached_report import cached_report
from pages.components.shared.downloads import downloads
from pages.components.shared.frame import Study, carried
from pages.components.shared.notice import conclude, several, small
from pages.components.shared.picture import caption, show_picture
from pages.components.shared.report import foot
from pages.components.shared.tables import show_rows
from pages.components.together.choices import CombinedJudges

_plan = cached_report("Planning …")(plan)

INFORMATIVE = "informative"
HELP = """Simulated from the votes there are: errors are taken to shrink with more votes as they did
with these. **Settled**: all ranks are told apart, for all systems together."""
UNTOLD = f"Once {FEWEST} items have votes, you see here how many more settle the ranks."
REPLAYS = "Simulated; the range holds four of five cases."


def show_asking(study: Study, chosen: CombinedJudges) -> None:
    """The answer in a sentence, a picture and a table, and the way on."""
    if not chosen.judged and not chosen.voted:
        return
    st.header("Whom or what to ask next?", anchor=False, help=HELP)
    try:
        if chosen.judged and chosen.voted:
            request = chosen.selection, PlanSettings(chosen.people)
            _show_plan(_plan(study.store, request, f"{study.scores_stamp}{study.draws_stamp}"))
        else:
            small(UNTOLD)
    except FaultError:
        raise
    except TandemError:  # for which reason, the first answer of the page has said
        small(UNTOLD)
    if chosen.judged:
        _offer_campaign()


def _show_plan(result: Finding) -> None:
    conclude(result.facts["sentences"])
    if result.facts["now"] < 1:
        above = caption(
            result, "How many more votes settle the ranks", REPLAYS,
            several(result.facts["voted"], "pair") + " with votes so far",
        )  # fmt: skip
        drawn = partial(chances, result.rows, result.facts["level"])
        show_picture("together-plan", CaptionedChart(drawn, above), result.rows)
        needed, columns = result.tables["needed"], result.table_columns["needed"]
        show_rows(needed, columns, "What settles the ranks")
    with st.expander("Look closer"):
        foot(result, REPLAYS)
        downloads("together-next", {"curve": result.rows, **result.tables})


def _offer_campaign() -> None:
    """The pairs whose votes are expected to tell most, as a campaign."""
    small(
        "Votes help most where judges are unsure or disagree. A campaign can ask about such pairs "
        "more often. Figures stay unbiased, as the chance of every pair is stored."
    )
    if st.button(f"Open a campaign: {WAYS[INFORMATIVE].label.lower()}", key="ask next"):
        st.session_state[WAY] = INFORMATIVE
        st.switch_page("pages/campaigns.py", query_params=carried())
