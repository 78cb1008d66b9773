"""The choices of the separability page: which systems, how alike is measured, over how many
texts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations

import pandas as pd
import streamlit as st

from core.analysis.judgements import Selection
from core.analysis.separability import Settings, wanted
from core.labels import glossary
from core.models.local import PRECISIONS
from core.similarity import METRICS
from core.store import Chosen, Extent, Store
from pages.components.shared.frame import Study, ways_on
from pages.components.shared.notice import notice
from pages.components.shared.report import WIDE

ANY = "all pairs of systems"
PREFERRED = (Settings.metric, "rouge1", *METRICS)
OVER = {
    "dataset": "all systems of the data set",
    "pair": "these two systems alone",
    "all": "everything measured by this metric",
}
OVER_HELP = """Alignments are put on a scale from 0, the least alike, to 1, the most alike two
systems are on an item.
Figures on the same scale can be compared (min-max normalisation, Ghosh et al. 2024)."""
SAMPLES_HELP = (
    "K: how many texts of each system on an item are compared, those with the lowest "
    "sample numbers."
)
CROSS_HELP = (
    "C: how many of the K x K pairs across two systems are compared, drawn at random. "
    "0 is all of them."
)


@dataclass(frozen=True)
class Choice:
    """Which items and systems, and how separability is measured."""

    selection: Selection
    how: Settings
    characters: int

    @property
    def pair(self) -> tuple[str, str] | None:
        one_pair = len(self.selection.systems) == 2
        return (self.selection.systems[0], self.selection.systems[1]) if one_pair else None


def choices(study: Study) -> Choice | None:
    """What is looked at; None after saying what is missing."""
    sampled = study.store.similarities.sampled(Chosen(study.dataset, samples=10_000))
    several = sampled[sampled["several"] > 0]
    if len(several) < 2:
        _missing(sampled)
        return None
    systems = several["system"].tolist()
    row = st.container(horizontal=True)
    pairs: dict[str, tuple[str, ...]] = {
        f"{one} / {two}": (one, two) for one, two in combinations(systems, 2)
    }
    if len(pairs) > 1:
        pairs = {ANY: (), **pairs}
    which = row.selectbox("Systems", list(pairs), width=300)
    metric = row.selectbox(
        "How alike two texts are",
        sorted(METRICS, key=lambda name: name != Settings.metric),
        format_func=lambda name: METRICS[name].label,
        help=glossary(METRICS.values()),
        key=_first(study),
        width=360,
    )
    subsets = study.store.datasets.subsets(study.dataset)
    every = "all items"
    subset = row.selectbox("Items", [every, *subsets], width=WIDE) if len(subsets) > 1 else every
    selection = Selection(
        study.dataset, subset=None if subset == every else subset, systems=pairs[which]
    )
    how = _more(metric, int(several["samples"].max()))
    return Choice(selection, how, int(sampled["characters"].sum()))


def _more(metric: str, most: int) -> Settings:
    """What most people leave alone."""
    with st.expander("More"):
        columns = st.columns(3)
        samples = int(
            columns[0].number_input(
                "Texts of each system", 2, max(2, most), min(5, max(2, most)), help=SAMPLES_HELP
            )
        )
        cross = int(columns[1].number_input("Pairs across systems", 0, help=CROSS_HELP))
        over = columns[2].selectbox(
            "On the scale of", list(OVER), format_func=OVER.__getitem__, help=OVER_HELP
        )
        encoder, precision = "", "fp32"
        if "precision" in METRICS[metric].takes:
            left, right, _ = st.columns(3)
            encoder = left.text_input(
                "Encoder",
                placeholder="MiniLM, which comes with Tandem",
                help="A model of the hub by name, or a folder.",
            ).strip()
            precision = right.selectbox(
                "Precision", PRECISIONS, help="bf16 is faster on GPUs and on CPUs with AMX."
            )
    return Settings(metric, encoder, precision, samples, cross or None, over)


def _first(study: Study) -> str:
    """The key of the metric's choice. At first that is one that has been measured; if none has for
    all texts, one that is being measured, or of which most is there: another system may have come
    since.
    """
    key = f"metric-{study.dataset}"
    if key not in st.session_state:
        found = {
            name: _extent(study.store, study.dataset, name) for name in dict.fromkeys(PREFERRED)
        }
        whole = (name for name, extent in found.items() if extent.pairs and not extent.missing)
        most = max(found, key=lambda name: found[name].measured)  # the first of equals
        st.session_state[key] = next(whole, None) or _at_work(study) or most
    return key


def _at_work(study: Study) -> str:
    """The metric of the run that is next or under way here, if there is one."""
    runs = map(study.store.runs.get, study.store.runs.unfinished())
    mine = (run for run in runs if run.task == "measure" and run.dataset == study.dataset)
    return next((str(run.settings["metric"]) for run in mine), "")


def _extent(store: Store, dataset: str, metric: str) -> Extent:
    measured = wanted(Selection(dataset), replace(Settings(), metric=metric))
    return store.similarities.extent(measured.make().signatures[metric], measured.chosen)


def _missing(sampled: pd.DataFrame) -> None:
    """Why there is nothing to tell apart, and how to get it."""
    ways = (
        "Import texts with a column sample (0, 1, 2 …), or let a model write several for "
        "each item: both on the page Data."
    )
    if len(sampled) < 2:
        there = "has texts by one system only" if len(sampled) else "holds no texts"
        said = f"Separability is about two systems, and this data set {there}."
    else:
        known = sampled.loc[sampled["several"] > 0, "system"].tolist()
        but = f" only {known[0]} has them here." if known else " here each has one."
        said = f"Separability compares several texts by each system on the same item, and{but}"
    notice(f"{said} {ways}")
    ways_on(data="Bring more texts")
