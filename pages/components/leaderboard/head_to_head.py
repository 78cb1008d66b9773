"""Head to head: a matrix to click, the record of the system that was clicked, and the texts behind
a cell.
"""

from __future__ import annotations

from functools import partial

import pandas as pd
import streamlit as st

from core.analysis.judgements import Selection
from core.analysis.ranking import RankSettings, head_to_head
from core.charts import Caption, Drawing, records
from core.charts import theme as charts
from core.store import Store
from pages.components.shared.cached_report import cached_report
from pages.components.shared.frame import Study
from pages.components.shared.notice import several, small
from pages.components.shared.picture import show_picture
from pages.components.shared.style import theme
from pages.components.shared.texts import show_texts

WIDEST = 30  # systems of a matrix


def show_matches(
    study: Study, selection: Selection, settings: RankSettings, order: list[str], signature: str
) -> None:
    """The matrix in the leaderboard's order and, of the cell that is clicked, the row's record and
    the texts. `signature` is the leaderboard's.
    """
    rows = _matches(study.store, (selection, settings), study.judgements_stamp)
    st.header("Head to head", anchor=False)
    shown = order[:WIDEST]
    more = f" The top {WIDEST} of {len(order)} systems." if len(order) > WIDEST else ""
    small(
        "How often the row beats the column; a tie counts half. Click a cell to read its "
        f"answers.{more}"
    )
    cell = _matrix(rows, shown)
    if cell is None:
        return
    system, opponent = cell
    against = rows[rows["system"] == system]
    against = against.sort_values("share", ascending=False)
    number = several(int(against["judgements"].sum()), "judgement")
    above = Caption(f"{system} against each opponent", number, signature=signature)
    show_picture("head-to-head", Drawing(partial(records, against), above), against)
    if system != opponent:
        _texts(study, selection, system, opponent)


@cached_report("Counting wins against each opponent …")
def _matches(store: Store, request: tuple[Selection, RankSettings]) -> pd.DataFrame:
    return head_to_head.matches(store, *request)


def _matrix(rows: pd.DataFrame, order: list[str]) -> tuple[str, str] | None:
    """The cell that is clicked, as (row, column)."""
    share = rows.pivot_table(index="system", columns="opponent", values="share").reindex(
        index=order, columns=order
    )
    look = theme()
    colours = share.map(
        lambda value: "" if pd.isna(value) else f"background-color: {charts.tint(value, look)}"
    )
    # An empty number would be shown as "None".
    words = share.map(lambda value: "" if pd.isna(value) else f"{value:.0%}")
    styled = words.style.apply(lambda _: colours, axis=None)
    columns = {name: st.column_config.TextColumn(width=90, alignment="right") for name in order}
    event = st.dataframe(
        styled,
        column_config=columns,
        on_select="rerun",
        selection_mode="single-cell",
        key="matrix",
        height="content",
    )
    cells = event["selection"]["cells"]
    if not cells:
        return None
    row, opponent = cells[0]
    return order[row], opponent if opponent in order else order[row]


def _texts(study: Study, selection: Selection, system: str, opponent: str) -> None:
    answers = head_to_head.behind(study.store, selection, system, opponent)
    if answers.empty:
        small(f"These judges have not compared {system} with {opponent}.")
        return
    number, there = len(answers), int(answers["all"].iloc[0])
    title, step = st.columns([4, 1], vertical_alignment="bottom")
    at = step.number_input("Answer", 1, number, key=f"answer-{system}-{opponent}") - 1
    row = answers.iloc[at]
    sample = f", a sample of all {there:,}" if there > number else ""
    said = (f"Item {row['item']}", row["attribute"], f"{row['judge']}: {_said(row)}")
    with title:
        small(f"Answer {at + 1} of {number}{sample}")
        small(" · ".join(filter(None, (*said, row["comment"]))))
    forward = row["system_a"] == system
    mine, theirs = ("a", "b") if forward else ("b", "a")
    titles = (
        f"{system}{' (shown first)' if forward else ''}",
        f"{opponent}{'' if forward else ' (shown first)'}",
    )
    show_texts(
        row["context"],
        study.context_noun,
        (row[f"text_{mine}"], row[f"text_{theirs}"]),
        titles=titles,
        folded=True,
    )


def _said(row: pd.Series) -> str:
    """The answer in words, with its probability where there is one."""
    better = {
        "a": f"{row['system_a']} is better",
        "b": f"{row['system_b']} is better",
        "tie": "tie",
        "both_bad": "both bad",
    }
    sure = "" if pd.isna(row["prob_a"]) else f" (P(first) = {row['prob_a']:.2f})"
    return better[row["outcome"]] + sure
