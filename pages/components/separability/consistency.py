"""Consistency of preferences by how separable the texts are, if there are enough texts."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import pandas as pd
import streamlit as st

from core.findings.judgements import Finding, Selection
from core.findings.separability import Binning, Settings, columns
from core.findings.separability import applications as curved
from core.findings.separability import chart as charts
from core.findings.separability import consistency as consistencies
from core.labels import KINDS, pluralize
from core.records import TandemError
from core.rendering.charts import Caption
from core.store import Store
from pages.components.shared.address import bind_choice
from pages.components.shared.cached_report import cached_report
from pages.components.shared.frame import Study, next_step_links
from pages.components.shared.notice import show_caption, show_headline
from pages.components.shared.picture import caption, show_picture
from pages.components.shared.settings import choose_kept

CONSISTENCY = """How consistent one judge is on one item about two systems, over several pairs of
their texts. It is 0 if the judge prefers now one system and now the other, else the share of its
answers that are not ties (Ghosh et al. 2024, eq. 4, figures 6 to 8). The strength of preference,
from 0 to 1, is how far its answers lean to one side (eq. 7)."""
ENOUGH = """Each point is what a smaller study would have found on average, on the same scale (Ghosh
et al. 2024, figure 5): with the first K texts of each system, or with C random pairs across
systems."""
SLOW = 500  # rows of items beyond which the curves wait to be asked for


def show_consistency(study: Study, selection: Selection, settings: Settings, stamp: str) -> None:
    """Show consistency by bin of separability, for people and models."""
    st.header("Consistency of preferences", anchor=False, help=CONSISTENCY)
    stamp = f"{study.measured_stamp} {stamp}"
    settings = replace(settings, resamples=0)
    if _consistency(study.store, (selection, Binning(settings)), stamp) is None:
        show_caption(
            "Consistency needs a judge that has answered several pairs of texts by the same two "
            "systems on one item. Run a judge on several samples, or import such judgements."
        )
        next_step_links(judge="Run a judge")
        return
    left, right, figure, _ = st.columns([2, 4, 4, 1])
    bins = choose_kept(left, Binning, "bins", span=(2, 10))
    binning = choose_kept(right, Binning, "binning")
    drawn = {column.name: column for column in columns.DRAWN}
    bound = bind_choice("shown", next(iter(drawn)), list(drawn))
    shown = drawn[
        figure.selectbox("Show", list(drawn), format_func=lambda name: drawn[name].label, **bound)
    ]
    result = _consistency(study.store, (selection, Binning(settings, bins, binning)), stamp)
    assert result is not None  # as with any bins
    rows, facts = result.rows, result.facts
    show_headline(columns.compare_bins(rows))
    if known := columns.describe_prediction(facts, "Difference in length"):
        show_caption(" ".join(known))
    sets = ", ".join(
        f"{int(n):,} of {KINDS[kind]}"
        for kind, n in rows.groupby("kind", sort=False)["sets"].sum().items()
    )
    title = "Consistency of preferences by separability"
    above = caption(result, title, result.interval, f"Rating sets: {sets}")
    show_picture("consistency", partial(charts.consistency, rows, shown), above, rows)


@cached_report("Computing consistency …")
def _consistency(store: Store, selection: Selection, binning: Binning) -> Finding | None:
    """Compute consistency in bins, by kind of judge; None if nobody judged these texts."""
    kinds = tuple(dict.fromkeys(store.judgement_frames.judges(selection.dataset)["kind"]))
    if not kinds:
        return None
    try:
        result = consistencies.consistency(store, replace(selection, judges=kinds), binning)
    except TandemError:
        return None
    rows = consistencies.compare_kinds(store, result.rows, binning)
    return None if rows.empty else replace(result, rows=rows, columns=columns.KINDS_OF_BINS)


def show_sample_size(
    study: Study, selection: Selection, settings: Settings, result: Finding, stamp: str
) -> None:
    """Show separability against K, C and temperature."""
    st.header("Are there enough texts?", anchor=False, help=ENOUGH)
    if len(result.rows) > SLOW and not st.toggle(f"Compute for {len(result.rows):,} rows"):
        return
    request = selection, replace(settings, resamples=0)
    points, temperatures = _curves(study.store, request, stamp)
    if points.empty:
        show_caption(
            "With two texts of each system, no smaller study can be compared. Generate more."
        )
    else:
        show_headline(columns.judge_sample_size(points))
        left, right = st.columns(2)
        for column, size, title in (
            (left, "samples", "texts of each system (K)"),
            (right, "cross", "pairs across systems (C)"),
        ):
            rows = points[points["of"] == size]
            if len(rows):
                with column:
                    above = _caption_curve(result, f"Separability by {title}")
                    drawn = partial(charts.curve, rows, title)
                    show_picture(f"separability-by-{size}", drawn, above, rows)
    if len(temperatures):
        st.header("Temperature", anchor=False)
        # The last part of a path is enough to name a model in a folder.
        base_1, base_2 = (
            temperatures[name].str.rpartition("/")[2] for name in ("base_1", "base_2")
        )
        pairs = temperatures.assign(pair=base_1 + " / " + base_2)
        drawn = partial(charts.curve, pairs, "temperature", against=columns.TEMPERATURE, by="pair")
        above = _caption_curve(result, "Separability by the temperature texts were sampled at")
        show_picture("separability-by-temperature", drawn, above, temperatures)
        show_caption(
            "Mean separability of two models at the temperatures their texts were sampled at."
        )


def _caption_curve(result: Finding, title: str) -> Caption:
    number = pluralize(int(result.rows["separability"].notna().sum()), "case")
    return Caption(title, number, columns.STUDENT.caption, result.signature)


@cached_report("Computing smaller studies …")
def _curves(
    store: Store, selection: Selection, settings: Settings
) -> tuple[pd.DataFrame, pd.DataFrame]:
    return (
        curved.compare_sizes(store, selection, settings),
        curved.compare_temperatures(store, selection, settings),
    )
