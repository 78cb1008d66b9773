"""The choices of the leaderboard: whose judgements, rated how, as far as they make sense."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import pandas as pd
import streamlit as st

from core.findings.judgements import Selection
from core.findings.leaderboard import (
    RankSettings,
    has_leading_votes,
    list_needs,
    list_pools,
    reweighting,
)
from core.findings.separability import label_metrics, list_measured
from core.labels import DEBIASING, OVER, glossary
from core.pairing import sorting
from core.records import Kind, Status, TandemError, choose_voting_kind
from core.settings import list_settings
from core.statistics import ENOUGH_JUDGES, MADE_FOR, RATINGS
from core.store import ChosenGenerations, Store
from pages.components.shared.address import bind_choice
from pages.components.shared.cached_report import cached_report
from pages.components.shared.filters import (
    WIDE,
    Choices,
    choose_answers,
    choose_selection,
    comparers_of,
)
from pages.components.shared.frame import Study
from pages.components.shared.report import WIDEST
from pages.components.shared.settings import Offered, choose_kept

_uneven = cached_report()(reweighting.is_uneven)

POSITION: dict[str, dict[str, Any]] = {
    DEBIASING["none"]: {},
    "position term in the model": {"position_term": True},
    DEBIASING["swap"]: {"debias": "swap"},
    DEBIASING["threshold"]: {"debias": "threshold"},
}
POSITION_HELP = """How to correct for a judge that favours the text shown first.
**Position term**: the model estimates the advantage of being first.
**Mean of both orders**: a pair asked in both orders counts once.
**Threshold correction**: probabilities are shifted until both positions win equally often
(Liusie et al. 2024)."""
ELSEWHERE = (
    "method", "ties", "position_term", "debias", "over", "resolve", "reweight",
    "regularise",
)  # fmt: skip
"""Settings that are chosen together, or only where these judgements allow it."""
NO_TRAITS = pd.DataFrame(columns=["judge", "kind", "probabilities", "both_orders"])


PEOPLE, SIMULATED, JUDGES, BOTH = "People", "Simulated voters", "Judges", "Both"


@dataclass(frozen=True)
class Traits:
    """Properties of the chosen judgements: probabilities, pairs in both orders, and each `Trait`
    that methods require. `systems` are those whose texts were compared.
    """

    probabilities: bool
    both_orders: bool
    sorts: bool
    texts: bool
    metrics: tuple[str, ...]
    systems: tuple[str, ...]


@dataclass(frozen=True)
class Board:
    """A leaderboard to show: whose it is ('' if it is the only one), and how it is computed."""

    whose: str
    selection: Selection
    settings: RankSettings


def choices(study: Study) -> list[Board]:
    """Ask for one or two boards: whose judgements, on which attribute, rated how.

    Returns none after saying what to do if there are no judgements.
    """
    comparers = comparers_of(study, "The leaderboard")
    if comparers.empty:
        return []
    shown, row = _group_voters(study, comparers), Choices()
    judges = {whose: _choose_judges(of, whose, row) for whose, of in shown.items()}
    about = choose_selection(study, row, comparers)
    several = [_traits(study, names) for names in judges.values()]
    shared = ("probabilities", "both_orders", "sorts")  # the rest is the data set's
    traits = replace(several[0], **{of: all(vars(one)[of] for one in several) for of in shared})
    settings = _settings(_choose_method(traits, row), traits, row)
    every = [comparers[["judge", "kind"]].isin(names).any(axis=1) for names in judges.values()]
    fewest = min(comparers.loc[mine, "judge"].nunique() for mine in every)
    if fewest >= ENOUGH_JUDGES:
        among = [over for over in OVER if over != "judgements"]
        over = choose_kept(row.further, RankSettings, "over", among, width=WIDEST)
        settings = replace(settings, over=over)
    resolve = choose_kept(row.further, RankSettings, "resolve", width=WIDEST)
    settings = replace(settings, resolve=resolve)
    about = choose_answers(study, about, row)
    selections = {whose: replace(about, judges=names) for whose, names in judges.items()}
    if settings.rating_method.weighable and any(
        _uneven(study.store, selection, study.draws_stamp, otherwise=False)
        for selection in selections.values()
    ):
        settings = replace(settings, reweight=choose_kept(row.further, RankSettings, "reweight"))
    return [
        Board(whose if len(selections) > 1 else "", selection, settings)
        for whose, selection in selections.items()
    ]


def _group_voters(study: Study, comparers: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Ask whose boards to show, and return the comparers of each.

    People and judges are shown together until people's votes name a leader. If nobody has voted,
    simulated voters take people's place, under their own name.
    """
    voting = choose_voting_kind(comparers["kind"])
    votes = comparers["kind"] == voting
    if votes.all() or not votes.any():
        return {"": comparers}
    whose = SIMULATED if voting is Kind.SIMULATED else PEOPLE
    parts = {whose: comparers[votes], JUDGES: comparers[~votes]}
    views = [whose, JUDGES, BOTH]
    first = whose if has_leading_votes(study.store, study.dataset) else BOTH
    bound = bind_choice("whose", first, views)
    view = st.segmented_control("Whose answers", views, required=True, **bound)
    return parts if view == BOTH else {str(view): parts[str(view)]}


def _choose_judges(comparers: pd.DataFrame, whose: str, row: Choices) -> tuple[str, ...]:
    """Ask for all judges of a kind or for one. Nothing is asked for a single person."""
    judges = list_pools(comparers)
    if whose == PEOPLE and comparers["judge"].nunique() == 1:
        return next(iter(judges.values()))
    label, names = whose or JUDGES, list(judges)
    bound = bind_choice(label.lower().replace(" ", "-"), names[0], names)
    return judges[row.place().selectbox(label, names, width=WIDEST, **bound)]


def _choose_method(traits: Traits, row: Choices) -> str:
    methods = [
        method
        for method, how in RATINGS.items()
        if how.outcome != "probabilities" or traits.probabilities
        if all(getattr(traits, need.requires) for need in list_needs(how) if need.requires)
    ]
    methods.sort(key=lambda method: MADE_FOR.index(RATINGS[method].outcome))
    return str(
        choose_kept(
            row.place(), RankSettings, "method", ["", *methods], width=WIDEST,
            more=glossary(RATINGS.values()),
        )
    )  # fmt: skip


def _settings(method: str, traits: Traits, row: Choices) -> RankSettings:
    """Ask for the settings that this method leaves open; only those with several choices."""
    chosen: dict[str, Any] = {"method": method}
    offered: dict[str, Offered] = {
        "separability": label_metrics(traits.metrics),
        "baseline": {"": "the one in every comparison"} | {one: one for one in traits.systems},
    }
    for name in _list_further(method) if method else ():
        first = ("length",) if name == "control" else None
        chosen[name] = choose_kept(
            row.place(), RankSettings, name, offered.get(name), first, width=WIDEST
        )
    every = list_settings(RankSettings)["ties"].choices
    ties = [name for name in every if _is_allowed({**chosen, "ties": name})]
    if len(ties) > 1:
        chosen["ties"] = choose_kept(row.further, RankSettings, "ties", ties, width=WIDE)
    possible = {"swap": traits.both_orders, "threshold": traits.probabilities}
    corrections = [
        name
        for name, correction in POSITION.items()
        if possible.get(correction.get("debias", ""), True) and _is_allowed(chosen | correction)
    ]
    if len(corrections) > 1:
        bound = bind_choice("position", corrections[0], corrections)
        chosen |= POSITION[
            row.further.selectbox(
                "Position bias", corrections, help=POSITION_HELP, width=WIDEST, **bound
            )
        ]
    for name in _list_further(""):
        chosen[name] = choose_kept(row.further, RankSettings, name, width=WIDE)
    return RankSettings(**chosen)


def _list_further(method: str) -> list[str]:
    """Return the settings of a method alone; of '', those that all methods have."""
    return [
        name
        for name, declared in list_settings(RankSettings).items()
        if declared.label and name not in ELSEWHERE
        if (method in declared.methods if method else not declared.methods)
    ]


def _is_allowed(settings: dict[str, Any]) -> bool:
    try:
        RankSettings(**settings)
    except TandemError:
        return False
    return True


def _traits(study: Study, judges: tuple[str, ...]) -> Traits:
    store = study.store
    every = _judge_traits(store, study.dataset, study.judgements_stamp, otherwise=NO_TRAITS)
    mine = every[every["judge"].isin(judges) | every["kind"].isin(judges)]
    plans = store.runs.list_all(dataset=study.dataset, kind="run")
    done = plans[plans["strategy"].isin(sorting()) & (plans["status"] == Status.DONE)]
    return Traits(
        bool(mine["probabilities"].any()),
        bool(mine["both_orders"].any()),
        bool(done["judge"].isin(mine["judge"]).any()),
        store.texts.has_texts(ChosenGenerations(study.dataset, samples=1))
        or store.texts.has_lengths(study.dataset),
        tuple(list_measured(store, study.dataset)),
        tuple(store.datasets.systems(study.dataset)),
    )


@cached_report()
def _judge_traits(store: Store, dataset: str) -> pd.DataFrame:
    return store.judgement_frames.judge_traits(dataset)
