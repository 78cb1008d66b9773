"""Who beat whom: a matrix to click, the record of the system that was clicked, and the texts behind
a cell.
"""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import streamlit as st

from core.analysis.judgements import Selection
from core.analysis.ranking import RankSettings, head_to_head
from core.charts import records
from core.charts import theme as charts
from core.store import Store
from pages.components.shared.frame import Study
from pages.components.shared.notice import small
from pages.components.shared.style import theme
from pages.components.shared.texts import show_texts

WIDEST = 30  # systems of a matrix


def show_matches(
    study: Study, selection: Selection, settings: RankSettings, order: list[str]
) -> None:
    """The matrix in the leaderboard's order and, of the cell that is clicked, the row's record and
    the texts.
    """
    rows = _matches(
        study.store.path, study.store.judgement_frames.stamp(selection.dataset), selection, settings
    )
    st.subheader("Who beat whom", anchor=False)
    shown = order[:WIDEST]
    more = f" The first {WIDEST} of {len(order)} systems." if len(order) > WIDEST else ""
    small(
        "Points of the row against the column, a tie half a point. Click a cell for the "
        f"answers behind it.{more}"
    )
    cell = _matrix(rows, shown)
    if cell is None:
        return
    system, opponent = cell
    against = rows[rows["system"] == system]
    small(f"{system} against each opponent:")
    st.altair_chart(records(against, theme=theme()), width="stretch", theme=None)
    if system != opponent:
        _texts(study, selection, system, opponent)


@st.cache_data(max_entries=32, show_spinner="Counting who beat whom …")
def _matches(path: Path, stamp: str, selection: Selection, settings: RankSettings) -> pd.DataFrame:
    with Store(path) as store:
        return head_to_head.matches(store, selection, settings)


def _matrix(rows: pd.DataFrame, order: list[str]) -> tuple[str, str] | None:
    """The cell that is clicked, as (row, column)."""
    share = rows.pivot_table(index="system", columns="opponent", values="share").reindex(
        index=order, columns=order
    )
    look = theme()
    colours = share.map(
        lambda one: "" if pd.isna(one) else f"background-color: {charts.tint(one, look)}"
    )
    words = share.map(
        lambda one: "" if pd.isna(one) else f"{one:.0%}"
    )  # an empty number would be shown as "None"
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
    place, opponent = cells[0]
    return order[place], opponent if opponent in order else order[place]


def _texts(study: Study, selection: Selection, system: str, opponent: str) -> None:
    found = head_to_head.behind(study.store, selection, system, opponent)
    if found.empty:
        small(f"{system} and {opponent} were never compared by these judges.")
        return
    number, there = len(found), int(found["all"].iloc[0])
    title, step = st.columns([4, 1], vertical_alignment="bottom")
    at = (
        step.number_input(
            "Answer", 1, number, key=f"answer-{system}-{opponent}", help=f"One of {number}."
        )
        - 1
    )
    row = found.iloc[at]
    with title:
        small(
            f"Answer {at + 1} of "
            f"{number}{f', spread over all {there:,}' if there > number else ''}."
        )
        small(
            " · ".join(
                filter(
                    None,
                    (
                        f"item {row['item']}",
                        row["attribute"],
                        f"{row['judge']}: {_said(row)}",
                        row["comment"],
                    ),
                )
            )
        )
    forward = row["system_a"] == system
    mine, theirs = ("a", "b") if forward else ("b", "a")
    titles = (
        f"{system}{' (shown first)' if forward else ''}",
        f"{opponent}{'' if forward else ' (shown first)'}",
    )
    noun = str(
        study.store.datasets.summary().set_index("dataset").loc[study.dataset, "context_noun"]
    )
    show_texts(
        row["context"],
        noun,
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
    sure = "" if pd.isna(row["prob_a"]) else f" (P of the first {row['prob_a']:.2f})"
    return better[row["outcome"]] + sure
