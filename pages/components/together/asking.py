"""Whom or what to ask next: how many more votes settle the ranks, and on which pairs."""

from __future__ import annotations

import math
from functools import partial

import pandas as pd
import streamlit as st

from core.charts import together
from core.findings.judgements import Finding
from core.findings.together import FEWEST, PlanSettings, plan
from core.findings.together import WAYS as COLLECTED
from core.labels import figure
from core.pairing import WAYS
from core.records import FaultError, TandemError
from core.rendering.charts import Drawing
from core.store import Store
from pages.components.campaigns.choice_form import WAY
from pages.components.shared.cached_report import cached_report
from pages.components.shared.downloads import downloads
from pages.components.shared.frame import Study, carried
from pages.components.shared.notice import conclude, several, small
from pages.components.shared.picture import caption, show_picture
from pages.components.shared.report import foot
from pages.components.shared.tables import COUNT, RIGHT, SHARE, Column, show_table
from pages.components.together.choices import Chosen

INFORMATIVE = "informative"
HELP = """Simulated from the votes there are: errors are taken to shrink with more votes as they did
with these. **Settled**: all ranks are told apart, for all systems together."""
UNTOLD = f"Once {FEWEST} items have votes, you see here how many more settle the ranks."
REPLAYS = "Simulated; the range holds four of five cases."
COLUMNS = {
    "way": Column("what is collected"),
    "more": Column("more", RIGHT, "How many are expected to settle the ranks"),
    "range": Column("four of five cases", RIGHT),
    "cost": Column("cost", COUNT, "In the currency of the prices"),
    "chance": Column("chance at most", SHARE, "Of settling with the most that was looked at"),
}


def show_asking(study: Study, chosen: Chosen) -> None:
    """The answer in a sentence, a picture and a table, and the way on."""
    if not chosen.judged and not chosen.voted:
        return
    st.header("Whom or what to ask next?", anchor=False, help=HELP)
    try:
        if chosen.judged and chosen.voted:
            _show_plan(_plan(study.store, chosen, f"{study.scores_stamp}{study.draws_stamp}"))
        else:
            small(UNTOLD)
    except FaultError:
        raise
    except TandemError:  # for which reason, the first answer of the page has said
        small(UNTOLD)
    if chosen.judged:
        _offer_campaign()


@cached_report("Planning …")
def _plan(store: Store, chosen: Chosen) -> Finding:
    return plan(store, chosen.selection, PlanSettings(chosen.people))


def _show_plan(result: Finding) -> None:
    conclude(result.facts["sentences"])
    if result.facts["now"] < 1:
        above = caption(
            result, "How many more votes settle the ranks", REPLAYS,
            several(result.facts["voted"], "pair") + " with votes so far",
        )  # fmt: skip
        drawn = partial(together.plan, result.rows, result.facts["level"])
        show_picture("together-plan", Drawing(drawn, above), result.rows)
        _show_needed(result.tables["needed"])
    with st.expander("Look closer"):
        foot(result, REPLAYS)
        downloads("together-next", {"curve": result.rows, **result.tables})


def _show_needed(needed: pd.DataFrame) -> None:
    shown = needed.assign(
        way=needed["way"].map(COLLECTED),
        more=needed["more"].map(_number),
        range=[
            "–" if math.isinf(low) else f"{low:,.0f} to {_number(high)}"
            for low, high in needed[["low", "high"]].to_numpy(float)
        ],
    )
    there = {
        name: column
        for name, column in COLUMNS.items()
        if name != "cost" or needed["cost"].map(math.isfinite).any()
    }
    show_table(shown, there, "What settles the ranks")


def _number(value: float) -> str:
    return "not reached" if math.isinf(value) else figure(value, COUNT)


def _offer_campaign() -> None:
    """The pairs whose votes are expected to tell most, as a campaign."""
    small(
        "Votes help most where judges are unsure or disagree. A campaign can ask about such pairs "
        "more often. Figures stay unbiased, as the chance of every pair is stored."
    )
    if st.button(f"Open a campaign: {WAYS[INFORMATIVE].label.lower()}", key="ask next"):
        st.session_state[WAY] = INFORMATIVE
        st.switch_page("pages/campaigns.py", query_params=carried())
