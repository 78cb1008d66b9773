"""The choices of the leaderboard: whose judgements, rated how. What makes no sense for these
judgements is not offered.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st

from core.analysis.judgements import Selection
from core.analysis.ranking import RankSettings, reweighting
from core.labels import DEBIASING, POOLS, TIES, glossary
from core.pairing import sorting
from core.records import Kind, Status, TandemError
from core.similarity import METRICS, Measured, make_metric
from core.statistics import MADE_FOR, RATINGS
from core.store import Chosen, Store
from pages.components.shared.frame import Study
from pages.components.shared.report import ALL, judged, subset

TIES_HELP = """**Half a win each** is usual. **Left out**: only decisive answers count. **An outcome
of their own**: a tie is
likelier the closer two systems are (Davidson 1970)."""
POSITION: dict[str, dict[str, Any]] = {
    "left as it is": {},
    "fitted and taken out": {"position_term": True},
    DEBIASING["swap"]: {"debias": "swap"},
    DEBIASING["threshold"]: {"debias": "threshold"},
}
POSITION_HELP = """What being shown first does to a judge. **Fitted and taken out**: one more number
in the model. **Mean of both
orders**: pairs asked in both orders count once. **Balanced by threshold**: probabilities are moved
so that both positions win
equally often (Liusie et al. 2024)."""

REWEIGHT_HELP = """Some of these comparisons were likelier to be asked than others: items were drawn
by how far their texts can be
told apart. **Re-weighted**, each counts 1 / the probability that it was asked, so that the figures
are about all items that could
have been drawn."""


@dataclass(frozen=True)
class Traits:
    """What the chosen judgements allow: probabilities, pairs in both orders, finished sorts,
    metrics that are measured.
    """

    probabilities: bool
    both_orders: bool
    sorts: bool
    metrics: tuple[str, ...]


def filters(study: Study) -> tuple[Selection, RankSettings] | None:
    """Whose judgements, on which attribute, rated how; None after saying what to do when there are
    none.
    """
    there = judged(study, "the leaderboard")
    if there.empty:
        return None
    judges = _judges(there)
    attributes = list(dict.fromkeys(there["attribute"]))
    who, what, *where, how = st.columns(
        4 if len(study.store.datasets.subsets(study.dataset)) > 1 else 3
    )
    judge = who.selectbox("Judged by", list(judges))
    attribute = what.selectbox(
        "Attribute", [ALL, *attributes] if len(attributes) > 1 else attributes
    )
    traits = _traits(study, judges[judge])
    methods = sorted(
        (method for method in RATINGS if _offered(method, traits)),
        key=lambda method: MADE_FOR.index(RATINGS[method].outcome),
    )
    method = how.selectbox(
        "Rated by",
        methods,
        format_func=lambda name: RATINGS[name].label,
        help=glossary(RATINGS.values()),
    )
    only = subset(study, where[0]) if where else None
    selection = Selection(
        study.dataset,
        subset=only,
        attribute=None if attribute == ALL else attribute,
        judges=judges[judge],
    )
    settings = _more(method, traits)
    if RATINGS[method].weighable and _uneven(study.store.path, _drawn(study), selection):
        settings = replace(
            settings, reweight=st.toggle("Re-weight to all items", help=REWEIGHT_HELP)
        )
    return selection, settings


def _more(method: str, traits: Traits) -> RankSettings:
    """The choices that this method leaves open; none is shown where there is but one."""
    columns = iter(st.columns(3))
    chosen: dict[str, Any] = {"method": method}
    if "separability" in RATINGS[method].takes:
        label = "How alike two texts are"
        chosen["separability"] = next(columns).selectbox(
            label,
            traits.metrics,
            format_func=lambda name: METRICS[name].label,
            help="The metric of separability.",
        )
    ties = [name for name in TIES if _allowed({**chosen, "ties": name})]
    if len(ties) > 1:
        chosen["ties"] = next(columns).selectbox(
            "Ties", ties, format_func=TIES.__getitem__, help=TIES_HELP
        )
    ways = [
        name
        for name, way in POSITION.items()
        if _possible(way, traits) and _allowed({**chosen, **way})
    ]
    if len(ways) > 1:
        way = next(columns).selectbox("Effect of being shown first", ways, help=POSITION_HELP)
        chosen |= POSITION[way]
    return RankSettings(**chosen)


def _allowed(settings: dict[str, Any]) -> bool:
    try:
        RankSettings(**settings)
    except TandemError:
        return False
    return True


def _possible(way: dict[str, Any], traits: Traits) -> bool:
    return {"swap": traits.both_orders, "threshold": traits.probabilities}.get(
        way.get("debias", ""), True
    )


def _offered(method: str, traits: Traits) -> bool:
    needs = {"probabilities": traits.probabilities, "rankings": traits.sorts}
    return needs.get(RATINGS[method].outcome, True) and (
        "separability" not in RATINGS[method].takes or bool(traits.metrics)
    )


def _traits(study: Study, judges: tuple[str, ...]) -> Traits:
    store = study.store
    every = _judge_traits(store.path, store.judgement_frames.stamp(study.dataset), study.dataset)
    mine = every[every["judge"].isin(judges) | every["kind"].isin(judges)]
    plans = store.runs.plans(dataset=study.dataset, kind="run")
    done = plans[plans["strategy"].isin(sorting()) & (plans["status"] == Status.DONE)]
    metrics = sorted(METRICS, key=lambda name: name != Measured.metric)  # the paper's first
    keys = {name: make_metric(name).signatures[name] for name in metrics}
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


def _drawn(study: Study) -> str:
    """A text that changes with the judgements, and with how they were drawn."""
    return study.store.judgement_frames.stamp(study.dataset) + study.store.inclusions.draws_stamp(
        study.dataset
    )


@st.cache_data(max_entries=64, show_spinner=False)
def _uneven(path: Path, stamp: str, selection: Selection) -> bool:
    with Store(path) as store:
        return reweighting.uneven(store, selection)


@st.cache_data(max_entries=64, show_spinner=False)
def _judge_traits(path: Path, stamp: str, dataset: str) -> pd.DataFrame:
    with Store(path) as store:
        return store.judgement_frames.judge_traits(dataset)


def _judges(there: pd.DataFrame) -> dict[str, tuple[str, ...]]:
    """What can be chosen -> the judges it means: groups first, then each judge, the coin last."""
    kinds = set(there["kind"])
    groups = {name: (kind.value,) for kind, name in POOLS.items() if kind in kinds}
    names = sorted(set(there["judge"]), key=lambda name: (name.startswith("baseline:random"), name))
    one_by_one = {name: (name,) for name in names}
    # A pool of baselines means little: it is there, but not what the page opens with.
    pool = {name: groups.pop(name) for name in [POOLS[Kind.BASELINE]] if name in groups}
    return {**groups, **one_by_one, **pool}
