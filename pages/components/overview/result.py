"""Who leads, as far as anybody can say: a sentence and a small picture."""

from __future__ import annotations

from functools import partial

from core.findings.judgements import Finding, comparers
from core.findings.leaderboard import headline
from core.findings.leaderboard.chart import ratings
from core.rendering.charts import CaptionedChart
from pages.components.leaderboard.choices import choose_usual_board
from pages.components.leaderboard.table import compute
from pages.components.shared.faults import told
from pages.components.shared.frame import Study, link_to
from pages.components.shared.notice import lead, small
from pages.components.shared.picture import caption, show_picture

MOST = 8  # systems in the picture


def rate_systems(study: Study) -> Finding | None:
    """The leaderboard that a reader sees first; None where nobody has compared, or while it is
    counted.
    """
    judges = comparers(study.store, study.dataset)
    judges = judges[~judges["by_name"]]
    if judges.empty:
        return None
    board = choose_usual_board(study, judges)
    with told():
        return compute(study, board.selection, board.settings, otherwise="") or None
    return None


def show_result(result: Finding | None, otherwise: str) -> None:
    """Who leads; what the data set holds where nobody has compared yet."""
    lead(headline.headline(result) if result else otherwise)


def draw_result(result: Finding) -> None:
    """The first systems as a picture, and the way to the rest."""
    rows = result.rows.dropna(subset="rating").head(MOST)
    above = caption(result, "How good each system is", result.interval)
    drawn = partial(ratings, rows, result.facts["method"])
    show_picture("overview", CaptionedChart(drawn, above), rows)
    more = len(result.rows) - len(rows)
    if more > 0:
        small(f"The first {MOST} of {len(result.rows)} systems.")
    link_to("leaderboard", "See the leaderboard")
