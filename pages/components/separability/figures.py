"""The figures of the separability page: its sentence, its charts, and the list of items."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from core.charts import MOST_PAIRS, SCENARIOS
from core.charts import separability as charts
from core.findings.separability import Separability, separability, wanted
from core.rendering.charts import Caption, Drawing
from core.runs import outlook
from core.statistics import scenario
from core.store import Store
from pages.components.separability.choices import Choice
from pages.components.shared.cached_report import cached_report
from pages.components.shared.frame import Study
from pages.components.shared.notice import several, small
from pages.components.shared.picture import show_picture
from pages.components.shared.report import signature

SEPARABILITY = """How much more alike a system's own texts on an item are than its texts and the
other system's (Ghosh et al. 2024, eq. 3). Near 0 the two systems cannot be told apart on this
item, and a preference between them means little."""
SCENARIOS_HELP = """Four scenarios (Ghosh et al. 2024, figure 2). **1**: each system writes much the
same text each time, and not the other's. **2**: both write something else each time. **3**: one
system writes much the same text each time. **4**: all texts are alike. In 1 and 3 the systems can
be told apart; in 2 and 4 they cannot. Much more alike means by 0.2 or more. In 2 the cross
alignment is below 0.5."""
WIDE = 120  # pixels of a column of names
FIGURES = ("low", "high", "self_a", "self_b", "cross")
Range = dict[str, Any]


def compute(study: Study, choice: Choice) -> Separability:
    """Separability with `pair`, `tighter` (the greater self alignment) and `scenario`, computed
    anew only when something has been measured.
    """
    measured = outlook(study.store, wanted(choice.selection, choice.settings))
    stamp = f"{study.texts_stamp}-{measured}"
    return _separability(study.store, choice, stamp)


@cached_report("Computing separability …")
def _separability(store: Store, choice: Choice) -> Separability:
    result = separability(store, choice.selection, choice.settings)
    rows = result.rows
    alignments = [rows[name].to_numpy(float) for name in ("self_a", "self_b", "cross")]
    rows = rows.assign(
        pair=rows["system_a"] + " / " + rows["system_b"],
        tighter=rows[["self_a", "self_b"]].max(axis=1),
        scenario=scenario(*alignments),
    )
    means = rows.groupby("pair")["separability"].transform("mean")
    order = (
        rows.assign(mean=means).sort_values(["mean", "pair", "separability"], ascending=False).index
    )
    return replace(result, rows=rows.loc[order].reset_index(drop=True))


def choose_item(result: Separability) -> pd.Series | None:
    """A picture of the items beside the list of those in the range brushed in it; the item chosen,
    else the first.
    """
    st.header("Which items tell systems apart", anchor=False, help=SEPARABILITY)
    pictures = {"How separable items are": _histograms, "Why": _scatter}
    shown = st.segmented_control(
        "Picture", list(pictures), default=next(iter(pictures)), label_visibility="collapsed",
        help=SCENARIOS_HELP,
    )  # fmt: skip
    left, right = st.columns([3, 2], gap="medium")
    with left:
        brushed = pictures[shown or next(iter(pictures))](result)
    with right:
        return _chosen(result, brushed)


def _histograms(result: Separability) -> Range:
    """Where the items lie, pair by pair; what was brushed."""
    items = result.rows.assign(scenario=result.rows["scenario"].map(SCENARIOS)).drop(
        columns=["pair", "tighter"]
    )
    above = Caption("How far items tell two systems apart", _cases(result), "", result.signature)
    drawing = Drawing(partial(charts.histograms, result.rows), above)
    brushed = show_picture("separability", drawing, items, brushed="brush")
    pairs = result.rows["pair"].nunique()
    more = (
        f" These are the {MOST_PAIRS} easiest of {pairs} pairs; choose others above."
        if pairs > MOST_PAIRS
        else ""
    )
    grey = " Grey: all pairs together." if pairs > 1 else ""
    small(f"Shares of items.{grey} Drag over a range to list only its items.{more}")
    return brushed


def _cases(result: Separability) -> str:
    """How many items there are, or cases, each an item and two systems."""
    rows = result.rows.dropna(subset="separability")
    if rows["pair"].nunique() < 2:
        return several(len(rows), "item")
    return f"{several(len(rows), 'case')}, each an item and two systems"


def _scatter(result: Separability) -> Range:
    """Self against cross alignment, with the scenarios counted; what was brushed."""
    above = Caption("Why items tell systems apart, or not", _cases(result), "", result.signature)
    drawing = Drawing(partial(charts.scatter, result.rows), above)
    brushed = show_picture("alignments", drawing, result.rows, brushed="area")
    counts = result.rows["scenario"].value_counts()
    numbers = "; ".join(f"{name}: {counts.get(number, 0):,}" for number, name in SCENARIOS.items())
    small(
        f"Dashed lines: a separability of 0, 0.2 and 0.4. Number of items by scenario: {numbers}."
    )
    return brushed


def _chosen(result: Separability, brushed: Range) -> pd.Series | None:
    """The list: items in the range that was brushed or set, most separable first or last."""
    rows = result.rows.dropna(subset="separability")
    if rows.empty:
        return None
    names = ("most separable first", "least separable first")
    first = st.segmented_control("Sort by", names, default=names[0]) or names[0]
    for column, (start, end) in [*brushed.items(), *_limits(rows["separability"]).items()]:
        rows = rows[rows[column].between(start, end)]
    rows = rows.sort_values("separability", ascending=first == names[1], kind="stable").reset_index(
        drop=True
    )
    if rows.empty:
        small("No items in this range. Double-click the picture to clear its range.")
        return None
    pairs = result.rows["pair"].nunique()
    columns = ["item", "separability", *(["pair"] if pairs > 1 else []), *FIGURES, "scenario"]
    shown = rows.assign(scenario=rows["scenario"].map(SCENARIOS))[columns]
    event: Any = st.dataframe(
        shown, hide_index=True, height=min(38 + 35 * len(shown), 320), on_select="rerun",
        selection_mode="single-row", key="items", column_config=_columns(),
    )  # fmt: skip
    picked = event["selection"]["rows"]
    every = several(int(result.rows["separability"].notna().sum()), "case" if pairs > 1 else "item")
    listed = every if every.startswith(f"{len(rows):,} ") else f"{len(rows):,} of {every}"
    small(f"{listed}. Choose a row to read its texts.")
    return rows.iloc[picked[0] if picked and picked[0] < len(rows) else 0]


def _limits(values: pd.Series) -> dict[str, tuple[float, float]]:
    """The range that is set, from the least to the greatest that there is."""
    least, most = (math.floor(100 * values.min()) / 100, math.ceil(100 * values.max()) / 100)
    if least >= most:
        return {}
    return {"separability": st.slider("Separability between", least, most, (least, most), 0.01)}


def _columns() -> dict[str, Any]:
    number = st.column_config.NumberColumn
    return {
        "item": st.column_config.TextColumn(width=WIDE),
        "pair": st.column_config.TextColumn("A / B", width=WIDE),
        "separability": number(format="%.2f", help=SEPARABILITY),
        "low": number(
            "95% low",
            format="%.2f",
            help="Bootstrap over the texts: what other samples might have given. It is too narrow "
            "where there are few: of 5 texts each it holds the truth in 85 to 89% of studies.",
        ),
        "high": number("95% high", format="%.2f"),
        "self_a": number(
            "self A",
            format="%.2f",
            help="Self alignment: mean similarity of A's texts with each other",
        ),
        "self_b": number(
            "self B",
            format="%.2f",
            help="Self alignment: mean similarity of B's texts with each other",
        ),
        "cross": number(
            "cross",
            format="%.2f",
            help="Cross alignment: mean similarity of A's texts with B's (eq. 2)",
        ),
        "scenario": st.column_config.TextColumn(help=SCENARIOS_HELP),
    }


def show_evidence(result: Separability) -> None:
    """What a reader must know, and the settings."""
    for note in result.notes:
        small(note)
    signature(result.signature)
