"""Details of a leaderboard: changes, head to head, over time, by subset or attribute."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from core import rendering
from core.findings.judgements import WILSON, Finding
from core.findings.leaderboard import (
    RankSettings,
    breakdown,
    choose_columns,
    declare_rating,
    describe_breakdown,
    head_to_head,
    headline,
    hold_at_looks,
    rank_by_attribute,
    rank_over_time,
)
from core.findings.leaderboard.chart import draw_over_time as lines
from core.findings.leaderboard.chart import matches, side_by_side, slopes
from core.statistics import RATINGS
from pages.components.leaderboard.boards import RatedBoard
from pages.components.leaderboard.records import show_deciding, show_records
from pages.components.shared.address import bind_choice
from pages.components.shared.cached_report import cached_report
from pages.components.shared.downloads import downloads
from pages.components.shared.faults import show_faults
from pages.components.shared.frame import Study
from pages.components.shared.notice import show_caption, show_headline
from pages.components.shared.picture import caption, show_picture
from pages.components.shared.report import foot
from pages.components.shared.tables import show_written

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


_on_each = cached_report("Ranking the systems on all attributes at once …")(rank_by_attribute)
_parts = cached_report("Rating the systems of each part …")(breakdown)

HELP = "Rating (95% interval), n answers. The best of each column has a mark (▲)."
ALL = "all together"


def show_parts(study: Study, rated: RatedBoard, by: str, shown: Sequence[str]) -> None:
    """Show a sentence, the boards of subsets or attributes side by side, and their figures."""
    settings = rated.settings
    stamp = study.draws_stamp if settings.reweight else study.judgements_stamp
    selection, result = rated.board.selection, None
    with show_faults():
        result = _parts(study.store, (selection, settings, by), stamp)
    if result is None:
        return
    show_headline(describe_breakdown(result))
    rows = result.rows[result.rows["system"].isin(shown)]
    rows = rows.sort_values("system", key=lambda names: names.map(shown.index), kind="stable")
    above = caption(result, f"How good each system is, by {by}", result.interval)
    method = result.facts["method"]
    show_picture(f"by-{by}", partial(side_by_side, rows, method, by), above, rows)
    with st.expander("As a table"):
        show_written(_table(result, by, shown), f"Ratings by {by}", HELP)
    if by == "attribute":
        with show_faults():
            every = _on_each(study.store, (selection, settings), stamp)
            _show_ranks(every, list(dict.fromkeys(result.rows["attribute"])), shown)
    foot(result, result.interval, name=f"by-{by}-all", tables={f"by-{by}": result.rows})


def _show_ranks(result: Finding, attributes: Sequence[str], shown: Sequence[str]) -> None:
    pairwise = result.facts["resolve"] == "pairwise"
    rows = result.rows.assign(attribute=result.rows["attribute"].fillna(ALL))
    [ranks] = [column for column in result.columns if column.name == "rank"]
    rows = rows.assign(ranks=[ranks.write_range(row) for row in rows.to_dict("records")])
    with st.expander("Ranks on all attributes at once"):
        show_caption(
            "Ranks compare two systems at a time: among many, some are told apart by chance."
            if pairwise
            else "With 95% confidence all of these hold at once, on every attribute."
        )
        table = _lay_across(rows, "attribute", "ranks", [ALL, *attributes], shown)
        show_written(table, "Ranks by attribute")
        downloads("ranks-by-attribute", {"ranks-by-attribute": rows.drop(columns="ranks")})


def _table(result: Finding, by: str, shown: Sequence[str]) -> pd.DataFrame:
    rating = declare_rating(result.facts["method"])
    rows = result.rows.dropna(subset="rating")
    cells = rows.assign(
        cell=[
            f"{'▲ ' if row['rank'] == 1 else ''}{rating.write_with_range(row)}, "
            f"n = {rendering.COUNT.write(row['judgements'])}"
            for row in rows.to_dict("records")
        ]
    )
    columns = list(dict.fromkeys(result.rows[by]))
    counts = result.tables["parts"].set_index(by)["judgements"]
    titles = {name: f"{name} (n = {counts[name]:,})" for name in columns}
    return _lay_across(cells, by, "cell", columns, shown).rename(columns=titles)


def _lay_across(
    rows: pd.DataFrame, by: str, cells: str, columns: Sequence[str], shown: Sequence[str]
) -> pd.DataFrame:
    """Return a row for each system in sight, with its cell in each of the columns."""
    wide = rows.pivot(index="system", columns=by, values=cells)
    names = [name for name in shown if name in wide.index]
    return wide.reindex(index=names, columns=columns).fillna("–").reset_index()
