"""How far the leader was ahead of the second after so many votes."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from core.findings.judgements import Finding, Selection
from core.findings.leaderboard import RankSettings, lead_over_time
from core.findings.leaderboard.chart import lead_over_time as band
from core.rendering.charts import CaptionedChart
from core.store import Store
from pages.components.leaderboard.boards import Rated
from pages.components.shared.cached_report import cached_report
from pages.components.shared.faults import told
from pages.components.shared.frame import Study
from pages.components.shared.notice import lead, small
from pages.components.shared.picture import caption, show_picture


def show_lead(study: Study, rated: Rated) -> None:
    """The lead in a sentence, and its picture with a band that holds at every look."""
    settings, result = replace(rated.settings, resolve=""), None
    stamp = study.draws_stamp if settings.reweight else study.judgements_stamp
    with told():
        result = _follow(study.store, (rated.board.selection, settings), stamp)
    if result is None:
        return
    lead(result.facts["sentence"])
    above = caption(result, "How far the leader is ahead of the second", result.interval)
    show_picture("lead-over-time", CaptionedChart(partial(band, result.rows, result.facts), above),
                 result.rows)  # fmt: skip
    small(
        "Below the line the second was ahead. The band holds at all looks together, so you may "
        "stop as soon as it is clear of the line."
    )
    small(result.notes[-1])


@cached_report("Following the lead …")
def _follow(store: Store, request: tuple[Selection, RankSettings]) -> Finding:
    return lead_over_time(store, *request)
