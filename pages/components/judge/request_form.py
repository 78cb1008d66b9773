"""What to ask: attribute, pairs and budget of a run."""

from __future__ import annotations

from typing import Any

import streamlit as st

from core.labels import glossary
from core.pairing import BEAM_SIZE, PROB_GAP, STRATEGIES, Strategy, TextRequest, planning
from core.records import Candidate, Question
from core.runs import score
from pages.components.shared.frame import Study
from pages.components.shared.notice import small
from pages.components.shared.settings import choose_number, choose_setting, describe_setting

ALL = "all attributes"


def ask(study: Study, *, marks: bool) -> planning.Request | score.ScoringRequest:
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
        request = score.ScoringRequest(study.dataset, attributes=about, **_more(study))
        return request.fill_attributes(study.store)
    name = choose_setting(
        st.container(), planning.Request, "strategy", more=glossary(STRATEGIES.values())
    )
    strategy = STRATEGIES[name]
    settings: dict[str, Any] = {"attributes": about}
    if "budget" in strategy.takes and not strategy.sorts:
        step = 2 if strategy.even else 1
        settings["budget"] = choose_number(
            st.container(), planning.Request, "budget", 6, min_value=step, step=step
        )
    if strategy.sorts:
        settings |= _sort(strategy)
    settings |= _more(study)
    return planning.checked(study.store, planning.Request(study.dataset, name, **settings))


def _sort(strategy: Strategy) -> dict[str, Any]:
    """What PairS (Liu et al. 2024) may be told."""
    found: dict[str, Any] = {
        "calibrate": st.checkbox(**describe_setting(planning.Request, "calibrate"))
    }
    if "beam_size" in strategy.takes:
        size, gap = st.columns(2)
        found["beam_size"] = choose_number(size, planning.Request, "beam_size", BEAM_SIZE)
        found["prob_gap"] = choose_number(gap, planning.Request, "prob_gap", PROB_GAP, step=0.05)
    return found


def _more(study: Study) -> dict[str, Any]:
    """What most people leave alone."""
    with st.expander("More"):
        subsets = study.store.datasets.subsets(study.dataset)
        subset = st.selectbox("Items", ["all", *subsets]) if subsets else "all"
        systems = st.multiselect(
            "Systems", study.store.datasets.systems(study.dataset), placeholder="all of them"
        )
        numbers = zip(st.columns(3), ("samples", "seed", "trial"), strict=True)
        return {
            "subset": "" if subset == "all" else subset,
            "systems": tuple(systems),
            **{name: choose_number(column, TextRequest, name) for column, name in numbers},
        }


def first_of(
    study: Study, request: planning.Request | score.ScoringRequest, n: int
) -> list[Question] | list[Candidate]:
    """The first questions of a request, for a look at them."""
    if isinstance(request, score.ScoringRequest):
        return list(score.first(study.store, request, n))
    return list(planning.first(study.store, request, n))
