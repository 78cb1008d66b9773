"""Parts of the separability page: what the data say, where the items lie, and their list."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st

from core.analysis.judgements import Selection
from core.analysis.separability import Separability, Settings, separability, wanted
from core.charts import BOUNDS, MOST_PAIRS, SCENARIOS
from core.charts import separability as charts
from core.runs import outlook
from core.statistics import scenario
from core.store import Store
from pages.components.separability.choices import Choice
from pages.components.shared.frame import Study
from pages.components.shared.notice import small
from pages.components.shared.report import downloads
from pages.components.shared.style import theme

SEPARABILITY = """Separability is how much more alike a
system's own texts on an item are than its texts and the other system's
are (Ghosh et al. 2024, eq. 3). Near 0 the two cannot be told apart on this item, and preferring
one of them means little."""
SCENARIOS_HELP = """Four scenarios (Ghosh et al. 2024, figure 2). **1**: each system writes much the
same text each time, and
not the other's. **3**: one of them does. **2**: both write something else each time. **4**: all
texts are alike. In 1 and 3 the
systems can be told apart; in 2 and 4 they cannot. Much more alike is 0.2 or more; in 2 the cross
alignment is below 0.5."""
Range = dict[str, Any]


def counted(study: Study, choice: Choice) -> Separability:
    """Separability with `pair`, `tighter` (the greater self alignment) and `scenario`, computed
    anew only when something has been measured.
    """
    stamp = str(outlook(study.store, wanted(choice.selection, choice.how)))
    return _counted(study.store.path, stamp, choice.selection, choice.how)


@st.cache_data(max_entries=16, show_spinner="Computing separability …")
def _counted(path: Path, stamp: str, selection: Selection, how: Settings) -> Separability:
    with Store(path) as store:
        result = separability(store, selection, how)
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


def sentence(result: Separability) -> str:
    """How many items can tell the systems apart, and which systems."""
    known = result.rows.dropna(subset="separability")
    if known.empty:
        return (
            "No item has a separability yet: it takes two texts of each system on an item, "
            "and alignments that differ."
        )
    low, high = BOUNDS
    near, far = int((known["separability"] < low).sum()), int((known["separability"] > high).sum())
    n = len(known)
    plainly = f"{far:,} lie above {high}"
    if known["pair"].nunique() == 1:
        return (
            f"{_share(near, n)} cannot tell these two systems apart (separability below "
            f"{low}); {plainly}."
        )
    means = known.groupby("pair")["separability"].mean().sort_values()
    return (
        f"In {near:,} of {n:,} cases, each an item and two systems, the two cannot be told "
        f"apart (separability below {low}); "
        f"{plainly}. {means.index[-1]} are the easiest to tell apart (mean {means.iloc[-1]:.2f}), "
        f"{means.index[0]} the hardest ({means.iloc[0]:.2f})."
    )


def _share(near: int, n: int) -> str:
    words = {
        1 / 4: "A quarter",
        1 / 3: "A third",
        1 / 2: "Half",
        2 / 3: "Two thirds",
        3 / 4: "Three quarters",
        1: "All",
    }
    for part, word in words.items():
        if abs(part - near / n) < 0.005:
            return f"{word} of the {n:,} items"
    return (
        f"{near:,} of the {n:,} items ({near / n:.0%})" if near else f"Not one of the {n:,} items"
    )


def histograms(result: Separability) -> Range:
    """Where the items lie, pair by pair; what was brushed."""
    st.subheader("Where the items lie", anchor=False, help=SEPARABILITY)
    event: Any = st.altair_chart(
        charts.histograms(result.rows, theme=theme()),
        width="stretch",
        theme=None,
        on_select="rerun",
        key="histograms",
    )
    pairs = result.rows["pair"].nunique()
    more = (
        f" The {MOST_PAIRS} easiest of {pairs} pairs are shown; choose others above."
        if pairs > MOST_PAIRS
        else ""
    )
    grey = " Grey: all pairs together." if pairs > 1 else ""
    small(f"Shares of the items.{grey} Drag over a range to list just its items below.{more}")
    items = result.rows.assign(scenario=result.rows["scenario"].map(SCENARIOS)).drop(
        columns=["pair", "tighter"]
    )
    downloads("separability", {"items": items}, charts.histograms(result.rows))
    return dict(event["selection"].get("brush", {}))


def scatter(result: Separability) -> Range:
    """Self against cross alignment, with the scenarios counted; what was brushed."""
    st.subheader("Why: alike within, or alike across", anchor=False, help=SCENARIOS_HELP)
    event: Any = st.altair_chart(
        charts.scatter(result.rows, theme=theme()),
        width="stretch",
        theme=None,
        on_select="rerun",
        key="scatter",
    )
    counts = result.rows["scenario"].value_counts()
    small("Dashed: a separability of 0, 0.2 and 0.4. " + " · ".join(
        f"scenario {name}: {counts.get(number, 0):,}" for number, name in SCENARIOS.items()
    ))  # fmt: skip
    downloads("alignments", {}, charts.scatter(result.rows))
    return dict(event["selection"].get("area", {}))


def choose_items(result: Separability, ranges: Sequence[Range]) -> pd.Series | None:
    """The items in the ranges that were brushed or set, most separable first or last; the one
    chosen, else the first.
    """
    st.subheader("The items", anchor=False)
    rows = result.rows.dropna(subset="separability")
    if rows.empty:
        return None
    names = ("most separable", "least separable")
    least, most = (float(end) for end in (rows["separability"].min(), rows["separability"].max()))
    edges = (int(100 * least // 1) / 100 - 0.01, int(100 * most // 1) / 100 + 0.01)
    with st.container(horizontal=True, gap="large", vertical_alignment="bottom"):
        first = st.segmented_control("First", names, default=names[0]) or names[0]
        low, high = st.slider("Separability between", *edges, edges, 0.01, width=380)
    for limits in [{"separability": (low, high)}, *ranges]:
        for column, (start, end) in limits.items():
            rows = rows[rows[column].between(start, end)]
    rows = rows.sort_values("separability", ascending=first == names[1], kind="stable").reset_index(
        drop=True
    )
    if rows.empty:
        small("No item lies there: double-click in a chart to take its range away.")
        return None
    shown = rows.assign(scenario=rows["scenario"].map(SCENARIOS))
    columns = [
        "item",
        "system_a",
        "system_b",
        "separability",
        "low",
        "high",
        "self_a",
        "self_b",
        "cross",
        "scenario",
    ]
    event: Any = st.dataframe(
        shown[columns],
        hide_index=True,
        height=min(38 + 35 * len(shown), 320),
        on_select="rerun",
        selection_mode="single-row",
        key="items",
        column_config=_columns(),
    )
    picked = event["selection"]["rows"]
    small(
        f"{len(rows):,} of {result.rows['separability'].notna().sum():,} listed. Choose a row "
        "to read its texts."
    )
    return rows.iloc[picked[0] if picked and picked[0] < len(rows) else 0]


def _columns() -> dict[str, Any]:
    number = st.column_config.NumberColumn
    return {
        "system_a": "A",
        "system_b": "B",
        "separability": number(format="%.2f", help=SEPARABILITY),
        "low": number(
            "95% from",
            format="%.2f",
            help="If other texts had been sampled: bootstrap over the texts",
        ),
        "high": number("to", format="%.2f"),
        "self_a": number(
            "A alike",
            format="%.2f",
            help="Self alignment: mean similarity of A's texts with each other",
        ),
        "self_b": number(
            "B alike",
            format="%.2f",
            help="Self alignment: mean similarity of B's texts with each other",
        ),
        "cross": number(
            "across",
            format="%.2f",
            help="Cross alignment: mean similarity of A's texts with B's (eq. 2)",
        ),
        "scenario": st.column_config.TextColumn(help=SCENARIOS_HELP),
    }


def evidence(result: Separability) -> None:
    """What a reader must know, and the settings."""
    for note in result.notes:
        small(note)
    st.code(result.signature, language=None, wrap_lines=True)
