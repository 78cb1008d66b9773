"""Details of a leaderboard: wins, head to head, over time, by subset or attribute."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from core.findings.judgements import WILSON, Finding
from core.findings.leaderboard import (
    RankSettings,
    choose_columns,
    head_to_head,
    headline,
    hold_at_looks,
    rank_over_time,
)
from core.findings.leaderboard.chart import draw_over_time as lines
from core.findings.leaderboard.chart import matches, slopes
from core.statistics import RATINGS
from pages.components.leaderboard.boards import RatedBoard
from pages.components.leaderboard.parts import show_parts
from pages.components.leaderboard.records import show_deciding, show_records
from pages.components.shared.address import bind_choice
from pages.components.shared.cached_report import cached_report
from pages.components.shared.frame import Study
from pages.components.shared.notice import show_caption
from pages.components.shared.picture import caption, show_picture

_over_time = cached_report("Playing the votes again …")(rank_over_time)

_matches = cached_report("Counting wins against each opponent …")(head_to_head.matches)

View = Callable[[], None]


def show_closer(study: Study, boards: Sequence[RatedBoard], shown: Sequence[str]) -> None:
    """Ask for a board and a view of it, and show that view."""
    st.header("Look closer", anchor=False)
    row = st.container(horizontal=True)
    board = boards[0]
    if len(boards) > 1:
        by_name = {one.board.whose: one for one in boards}
        most = max(boards, key=lambda one: one.result.judgements).board.whose
        bound = bind_choice("of", most, list(by_name))
        whose = row.segmented_control("Of", list(by_name), required=True, **bound)
        board = by_name[str(whose)]
    seen = [name for name in board.order if name in shown]
    views = _views(study, board, seen)
    bound = bind_choice("view", next(iter(views)), list(views))
    view = row.segmented_control("View", list(views), required=True, **bound)
    views[str(view)]()


def _views(study: Study, board: RatedBoard, shown: Sequence[str]) -> dict[str, View]:
    views: dict[str, View] = {}
    if "change" in board.result.rows:
        views["Changes"] = partial(show_changes, board.result)
    views |= {
        "Wins and losses": partial(show_records, study, board, shown),
        "Head to head": partial(show_matches, study, board, shown),
        "Elo over time": partial(show_over_time, study, board, shown),
    }
    if len(board.result.tables["deciding"]) and headline.describe_deciding(board.result):
        views["Votes that decide"] = partial(show_deciding, study, board)
    selection = board.board.selection
    if not selection.subset and len(study.store.datasets.subsets(study.dataset)) > 1:
        views["Subsets"] = partial(show_parts, study, board, "subset", shown)
    if len(board.result.facts["attributes"]) > 1:
        views["Attributes"] = partial(show_parts, study, board, "attribute", shown)
    return views


def show_matches(study: Study, rated: RatedBoard, shown: Sequence[str]) -> None:
    """Show the matrix of the systems in sight, in the leaderboard's order."""
    resolve = rated.result.facts["resolve"] or "together"
    request = (rated.board.selection, replace(rated.settings, resolve=resolve))
    rows = _matches(study.store, request, study.judgements_stamp)
    rows = rows[rows["system"].isin(shown) & rows["opponent"].isin(shown)]
    show_caption(
        "How often the row beats the column, and of how many answers; a tie counts half. Blue "
        "wins more than half, orange less, at the 95% level; grey is not certain."
    )
    interval = hold_at_looks(WILSON, resolve).caption
    above = caption(rated.result, "How often each system beats each other", interval)
    drawn = partial(matches, rows, shown)
    show_picture("head-to-head", drawn, above, rows)


def show_over_time(study: Study, rated: RatedBoard, shown: Sequence[str]) -> None:
    """Show Elo of the systems in sight after each vote, or at even steps of votes."""
    request = rated.board.selection, RankSettings("elo")
    result = _over_time(study.store, request, study.judgements_stamp)
    rows = result.rows[result.rows["system"].isin(shown)]
    above = caption(result, "How Elo moved with the votes", "")
    show_picture("elo-over-time", partial(lines, rows), above, rows)
    show_caption(
        "Elo goes on learning: what it says is of the last votes. A line that still rises or falls "
        "at its end may be a system, or a judge, that changes."
    )
    show_caption(result.notes[-1])


TOLD = 12  # systems whose change is described in a sentence


def show_changes(result: Finding) -> None:
    """Show ratings without and with separability, or at equal style or length.

    The largest changes follow, one line each.
    """
    rows = result.rows.dropna(subset="change")
    rows = rows.loc[rows["change"].abs().sort_values(ascending=False).index]
    method = result.facts["method"]
    share = RATINGS[method].share
    cause = "separability" if "elo" in rows else "equal length" if share else "equal style"
    above = caption(result, f"What {cause} changes per system", result.interval)
    show_picture("changes", partial(slopes, result.rows, method=method), above, rows)
    for row in rows.head(TOLD).to_dict("records"):
        show_caption(f"{row['system']}: {row.get('why') or _describe_change(row, method, cause)}")


def _describe_change(row: dict[Any, Any], method: str, cause: str) -> str:
    names = ("rating", "uncontrolled", "change")
    rating, plain, change = (column.unit for column in choose_columns(method, *names))
    ends = change.write_range(row["change_low"], row["change_high"])
    interval = "" if pd.isna(row["change_low"]) else f" (95% interval {ends})"
    return (
        f"{plain.write(row['uncontrolled'])} as written, {rating.write(row['rating'])} at {cause}: "
        f"{change.write(row['change'])}{interval}."
    )
