"""What to ask: attribute, pairs and budget of a run."""

from __future__ import annotations

from typing import Any

import streamlit as st

from core.labels import glossary
from core.pairing import BEAM_SIZE, PROB_GAP, STRATEGIES, Strategy, planning
from core.records import Candidate, Question
from core.runs import score
from pages.components.shared.frame import Study
from pages.components.shared.notice import small

ALL = "all attributes"


def ask(study: Study, *, marks: bool) -> planning.Request | score.Request:
    """The form of what to ask: pairs or, for a judge that `marks` texts one by one, texts.

    Raises TandemError when the data set has nothing of the kind.
    """
    attributes = [attribute.name for attribute in study.store.datasets.attributes(study.dataset)]
    st.header("What to ask", anchor=False)
    attribute = st.selectbox("Attribute", [ALL, *attributes] if len(attributes) > 1 else attributes)
    about = () if attribute in (ALL, None) else (attribute,)
    if marks:
        small(
            "This judge marks each text once. Comparisons are derived from the marks wherever "
            "they are needed."
        )
        return score.checked(study.store, score.Request(study.dataset, about, **_more(study)))
    strategy = STRATEGIES[
        st.selectbox(
            "Pairs",
            list(STRATEGIES),
            format_func=lambda name: STRATEGIES[name].label,
            help=glossary(STRATEGIES.values()),
        )
    ]
    settings: dict[str, Any] = {"attributes": about}
    if "budget" in strategy.takes and not strategy.sorts:
        step = 2 if strategy.even else 1
        settings["budget"] = int(
            st.number_input(
                "Comparisons per item and attribute",
                step,
                value=6,
                step=step,
                help="A larger number means all.",
            )
        )
    if strategy.sorts:
        settings |= _sort(strategy)
    settings |= _more(study)
    return planning.checked(study.store, planning.Request(study.dataset, strategy.name, **settings))


def _sort(strategy: Strategy) -> dict[str, Any]:
    """What PairS (Liu et al. 2024) may be told."""
    found: dict[str, Any] = {
        "calibrate": st.checkbox(
            "Ask each pair in both orders", help="And take the mean: it costs twice as much."
        )
    }
    if "beam_size" in strategy.takes:
        size, gap = st.columns(2)
        found["beam_size"] = int(
            size.number_input("Branches followed", 1, value=BEAM_SIZE, help="The beam size.")
        )
        found["prob_gap"] = float(
            gap.number_input(
                "Close when nearer to 1/2 than",
                0.0,
                0.5,
                PROB_GAP,
                0.05,
                help="Both sides of a close pair are followed.",
            )
        )
    return found


def _more(study: Study) -> dict[str, Any]:
    """What most people leave alone."""
    with st.expander("More"):
        subsets = study.store.datasets.subsets(study.dataset)
        subset = st.selectbox("Items", ["all", *subsets]) if subsets else "all"
        systems = st.multiselect(
            "Systems", study.store.datasets.systems(study.dataset), placeholder="all of them"
        )
        samples, seed, trial = st.columns(3)
        return {
            "subset": "" if subset == "all" else subset,
            "systems": tuple(systems),
            "samples": int(
                samples.number_input("Samples", 1, help="Sample j is compared with sample j.")
            ),
            "seed": int(seed.number_input("Seed", 0, help="Seed of everything random.")),
            "trial": int(
                trial.number_input("Trial", 0, help="Another number repeats the whole run.")
            ),
        }


def first_of(
    study: Study, request: planning.Request | score.Request, n: int
) -> list[Question] | list[Candidate]:
    """The first questions of a request, for a look at them."""
    if isinstance(request, score.Request):
        return list(score.first(study.store, request, n))
    return list(planning.first(study.store, request, n))
