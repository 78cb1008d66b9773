"""What a new campaign asks about: attributes, systems, which pairs and how many."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import streamlit as st

from core.pairing import Choice
from core.records import Kind
from core.similarity import METRICS
from pages.components.shared.frame import Study
from pages.components.shared.settings import choose_setting, describe_setting

EACH = "each other"
WAY = "campaign way"
"""How pairs are chosen, in the session: another page may have said so."""


def choice_form(study: Study) -> Choice:
    """The choice as it stands in the form. Raises TandemError for one that cannot be."""
    attributes = [attribute.name for attribute in study.store.datasets.attributes(study.dataset)]
    systems = study.store.datasets.systems(study.dataset)
    about, which, against = st.columns([2, 2, 1])
    values: dict[str, Any] = {
        "attributes": tuple(
            about.multiselect(
                **describe_setting(Choice, "attributes"), options=attributes, placeholder="all"
            )
        ),
        "systems": tuple(
            which.multiselect(
                **describe_setting(Choice, "systems"), options=systems, placeholder="all"
            )
        ),
    }
    opponent = against.selectbox(**describe_setting(Choice, "against"), options=[EACH, *systems])
    values["against"] = "" if opponent == EACH else opponent
    values["pairs"] = _pairs_of(systems)
    how, number, samples, subset = st.columns([2, 1, 1, 1])
    values["way"] = choose_setting(how, Choice, "way", key=WAY)
    budget = number.number_input(
        **describe_setting(Choice, "budget"), min_value=0, value=100, step=10
    )
    values["budget"] = int(budget) or None
    values["samples"] = int(
        samples.number_input(**describe_setting(Choice, "samples"), min_value=1)
    )
    subsets = study.store.datasets.subsets(study.dataset)
    items = subset.selectbox(
        **describe_setting(Choice, "subset"), options=["all", *subsets], disabled=not subsets
    )
    values["subset"] = "" if items == "all" else items
    return Choice(dataset=study.dataset, **values, **_more(study, str(values["way"])))


def _pairs_of(systems: list[str]) -> tuple[tuple[str, str], ...]:
    """Only these pairs of systems; none is all. Two systems are one pair."""
    if len(systems) < 3:
        return ()
    return tuple(
        st.multiselect(
            **describe_setting(Choice, "pairs"),
            options=list(combinations(systems, 2)),
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
            **describe_setting(Choice, "separability"),
            options=list(METRICS),
            index=list(METRICS).index("bertscore-length"),
            format_func=lambda name: METRICS[name].label,
        ),
        "draw": choose_setting(draw, Choice, "draw"),
        "low": low,
        "high": high,
    }


def _informative(study: Study) -> dict[str, Any]:
    judges = st.multiselect(
        **describe_setting(Choice, "judges"),
        options=_models(study),
        placeholder="all language models",
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
            **describe_setting(Choice, "judge"),
            options=models,
            index=0 if models else None,
            placeholder="no model has judged here yet",
        )
        or "",
        "gap": gap.slider(
            **describe_setting(Choice, "gap"), min_value=0.0, max_value=0.5, value=0.1, step=0.01
        ),
    }
