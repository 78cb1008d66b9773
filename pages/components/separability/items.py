"""The items of the page Separability: charts to brush, a list, one item opened to its texts."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from core.findings.judgements import Finding, Selection
from core.findings.separability import Settings, columns, likeness
from core.findings.separability import chart as charts
from core.labels import pluralize
from core.rendering.charts import Caption
from core.similarity import METRICS
from pages.components.shared.address import choose_view
from pages.components.shared.downloads import downloads
from pages.components.shared.frame import Study, link_to_search
from pages.components.shared.notice import show_caption, show_headline
from pages.components.shared.picture import show_picture
from pages.components.shared.tables import choose_row
from pages.components.shared.texts import show_samples

LISTED = ("item", "separability", "pair", "self_a", "self_b", "cross", "scenario")
Range = dict[str, Any]


def choose_item(result: Finding) -> pd.Series | None:
    """Show the items, and list those that are brushed; return the row of the chosen or first."""
    pictures = {"How separable items are": _histograms, "Why": _scatter}
    looks = {"label_visibility": "collapsed", "help": columns.SCENARIO.help}
    shown = choose_view("picture", "Picture", pictures, **looks)
    left, right = st.columns([3, 2], gap="medium")
    with left:
        brushed = pictures[shown](result)
    with right:
        return _choose_item(result, brushed)


def _histograms(result: Finding) -> Range:
    items = result.rows.assign(scenario=result.rows["scenario"].map(columns.SCENARIOS)).drop(
        columns=["pair", "tighter"]
    )
    above = Caption("How far items tell two systems apart", _cases(result), "", result.signature)
    drawn = partial(charts.histograms, result.rows)
    brushed = show_picture("separability", drawn, above, items, brushed="brush")
    pairs = result.rows["pair"].nunique()
    more = ""
    if pairs > charts.MOST_PAIRS:
        more = f" These are the {charts.MOST_PAIRS} easiest of {pairs} pairs; choose others above."
    grey = " Grey: all pairs together." if pairs > 1 else ""
    show_caption(f"Shares of items.{grey} Drag over a range to list only its items.{more}")
    return brushed


def _cases(result: Finding) -> str:
    rows = result.rows.dropna(subset="separability")
    if rows["pair"].nunique() < 2:
        return pluralize(len(rows), "item")
    return f"{pluralize(len(rows), 'case')}, each an item and two systems"


def _scatter(result: Finding) -> Range:
    above = Caption("Why items tell systems apart, or not", _cases(result), "", result.signature)
    drawn = partial(charts.scatter, result.rows)
    brushed = show_picture("alignments", drawn, above, result.rows, brushed="area")
    counts = result.rows["scenario"].value_counts()
    numbers = "; ".join(
        f"{name}: {counts.get(number, 0):,}" for number, name in columns.SCENARIOS.items()
    )
    show_caption(
        f"Dashed lines: a separability of 0, 0.2 and 0.4. Number of items by scenario: {numbers}."
    )
    return brushed


def _choose_item(result: Finding, brushed: Range) -> pd.Series | None:
    rows = result.rows.dropna(subset="separability")
    if rows.empty:
        return None
    names = ("most separable", "least separable")
    values, first = rows["separability"], choose_view("first", "First", names)
    for column, span in brushed.items():
        rows = rows[rows[column].between(*span)]
    least, most = (math.floor(100 * values.min()) / 100, math.ceil(100 * values.max()) / 100)
    if least < most:
        span = st.slider("Separability between", least, most, (least, most), 0.01)
        rows = rows[rows["separability"].between(*span)]
    by = {"by": "separability", "ascending": first == names[1]}
    rows = rows.sort_values(**by, kind="stable").reset_index(drop=True)
    if rows.empty:
        show_caption("No items in this range. Double-click the picture to clear its range.")
        return None
    pairs = result.rows["pair"].nunique()
    declared = {column.name: column for column in columns.DESCRIBED}
    listed = [declared[name] for name in LISTED if name != "pair" or pairs > 1]
    picked = choose_row(rows, listed, "items", tallest=320)
    every = pluralize(
        int(result.rows["separability"].notna().sum()), "case" if pairs > 1 else "item"
    )
    listed = every if every.startswith(f"{len(rows):,} ") else f"{len(rows):,} of {every}"
    show_caption(f"{listed}. Choose a row to read its texts.")
    return rows.iloc[picked]


def link_to_items(selection: Selection, metric: str) -> None:
    """Link to the items that hardly, and that easily, tell systems apart."""
    low, high = columns.BOUNDS
    with st.container(horizontal=True):
        for label, span in (
            ("Find items that hardly tell them apart", {"high": low}),
            ("Find items that tell them apart", {"low": high}),
        ):
            link_to_search(selection, label, separability=metric, **span)


FIRST = 2  # texts of each system that are shown at once


def show_item(study: Study, settings: Settings, row: pd.Series, signature: str) -> None:
    """Show the texts and similarity matrix of a row's item; `signature` is that of separability."""
    systems = str(row["system_a"]), str(row["system_b"])
    item = likeness(study.store, study.dataset, str(row["item"]), systems, settings)
    st.header("How alike the texts of the chosen item are", anchor=False)
    left, right = st.columns([1, 1], gap="medium")
    with right:
        show_headline(columns.describe_item(row))
        show_caption(
            "Similarity of each pair of texts before normalisation, by "
            f"{METRICS[settings.metric].label}. "
            "Blocks along the diagonal show that the systems can be told apart."
        )
    texts = item.texts
    with left:
        drawn = partial(charts.likeness, item.matrix, texts["label"].tolist())
        number = pluralize(len(texts), "text")
        above = Caption(f"Texts of {row['item']}", number, signature=signature)
        show_picture("item-texts", drawn, above, item.matrix)
    most = int(texts.groupby("side").size().max())
    every = most <= FIRST or st.toggle(f"Show all {most} texts of each system")
    sides = [
        list(zip(side["label"], side["text"], strict=True))[: most if every else FIRST]
        for side in (texts[texts["side"] == name] for name in "AB")
    ]
    text_format = study.store.datasets.text_format(study.dataset)
    show_samples(item.context, study.context_noun, systems, sides, text_format)
    downloads("item", {"texts": texts})
