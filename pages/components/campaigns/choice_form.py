"""What a new campaign asks about: attributes, systems, which pairs and how many."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import streamlit as st

from core.pairing import DRAWS, WAYS, Choice
from core.records import Kind
from core.similarity import METRICS
from pages.components.shared.frame import Study

EACH = "each other"
WAY = "campaign way"
"""How pairs are chosen, in the session: another page may have said so."""


def choice_form(study: Study) -> Choice:
    """The choice as it stands in the form. Raises TandemError for one that cannot be."""
    attributes = [attribute.name for attribute in study.store.datasets.attributes(study.dataset)]
    systems = study.store.datasets.systems(study.dataset)
    about, which, against = st.columns([2, 2, 1])
    values: dict[str, Any] = {
        "attributes": tuple(about.multiselect("Attributes", attributes, placeholder="all")),
        "systems": tuple(which.multiselect("Systems", systems, placeholder="all")),
    }
    opponent = against.selectbox(
        "Compared with", [EACH, *systems], help="Each other, or all with one of them"
    )
    values["against"] = "" if opponent == EACH else opponent
    values["pairs"] = _pairs_of(systems)
    how, number, samples, subset = st.columns([2, 1, 1, 1])
    values["way"] = how.selectbox(
        "Pairs",
        list(WAYS),
        format_func=lambda way: WAYS[way].label,
        key=WAY,
        help="\n".join(f"- **{way.label}**: {way.help}" for way in WAYS.values()),
    )
    budget = number.number_input(
        "Pairs per attribute", 0, value=100, step=10, help="At most. 0: all there are."
    )
    values["budget"] = int(budget) or None
    values["samples"] = int(
        samples.number_input(
            "Texts per system",
            1,
            help="Of each system on an item. Above 1, one person gets sample 1 with sample 1, "
            "2 with 2 and so on: that measures consistency.",
        )
    )
    subsets = study.store.datasets.subsets(study.dataset)
    items = subset.selectbox("Items", ["all", *subsets], disabled=not subsets)
    values["subset"] = "" if items == "all" else items
    return Choice(dataset=study.dataset, **values, **_more(study, str(values["way"])))


def _pairs_of(systems: list[str]) -> tuple[tuple[str, str], ...]:
    """Only these pairs of systems; none is all. Two systems are one pair."""
    if len(systems) < 3:
        return ()
    return tuple(
        st.multiselect(
            "Pairs of systems",
            list(combinations(systems, 2)),
            format_func=" – ".join,
            placeholder="all",
        )
    )


def _more(study: Study, way: str) -> dict[str, Any]:
    if way == "separability":
        return _separability()
    if way == "informative":
        return _informative(study)
    return _uncertain(study) if way == "uncertain" else {}


def _separability() -> dict[str, Any]:
    metric, draw, span = st.columns([2, 2, 3])
    low, high = span.slider("Separability", -1.0, 1.0, (0.0, 1.0), 0.05)
    return {
        "separability": metric.selectbox(
            "Metric",
            list(METRICS),
            list(METRICS).index("bertscore-length"),
            format_func=lambda name: METRICS[name].label,
            help="Measured on the Separability page before",
        ),
        "draw": draw.selectbox(
            "Drawn", list(DRAWS), format_func=_DRAWN.__getitem__, help="Of those in the range"
        ),
        "low": low,
        "high": high,
    }


_DRAWN = {
    "order": "the most separable",
    "range": "each as likely",
    "proportional": "the more separable, the likelier",
    "stratified": "as many of each fifth of the range",
}


def _informative(study: Study) -> dict[str, Any]:
    judges = st.multiselect(
        "Judges",
        _models(study),
        placeholder="all language models",
        help="Pairs on which these are unsure or disagree are likelier to be drawn.",
    )
    return {"judges": tuple(judges)}


def _models(study: Study) -> list[str]:
    frame = study.store.judgement_frames.judges(study.dataset)
    return sorted({*frame.loc[frame["kind"].isin([Kind.LLM, Kind.BASELINE]), "judge"]})


def _uncertain(study: Study) -> dict[str, Any]:
    models = _models(study)
    judge, gap = st.columns([3, 2])
    return {
        "judge": judge.selectbox(
            "Judge", models, placeholder="no model has judged here yet", index=0 if models else None
        )
        or "",
        "gap": gap.slider(
            "Distance from one half, at most",
            0.0,
            0.5,
            0.1,
            0.01,
            help="Of the judge's probability that the first text is better, both orders averaged",
        ),
    }
