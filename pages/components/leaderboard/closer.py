"""What lies behind a leaderboard, one view at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import streamlit as st

from core.findings.leaderboard import LEAD_METHODS, headline
from pages.components.leaderboard.boards import Rated
from pages.components.leaderboard.deciding import show_deciding
from pages.components.leaderboard.head_to_head import show_matches
from pages.components.leaderboard.lead import show_lead
from pages.components.leaderboard.over_time import show_over_time
from pages.components.leaderboard.parts import show_parts
from pages.components.leaderboard.records import show_records
from pages.components.leaderboard.table import show_changes
from pages.components.shared.frame import Study

View = Callable[[], None]


def show_closer(study: Study, boards: Sequence[Rated], shown: Sequence[str]) -> None:
    """A choice of views, and the one that is chosen, of people's board or of judges'."""
    st.header("Look closer", anchor=False)
    row = st.container(horizontal=True)
    board = boards[0]
    if len(boards) > 1:
        by_name = {one.board.whose: one for one in boards}
        most = max(boards, key=lambda one: one.result.judgements).board.whose
        whose = row.segmented_control("Of", list(by_name), default=most, required=True)
        board = by_name[str(whose)]
    seen = [name for name in board.order if name in shown]
    views = _views(study, board, seen)
    view = row.segmented_control("View", list(views), default=next(iter(views)), required=True)
    views[str(view)]()


def _views(study: Study, board: Rated, shown: Sequence[str]) -> dict[str, View]:
    """What there is to see of this board."""
    views: dict[str, View] = {}
    if "change" in board.result.rows:
        views["Changes"] = partial(show_changes, board.result)
    views |= {
        "Wins and losses": partial(show_records, study, board, shown),
        "Head to head": partial(show_matches, study, board, shown),
        "Elo over time": partial(show_over_time, study, board, shown),
    }
    if board.settings.method in LEAD_METHODS:
        views["Lead over time"] = partial(show_lead, study, board)
    if len(board.result.tables["deciding"]) and headline.enough(board.result):
        views["Votes that decide"] = partial(show_deciding, study, board)
    selection = board.board.selection
    if not selection.subset and len(study.store.datasets.subsets(study.dataset)) > 1:
        views["Subsets"] = partial(show_parts, study, board, "subset", shown)
    if len(board.result.facts["attributes"]) > 1:
        views["Attributes"] = partial(show_parts, study, board, "attribute", shown)
    return views
