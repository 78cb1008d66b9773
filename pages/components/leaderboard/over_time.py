"""How Elo ratings moved with the votes, a line for each system."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from core.findings.judgements import Finding, Selection
from core.findings.leaderboard import RankSettings, over_time
from core.findings.leaderboard.chart import over_time as lines
from core.rendering.charts import CaptionedChart
from core.store import Store
from pages.components.leaderboard.boards import Rated
from pages.components.shared.cached_report import cached_report
from pages.components.shared.frame import Study
from pages.components.shared.notice import small
from pages.components.shared.picture import caption, show_picture


def show_over_time(study: Study, rated: Rated, shown: Sequence[str]) -> None:
    """Elo of the systems in sight after each vote, or at even steps of them."""
    result = _over_time(study.store, rated.board.selection, study.judgements_stamp)
    rows = result.rows[result.rows["system"].isin(shown)]
    above = caption(result, "How Elo moved with the votes", "")
    show_picture("elo-over-time", CaptionedChart(partial(lines, rows), above), rows)
    small(
        "Elo goes on learning: what it says is of the last votes. A line that still rises or falls "
        "at its end may be a system, or a judge, that changes."
    )
    small(result.notes[-1])


@cached_report("Playing the votes again …")
def _over_time(store: Store, selection: Selection) -> Finding:
    return over_time(store, selection, RankSettings("elo"))
