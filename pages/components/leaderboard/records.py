"""Wins, ties and losses as bars, and deciding votes: both lead to comparisons and their texts."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.findings.judgements import Selection
from core.findings.leaderboard import head_to_head, headline
from core.findings.leaderboard.chart import RECORD, records
from core.labels import pluralize
from pages.components.leaderboard.boards import RatedBoard
from pages.components.shared.address import bind_choice, set_choices
from pages.components.shared.cached_report import cached_report
from pages.components.shared.filters import WIDE
from pages.components.shared.frame import Study
from pages.components.shared.notice import show_caption, show_headline
from pages.components.shared.picture import caption, show_picture
from pages.components.shared.tables import LOW, choose_line, choose_row
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
