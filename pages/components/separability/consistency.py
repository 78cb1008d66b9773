"""Whether preferences are consistent where texts can be told apart, and whether there are enough
texts to say so.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from core.charts import OF_SETS
from core.charts import separability as charts
from core.findings.judgements import Finding, Selection
from core.findings.separability import BINNINGS, Binning, Separability, wanted
from core.findings.separability import consistency as consistencies
from core.findings.separability import sample_size as curved
from core.labels import INTERVALS, KINDS
from core.records import TandemError
from core.rendering.charts import Caption, Drawing
from core.runs import outlook
from core.store import Store
from pages.components.separability.choices import Choice
from pages.components.shared.cached_report import cached_report
from pages.components.shared.frame import Study, ways_on
from pages.components.shared.notice import lead, several, small
from pages.components.shared.picture import caption, show_picture

CONSISTENCY = """How consistent one judge is on one item about two systems, over several pairs of
their texts. It is 0 if the judge prefers now one system and now the other, else the share of its
answers that are not ties (Ghosh et al. 2024, eq. 4, figures 6 to 8). The strength of preference,
from 0 to 1, is how far its answers lean to one side (eq. 7)."""
ENOUGH = """Each point is what a smaller study would have found on average, on the same scale (Ghosh
et al. 2024, figure 5): with the first K texts of each system, or with C random pairs across
systems."""
ALIKE = 0.9  # rank correlation from which two orders are called nearly the same
SLOW = 500  # rows of items beyond which the curves wait to be asked for
BINNING = {"width": "of equal width", "quantile": "with equal numbers of rating sets"}


@dataclass(frozen=True)
class Request:
    """Whose preferences, and by which bins of separability."""

    selection: Selection
    binning: Binning


def show_consistency(study: Study, choice: Choice) -> None:
    """Consistency by bin of separability, for people and models."""
    st.header("Consistency of preferences", anchor=False, help=CONSISTENCY)
    measured = outlook(study.store, wanted(choice.selection, choice.settings))
    stamp = f"{study.judgements_stamp} {measured}"
    settings = replace(choice.settings, resamples=0)
    beside = _beside(study, choice)
    request = Request(choice.selection, Binning(settings, beside=beside))
    if _consistency(study.store, request, stamp) is None:
        small(
            "Consistency needs a judge that has answered several pairs of texts by the same two "
            "systems on one item. Run a judge on several samples, or import such judgements."
        )
        ways_on(judge="Run a judge")
        return
    left, right, figure, _ = st.columns([2, 4, 4, 1])
    bins = int(left.number_input("Bins", 2, 10, 4))
    binning = right.selectbox("Binning", BINNINGS, index=1, format_func=BINNING.__getitem__)
    shown = figure.selectbox("Show", list(OF_SETS), format_func=OF_SETS.__getitem__)
    request = Request(choice.selection, Binning(settings, bins, binning, beside))
    result = _consistency(study.store, request, stamp)
    assert result is not None  # as with any bins
    rows, facts = result.rows, result.facts
    lead(_holds(rows, facts))
    for sentence in (_reached(facts), _against_length(facts)):
        if sentence:
            small(sentence)
    sets = ", ".join(
        f"{int(n):,} of {KINDS[kind]}"
        for kind, n in rows.groupby("kind", sort=False)["sets"].sum().items()
    )
    above = caption(
        result,
        "Consistency of preferences by separability",
        INTERVALS["share"],
        f"Rating sets: {sets}",
    )
    show_picture("consistency", Drawing(partial(charts.consistency, rows, shown), above), rows)


def _beside(study: Study, choice: Choice) -> str:
    """Length, which needs no reading, once it has been measured; '' before."""
    if choice.settings.metric == "length":
        return ""
    other = wanted(choice.selection, replace(choice.settings, metric="length", encoder=""))
    return "length" if outlook(study.store, other).measured else ""


@cached_report("Computing consistency …")
def _consistency(store: Store, request: Request) -> Finding | None:
    """In bins, by kind of judge; None where nobody has judged these systems or items."""
    selection, binning = request.selection, request.binning
    kinds = tuple(dict.fromkeys(store.judgement_frames.judges(selection.dataset)["kind"]))
    if not kinds:
        return None
    try:
        result = consistencies.consistency(store, replace(selection, judges=kinds), binning)
    except TandemError:
        return None
    rows = consistencies.of_kinds(store, result.rows, binning)
    return None if rows.empty else replace(result, rows=rows)


def _holds(rows: pd.DataFrame, facts: Mapping[str, Any]) -> str:
    """Whether consistency rises with separability, in words."""
    parts = []
    for kind in sorted(set(rows["kind"]), key=list(KINDS).index):
        ends = rows[rows["kind"] == kind].sort_values("low")["mean_consistency"].tolist()
        if len(ends) < 2:
            change = f"is {ends[0]:.2f}"
        elif ends[-1] > ends[0]:
            change = f"rises from {ends[0]:.2f} to {ends[-1]:.2f}"
        else:
            change = f"does not rise ({ends[0]:.2f} to {ends[-1]:.2f})"
        parts.append(f"of {KINDS[str(kind)]} {change}")
    return f"From the least to the most separable items, consistency {', '.join(parts)}."


def _reached(facts: Mapping[str, Any]) -> str:
    """How well separability predicts consistency, and how well anything could."""
    if pd.isna(facts["spearman"]):
        return ""
    within = f", {_estimate(facts, 'spearman_within')} within pairs of systems" * (
        facts["pairs"] > 1
    )
    said = f"Rank correlation of separability and consistency: {_estimate(facts, 'spearman')}"
    if pd.isna(facts["ceiling"]):
        return f"{said}{within}."
    return (
        f"{said}{within}. A perfect prediction would reach {_estimate(facts, 'ceiling')}, as far "
        "as judges agree."
    )


def _against_length(facts: Mapping[str, Any]) -> str:
    """What reading the texts adds to counting their words."""
    if pd.isna(facts.get("difference")):
        return ""
    return (
        f"Difference in length alone reaches {_estimate(facts, 'spearman_beside')}. "
        f"This metric is ahead by {_estimate(facts, 'difference', '+.2f')}."
    )


def _estimate(facts: Mapping[str, Any], name: str, form: str = ".2f") -> str:
    value, low, high = (facts[f"{name}{end}"] for end in ("", "_low", "_high"))
    interval = "" if pd.isna(low) else f" (95% interval {low:{form}} to {high:{form}})"
    return f"{value:{form}}{interval}"


def show_sample_size(study: Study, choice: Choice, result: Separability) -> None:
    """Separability against K, C and temperature."""
    st.header("Are there enough texts?", anchor=False, help=ENOUGH)
    if len(result.rows) > SLOW and not st.toggle(f"Compute for {len(result.rows):,} rows"):
        return
    measured = outlook(study.store, wanted(choice.selection, choice.settings))
    stamp = f"{study.texts_stamp}-{measured}"
    points, temperatures = _curves(
        study.store, replace(choice, settings=replace(choice.settings, resamples=0)), stamp
    )
    if points.empty:
        small("With two texts of each system, no smaller study can be compared. Generate more.")
    else:
        lead(_enough(points))
        left, right = st.columns(2)
        for column, size, title in (
            (left, "samples", "texts of each system (K)"),
            (right, "cross", "pairs across systems (C)"),
        ):
            rows = points[points["of"] == size]
            if len(rows):
                with column:
                    above = _of_curve(result, f"Separability by {title}")
                    drawn = partial(charts.curve, rows, title)
                    show_picture(f"separability-by-{size}", Drawing(drawn, above), rows)
    if len(temperatures):
        st.header("Temperature", anchor=False)
        # Of a model in a folder its last name says enough.
        base_1, base_2 = (
            temperatures[name].str.rpartition("/")[2] for name in ("base_1", "base_2")
        )
        pairs = temperatures.assign(pair=base_1 + " / " + base_2)
        drawn = partial(charts.curve, pairs, "temperature", value="temperature", by="pair")
        above = _of_curve(result, "Separability by the temperature texts were sampled at")
        show_picture("separability-by-temperature", Drawing(drawn, above), temperatures)
        small("Mean separability of two models at the temperatures their texts were sampled at.")


def _of_curve(result: Separability, title: str) -> Caption:
    number = several(int(result.rows["separability"].notna().sum()), "case")
    return Caption(title, number, INTERVALS["mean"], result.signature)


@cached_report("Computing smaller studies …")
def _curves(store: Store, choice: Choice) -> tuple[pd.DataFrame, pd.DataFrame]:
    return (
        curved.curves(store, choice.selection, choice.settings),
        curved.temperatures(store, choice.selection, choice.settings),
    )


def _enough(points: pd.DataFrame) -> str:
    """Whether the last text of each system still changes the order of the items."""
    rows = points[points["of"] == "samples"]
    if len(rows) < 2:
        return "There are too few texts to compare with a smaller study."
    before, last = rows.iloc[-2], rows.iloc[-1]
    if pd.isna(before["spearman"]):
        return "Too few items differ in separability to say whether more texts would help."
    fewer = f"with {before['value']:.0f} texts of each system instead of {last['value']:.0f}"
    ranks = f"rank correlation {before['spearman']:.2f}"
    if before["spearman"] < ALIKE:
        return f"No: {fewer}, items are ordered differently ({ranks}). Generate more texts."
    less, everything = f"{before['mean']:.2f}", f"{last['mean']:.2f}"
    means = f"stays {everything}" if less == everything else f"is {less} instead of {everything}"
    return f"Yes: {fewer}, items are ordered almost the same ({ranks}). Mean separability {means}."
