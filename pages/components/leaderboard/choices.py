"""The choices of the leaderboard: whose judgements, rated how. What makes no sense for these
judgements is not offered.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import pandas as pd
import streamlit as st

from core.analysis.judgements import Selection
from core.analysis.ranking import RankSettings, reweighting
from core.pairing import SORTS
from core.records import Kind, Status, TandemError
from core.similarity import make_metric
from core.statistics import RATINGS
from core.store import Chosen, Store
from pages.components.separability.choices import NAMES
from pages.components.shared.cached_report import cached_report
from pages.components.shared.filters import (
    WIDE,
    choose_attribute,
    choose_subset,
    comparers_of,
)
from pages.components.shared.frame import Study
from pages.components.shared.report import WIDEST

GROUPS = {
    Kind.HUMAN: "people",
    Kind.LLM: "all language models",
    Kind.GOLD: "gold labels",
    Kind.BASELINE: "all baselines",
}
METHODS = {
    "win-ratio": "win ratio",
    "bradley-terry": "Bradley-Terry",
    "elo": "Elo",
    "sep-elo": "sep-Elo",
    "average-probability": "average probability",
    "bradley-terry-soft": "Bradley-Terry on probabilities",
    "product-of-experts": "product of experts",
    "likelihood": "likelihood ranking",
    "pairs": "PairS rankings",
}
METHODS_HELP = """**Win ratio**: the share of comparisons won, a tie counting half.
**Bradley-Terry**: strengths that make the observed wins most likely. They account for the
strength of the opponents. **Elo**: ratings updated one comparison after another, as in chess.
**sep-Elo** (Ghosh et al. 2024): Elo that moves more on items whose texts are separable.
**Average probability**: the mean probability a judge gives the system.
**Bradley-Terry on probabilities** and **product of experts**: strengths that fit a judge's
probabilities best. They need few comparisons. These three need a judge that gives probabilities.
**Likelihood ranking**: the order that makes all answers together most likely.
**PairS rankings**: the mean rank over the rankings that runs by merge sort have made."""
TIES = {"half": "half a win each", "drop": "left out", "model": "modelled (Davidson)"}
TIES_HELP = """**Half a win each** is usual. **Left out**: only decisive answers count.
**Modelled**: a tie is likelier the closer two systems are (Davidson 1970)."""
POSITION: dict[str, dict[str, Any]] = {
    "not corrected": {},
    "position term in the model": {"position_term": True},
    "mean of both orders": {"debias": "swap"},
    "threshold correction": {"debias": "threshold"},
}
POSITION_HELP = """How to correct for a judge that favours the text shown first.
**Position term**: the model estimates the advantage of being first.
**Mean of both orders**: a pair asked in both orders counts once.
**Threshold correction**: probabilities are shifted until both positions win equally often
(Liusie et al. 2024)."""
REWEIGHT_HELP = """Some comparisons were likelier to be asked than others, because items were drawn
by their separability. **Re-weighted**, each comparison counts 1 / the probability that it was
asked. The figures then describe all items that could have been drawn."""


@dataclass(frozen=True)
class Traits:
    """What the chosen judgements allow: probabilities, pairs in both orders, finished sorts,
    metrics that are measured.
    """

    probabilities: bool
    both_orders: bool
    sorts: bool
    metrics: tuple[str, ...]


def choices(study: Study) -> tuple[Selection, RankSettings] | None:
    """Whose judgements, on which attribute, rated how; None after saying what to do when there are
    none.
    """
    comparers = comparers_of(study, "The leaderboard")
    if comparers.empty:
        return None
    judges = _judges(comparers)
    row = st.container(horizontal=True)
    judge = row.selectbox("Judges", list(judges), width=WIDEST)
    attribute = choose_attribute(comparers["attribute"], row)
    selection = Selection(
        study.dataset,
        subset=choose_subset(study, row),
        attribute=attribute,
        judges=judges[judge],
    )
    traits = _traits(study, judges[judge])
    methods = [method for method in METHODS if _offered(method, traits)]
    method = row.selectbox(
        "Rating method", methods, format_func=METHODS.__getitem__, help=METHODS_HELP, width=WIDEST
    )
    settings = _settings(method, traits)
    if RATINGS[method].weighable and _uneven(study.store, selection, study.draws_stamp):
        settings = replace(
            settings, reweight=st.toggle("Re-weight to all items", help=REWEIGHT_HELP)
        )
    return selection, settings


def _settings(method: str, traits: Traits) -> RankSettings:
    """The choices that this method leaves open; none is shown where there is but one."""
    row = st.container(horizontal=True)
    chosen: dict[str, Any] = {"method": method}
    if method == "sep-elo":
        chosen["separability"] = row.selectbox(
            "Similarity metric",
            traits.metrics,
            format_func=NAMES.__getitem__,
            help="The metric that separability is measured with.",
            width=WIDEST,
        )
    ties = [name for name in TIES if _allowed({**chosen, "ties": name})]
    if len(ties) > 1:
        chosen["ties"] = row.selectbox(
            "Ties", ties, format_func=TIES.__getitem__, help=TIES_HELP, width=WIDE
        )
    corrections = [
        name
        for name, correction in POSITION.items()
        if _possible(correction, traits) and _allowed({**chosen, **correction})
    ]
    if len(corrections) > 1:
        chosen |= POSITION[
            row.selectbox("Position bias", corrections, help=POSITION_HELP, width=WIDEST)
        ]
    return RankSettings(**chosen)


def _allowed(settings: dict[str, Any]) -> bool:
    try:
        RankSettings(**settings)
    except TandemError:
        return False
    return True


def _possible(correction: dict[str, Any], traits: Traits) -> bool:
    return {"swap": traits.both_orders, "threshold": traits.probabilities}.get(
        correction.get("debias", ""), True
    )


def _offered(method: str, traits: Traits) -> bool:
    needs = {"probabilities": traits.probabilities, "rankings": traits.sorts}
    return needs.get(RATINGS[method].outcome, True) and (
        method != "sep-elo" or bool(traits.metrics)
    )


def _traits(study: Study, judges: tuple[str, ...]) -> Traits:
    store = study.store
    every = _judge_traits(store, study.dataset, study.judgements_stamp)
    mine = every[every["judge"].isin(judges) | every["kind"].isin(judges)]
    plans = store.runs.plans(dataset=study.dataset, kind="run")
    done = plans[plans["strategy"].isin(SORTS) & (plans["status"] == Status.DONE)]
    keys = {name: make_metric(name).signatures[name] for name in NAMES}  # the paper's first
    measured = tuple(
        name
        for name, key in keys.items()
        if store.similarities.extent(key, Chosen(study.dataset)).measured
    )
    return Traits(
        bool(mine["probabilities"].any()),
        bool(mine["both_orders"].any()),
        bool(done["judge"].isin(mine["judge"]).any()),
        measured,
    )


@cached_report(spinner=False)
def _uneven(store: Store, selection: Selection) -> bool:
    return reweighting.uneven(store, selection)


@cached_report(spinner=False)
def _judge_traits(store: Store, dataset: str) -> pd.DataFrame:
    return store.judgement_frames.judge_traits(dataset)


def _judges(comparers: pd.DataFrame) -> dict[str, tuple[str, ...]]:
    """What can be chosen -> the judges it means: groups first, then each judge, the coin last."""
    kinds = set(comparers["kind"])
    groups = {name: (kind.value,) for kind, name in GROUPS.items() if kind in kinds}
    names = sorted(
        set(comparers["judge"]), key=lambda name: (name.startswith("baseline:random"), name)
    )
    one_by_one = {name: (name,) for name in names}
    # A pool of baselines means little: it is there, but not what the page opens with.
    pool = {name: groups.pop(name) for name in [GROUPS[Kind.BASELINE]] if name in groups}
    return {**groups, **one_by_one, **pool}
