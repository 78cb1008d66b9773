"""Details of a leaderboard: changes, wins and losses, head to head, over time, by part."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.findings.judgements import WILSON, Finding, Selection
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
from core.findings.leaderboard.chart import RECORD, matches, records, side_by_side, slopes
from core.findings.leaderboard.chart import draw_over_time as lines
from core.labels import pluralize
from core.rendering import Column
from core.statistics import RATINGS
from pages.components.leaderboard.boards import RatedBoard
from pages.components.shared.address import bind_choice, choose_view, set_choices
from pages.components.shared.cached_report import cached_report
from pages.components.shared.downloads import downloads
from pages.components.shared.filters import WIDE
from pages.components.shared.frame import Study
from pages.components.shared.notice import show_caption, show_faults, show_headline
from pages.components.shared.picture import caption, show_picture
from pages.components.shared.report import foot
from pages.components.shared.tables import LOW, choose_line, choose_row, show_across
from pages.components.shared.texts import show_pair_answers, show_stored_pair

_of_system = cached_report("Looking for comparisons …")(head_to_head.comparisons)
_records = cached_report("Counting wins and losses …")(head_to_head.records)

SYSTEM, AGAINST, OUTCOME = "system", "opponent", "outcome"
"""Choices in the address: whose comparisons are read, against whom, and with which outcome."""
ROWS = 240  # pixels of the list of comparisons
MOST = 1000  # comparisons that are listed


def show_records(study: Study, rated: RatedBoard, shown: Sequence[str]) -> None:
    """Show a bar of wins, ties and losses for each system in sight.

    For a chosen system, show a bar for each opponent and the comparisons behind it. A click on a
    bar chooses its system.
    """
    rows = _records(study.store, rated.board.selection, study.judgements_stamp)
    together = head_to_head.sum_by_system(rows).set_index("system")
    together = together.reindex([name for name in shown if name in together.index]).reset_index()
    above = caption(rated.result, "Wins, ties and losses of each system", "")
    drawn = partial(records, together, of="system")
    clicked = show_picture("records", drawn, above, together, brushed="bar")
    _follow(clicked, "system", SYSTEM, rated.order)
    show_caption("Click a bar to read its comparisons.")
    choice = st.container(horizontal=True)
    system = choice.selectbox(
        "Read the comparisons of", ["", *rated.order], width=2 * WIDE,
        format_func=lambda name: name or "choose a system",
        **bind_choice(SYSTEM, "", rated.order),
    )  # fmt: skip
    if system:
        _show_record(study, rated, rows[rows["system"] == system], shown, choice)


def _show_record(
    study: Study, rated: RatedBoard, against: pd.DataFrame, shown: Sequence[str],
    choice: DeltaGenerator,
) -> None:  # fmt: skip
    against = against.sort_values("judgements", ascending=False)
    system, opponents = str(against["system"].iloc[0]), list(against["opponent"])
    opponent = choice.selectbox(
        "Against", ["", *opponents], width=2 * WIDE,
        format_func=lambda name: name or "all opponents", **bind_choice(AGAINST, "", opponents),
    )  # fmt: skip
    outcomes = list(RECORD.values())
    outcome = choice.selectbox(
        "Outcome", ["", *outcomes], width=WIDE,
        format_func=lambda name: name or "any outcome", **bind_choice(OUTCOME, "", outcomes),
    )  # fmt: skip
    near = against[against["opponent"].isin(shown)]
    if not opponent and len(near) > 1:
        number = pluralize(int(against["judgements"].sum()), "judgement")
        title = f"Wins, ties and losses of {system}"
        above = caption(rated.result, title, "", number)
        clicked = show_picture("record", partial(records, near), above, near, brushed="bar")
        _follow(clicked, "opponent", AGAINST, opponents)
    _comparisons(study, (rated.board.selection, system, opponent), outcome)


def _follow(clicked: dict[str, Any], of: str, box: str, names: Sequence[str]) -> None:
    """Choose the matchup of a clicked bar in the boxes, which are then redrawn."""
    before = f"clicked {of}"
    if clicked == st.session_state.get(before, {}):
        return
    st.session_state[before] = clicked
    if clicked.get(of) in names:
        set_choices({AGAINST: "", box: clicked[of], OUTCOME: clicked.get("kind", "")})
        st.rerun()


def _comparisons(study: Study, request: tuple[Selection, str, str], outcome: str) -> None:
    _, system, opponent = request
    rows = _of_system(study.store, request, study.judgements_stamp)
    counted = {word: name for name, word in RECORD.items()}
    if outcome:
        rows = rows[rows[counted[outcome]] > 0]
    if rows.empty:
        show_caption(f"None of these comparisons has the outcome “{outcome}”. Choose another.")
        return
    listed = rows.head(MOST)
    first = f" The first {MOST:,} are listed." if len(rows) > MOST else ""
    show_caption(
        f"{pluralize(len(rows), 'pair')} of texts were judged.{first} Choose a row to read them."
    )
    several_attributes = rows["attribute"].nunique() > 1
    table = pd.DataFrame(
        {
            "item": listed["item"],
            **({"attribute": listed["attribute"]} if several_attributes else {}),
            "opponent": listed["opponent"],
            system: [
                ", ".join(f"{RECORD[name]}: {count:,}" for name, count in counts.items() if count)
                for counts in listed[list(RECORD)].to_dict("records")
            ],
            "answers": listed["judgements"],
            "by": listed["judges"].map(", ".join),
        }
    )
    key = f"comparisons {system} {opponent} {outcome}"
    height = ROWS if len(table) > 5 else "content"
    _show_comparison(study, system, listed.iloc[choose_line(table, key, height=height) or 0])


def _show_comparison(study: Study, system: str, row: pd.Series) -> None:
    systems, candidates = (system, str(row["opponent"])), (row["generation"], row["other"])
    show_caption(f"Item {row['item']}, {row['attribute']}: {system} and {row['opponent']}")
    show_stored_pair(study, candidates, systems, row["attribute"])
    if not show_pair_answers(study, row["attribute"], candidates, systems, row["judges"]):
        show_caption("What is preferred comes from the scores these judges gave each text.")


def show_deciding(study: Study, rated: RatedBoard) -> None:
    """Show the number of deciding votes, a list of them, and the chosen one with its texts."""
    result = rated.result
    votes = result.tables["deciding"].head(MOST)
    show_headline(headline.describe_deciding(result))
    show_caption(
        "At most so many decide: the ratings were fitted again without these. Choose a row to "
        "read it."
    )
    declared = result.table_columns["deciding"]
    place = choose_row(votes, declared, f"deciding {rated.board.whose}", tallest=LOW)
    row = votes.rename(columns={"generation_a": "generation", "generation_b": "other"}).iloc[place]
    row = pd.concat([row, pd.Series({"opponent": row["system_b"], "judges": (row["judge"],)})])
    _show_comparison(study, str(row["system_a"]), row)


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
        board = by_name[choose_view("of", "Of", by_name, most, row)]
    seen = [name for name in board.order if name in shown]
    views = _views(study, board, seen)
    views[choose_view("view", "View", views, row=row)]()


def _views(study: Study, board: RatedBoard, shown: Sequence[str]) -> dict[str, View]:
    views: dict[str, View] = {}
    if "change" in board.result.rows:
        views["Changes"] = partial(_show_changes, board.result)
    views |= {
        "Wins and losses": partial(show_records, study, board, shown),
        "Head to head": partial(_show_matches, study, board, shown),
        "Elo over time": partial(_show_over_time, study, board, shown),
    }
    if len(board.result.tables["deciding"]) and headline.describe_deciding(board.result):
        views["Votes that decide"] = partial(show_deciding, study, board)
    selection = board.board.selection
    if not selection.subset and len(study.store.datasets.subsets(study.dataset)) > 1:
        views["Subsets"] = partial(_show_parts, study, board, "subset", shown)
    if len(board.result.facts["attributes"]) > 1:
        views["Attributes"] = partial(_show_parts, study, board, "attribute", shown)
    return views


def _show_matches(study: Study, rated: RatedBoard, shown: Sequence[str]) -> None:
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


def _show_over_time(study: Study, rated: RatedBoard, shown: Sequence[str]) -> None:
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


def _show_changes(result: Finding) -> None:
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

ALL = "all together"


def _show_parts(study: Study, rated: RatedBoard, by: str, shown: Sequence[str]) -> None:
    settings = rated.settings
    stamp = study.draws_stamp if settings.reweight else study.judgements_stamp
    selection, result = rated.board.selection, None
    with show_faults():
        result = _parts(study.store, (selection, settings, by), stamp)
    if result is None:
        return
    show_headline(describe_breakdown(result))
    rows = _order_rows(result.rows, shown)
    above = caption(result, f"How good each system is, by {by}", result.interval)
    method = result.facts["method"]
    show_picture(f"by-{by}", partial(side_by_side, rows, method, by), above, rows)
    with st.expander("As a table"):
        counts = result.tables["parts"].set_index(by)["judgements"]
        parts = rows.assign(attribute=[f"{name} (n = {counts[name]:,})" for name in rows[by]])
        _show_across(parts, declare_rating(method), f"Ratings by {by}")
    if by == "attribute":
        with show_faults():
            _show_ranks(_on_each(study.store, (selection, settings), stamp), shown)
    foot(result, result.interval, name=f"by-{by}-all", tables={f"by-{by}": result.rows})


def _order_rows(rows: pd.DataFrame, shown: Sequence[str]) -> pd.DataFrame:
    kept = rows[rows["system"].isin(shown)]
    return kept.sort_values("system", key=lambda names: names.map(shown.index), kind="stable")


def _show_ranks(result: Finding, shown: Sequence[str]) -> None:
    rows = result.rows.assign(attribute=result.rows["attribute"].fillna(ALL))
    [ranks] = [column for column in result.columns if column.name == "rank"]
    rows = rows.assign(ranks=[ranks.write_range(row) for row in rows.to_dict("records")])
    with st.expander("Ranks on all attributes at once"):
        show_caption(
            "Ranks compare two systems at a time: among many, some are told apart by chance."
            if result.facts["resolve"] == "pairwise"
            else "With 95% confidence all of these hold at once, on every attribute."
        )
        _show_across(_order_rows(rows, shown), Column("ranks", "ranks"), "Ranks by attribute")
        downloads("ranks-by-attribute", {"ranks-by-attribute": rows.drop(columns="ranks")})


def _show_across(rows: pd.DataFrame, figure: Column, label: str) -> None:
    show_across(rows, [Column("system", "system")], figure, label)
