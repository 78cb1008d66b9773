"""Head to head: how often each system beats each other one, as a matrix."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import pandas as pd

from core.findings.judgements import Selection
from core.findings.leaderboard import RankSettings, head_to_head
from core.findings.leaderboard.chart import matches
from core.labels import INTERVALS
from core.rendering.charts import CaptionedChart
from core.store import Store
from pages.components.leaderboard.boards import Rated
from pages.components.shared.cached_report import cached_report
from pages.components.shared.frame import Study
from pages.components.shared.notice import small
from pages.components.shared.picture import caption, show_picture


def show_matches(study: Study, rated: Rated, shown: Sequence[str]) -> None:
    """The matrix of the systems in sight, in the leaderboard's order."""
    request = (rated.board.selection, rated.settings)
    rows = _matches(study.store, request, study.judgements_stamp)
    rows = rows[rows["system"].isin(shown) & rows["opponent"].isin(shown)]
    small(
        "How often the row beats the column, and of how many answers; a tie counts half. Blue "
        "wins more than half, orange less, at the 95% level; grey is not certain."
    )
    above = caption(rated.result, "How often each system beats each other", INTERVALS["share"])
    drawn = partial(matches, rows, shown)
    show_picture("head-to-head", CaptionedChart(drawn, above), rows)


@cached_report("Counting wins against each opponent …")
def _matches(store: Store, request: tuple[Selection, RankSettings]) -> pd.DataFrame:
    return head_to_head.matches(store, *request)
