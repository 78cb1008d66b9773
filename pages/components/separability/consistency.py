"""Whether preferences hold where the texts can be told apart, and whether enough texts were sampled
to say so.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

import pandas as pd
import streamlit as st

from core.analysis.judgements import Selection
from core.analysis.separability import BINNINGS, Binning, Separability, Settings, wanted
from core.analysis.separability import consistency as consistencies
from core.analysis.separability import sample_size as curved
from core.charts import OF_SETS
from core.charts import separability as charts
from core.labels import KINDS
from core.records import TandemError
from core.runs import outlook
from core.store import Store
from pages.components.separability.choices import Choice
from pages.components.shared.frame import Study, ways_on
from pages.components.shared.notice import lead, small
from pages.components.shared.report import downloads
from pages.components.shared.style import theme

CONSISTENCY = """Consistency is of one judge, on one item, about two systems, over several pairs of
their texts: 0 if it prefers
now the one and now the other, else the share of its answers that are no ties (Ghosh et al. 2024,
eq. 4, figures 6 to 8).
The strength of a preference is how far its answers lean to one side (eq. 7), from 0 to 1."""
ENOUGH = """Each point is what a smaller study would have said on average, on the same scale (Ghosh
et al. 2024, figure 5): of the
first K texts of each system, or of C pairs across the systems drawn among all."""
ALIKE = 0.9  # rank correlation from which two orders are called nearly the same
SLOW = 500  # rows of items beyond which the curves wait to be asked for
FIGURES = {"width": "of equal width", "quantile": "with as many rating sets each"}


def preferences(study: Study, choice: Choice) -> None:
    """Consistency by bin of separability, for people and models."""
    st.subheader(
        "Do preferences hold where texts can be told apart?", anchor=False, help=CONSISTENCY
    )
    stamp = (
        f"{study.store.judgement_frames.stamp(study.dataset)} "
        f"{outlook(study.store, wanted(choice.selection, choice.how))}"
    )
    how = replace(choice.how, resamples=0)
    if _consistency(study.store.path, stamp, choice.selection, Binning(how))[0].empty:
        small(
            "No judge has answered two pairs of two systems' texts on one item. Run a judge "
            "with several samples (under More on "
            "the page Judge), or import such votes, and this says whether it holds to its "
            "preference."
        )
        ways_on(judge="Run a judge")
        return
    left, right, what, _ = st.columns([2, 4, 4, 1])
    bins = int(left.number_input("Bins", 2, 10, 4))
    binning = right.selectbox("Bins are", BINNINGS, index=1, format_func=FIGURES.__getitem__)
    shown = what.selectbox("Show", list(OF_SETS), format_func=OF_SETS.__getitem__)
    found, spearman = _consistency(
        study.store.path, stamp, choice.selection, Binning(how, bins, binning)
    )
    lead(_holds(found, spearman))
    st.altair_chart(charts.consistency(found, shown, theme=theme()), width="stretch", theme=None)
    sets = ", ".join(
        f"{int(n):,} of {KINDS[kind]}"
        for kind, n in found.groupby("kind", sort=False)["sets"].sum().items()
    )
    whiskers = (
        " Whiskers: Student's 95% interval over items." if shown == "mean_consistency" else ""
    )
    small(f"Rating sets: {sets}.{whiskers}")
    downloads("consistency", {"bins": found}, charts.consistency(found, shown))


@st.cache_data(max_entries=16, show_spinner="Counting what holds …")
def _consistency(
    path: Path, stamp: str, selection: Selection, binning: Binning
) -> tuple[pd.DataFrame, float]:
    with Store(path) as store:
        kinds = tuple(dict.fromkeys(store.judgement_frames.tally(selection.dataset)["kind"]))
        if not kinds:
            return pd.DataFrame(), float("nan")
        try:
            result = consistencies.consistency(store, replace(selection, judges=kinds), binning)
        except TandemError:  # nobody has judged these systems or items
            return pd.DataFrame(), float("nan")
        return consistencies.of_kinds(store, result.rows, binning), float(result.facts["spearman"])


def _holds(found: pd.DataFrame, spearman: float) -> str:
    parts = []
    for kind in sorted(set(found["kind"]), key=list(KINDS).index):
        of = found[found["kind"] == kind]
        ends = of.sort_values("low")["mean_consistency"].tolist()
        if len(ends) > 1:
            parts.append(
                f"of {KINDS[str(kind)]} rises from {ends[0]:.2f} to {ends[-1]:.2f}"
                if ends[-1] > ends[0]
                else f"of {KINDS[str(kind)]} does not rise ({ends[0]:.2f} to {ends[-1]:.2f})"
            )
        else:
            parts.append(f"of {KINDS[str(kind)]} is {ends[0]:.2f}")
    rank = (
        ""
        if pd.isna(spearman)
        else f" Rank correlation of separability and consistency: {spearman:.2f}."
    )
    return f"From the least to the most separable items, consistency {', '.join(parts)}.{rank}"


def sampling(study: Study, choice: Choice, result: Separability) -> None:
    """Separability against K, C and temperature."""
    st.subheader("Are there enough texts?", anchor=False, help=ENOUGH)
    if len(result.rows) > SLOW and not st.toggle(f"Compute it for {len(result.rows):,} rows"):
        return
    stamp = str(outlook(study.store, wanted(choice.selection, choice.how)))
    points, temperatures = _curves(
        study.store.path, stamp, choice.selection, replace(choice.how, resamples=0)
    )
    if points.empty:
        small(
            "With two texts of each system there is nothing smaller to compare with: sample more."
        )
    else:
        lead(_enough(points))
        left, right = st.columns(2)
        for column, of, title in (
            (left, "samples", "texts of each system (K)"),
            (right, "cross", "pairs across systems (C)"),
        ):
            rows = points[points["of"] == of]
            if len(rows):
                with column:
                    st.altair_chart(
                        charts.curve(rows, title, theme=theme()), width="stretch", theme=None
                    )
                    downloads(f"separability-by-{of}", {of: rows}, charts.curve(rows, title))
    if len(temperatures):
        st.subheader("Temperature", anchor=False)
        # Of a model in a folder its last name says enough.
        one, two = (temperatures[base].str.rpartition("/")[2] for base in ("base_1", "base_2"))
        pairs = temperatures.assign(pair=one + " / " + two)
        drawn = partial(charts.curve, pairs, "temperature", value="temperature", by="pair")
        st.altair_chart(drawn(theme=theme()), width="stretch", theme=None)
        small("Mean separability of two models whose texts were sampled at several temperatures.")
        downloads("separability-by-temperature", {"temperature": temperatures}, drawn())


@st.cache_data(max_entries=16, show_spinner="Trying fewer texts …")
def _curves(
    path: Path, stamp: str, selection: Selection, how: Settings
) -> tuple[pd.DataFrame, pd.DataFrame]:
    with Store(path) as store:
        return curved.curves(store, selection, how), curved.temperatures(store, selection, how)


def _enough(points: pd.DataFrame) -> str:
    """Whether the last text of each system still changes the order of the items."""
    rows = points[points["of"] == "samples"]
    if len(rows) < 2:
        return "One text less leaves too few to compare with."
    before, last = rows.iloc[-2], rows.iloc[-1]
    if pd.isna(before["spearman"]):
        return (
            "Too few items differ in separability to say whether more texts would change "
            "their order."
        )
    fewer = f"With {before['value']:.0f} texts of each system instead of {last['value']:.0f}"
    ranks = f"rank correlation {before['spearman']:.2f}"
    if before["spearman"] >= ALIKE:
        less, all_of = f"{before['mean']:.2f}", f"{last['mean']:.2f}"
        means = (
            f"{all_of} on average either way"
            if less == all_of
            else f"{less} on average instead of {all_of}"
        )
        return (
            f"{fewer} the items come in nearly the same order ({ranks}), and separability is "
            f"{means}."
        )
    return f"{fewer} the items come in another order ({ranks}): more texts would help."
