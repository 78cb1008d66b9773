"""The choices of the leaderboard: whose judgements, rated how, as far as they make sense."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import pandas as pd

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
from pages.components.shared.address import bind_choice, choose_view
from pages.components.shared.cached_report import cached_report
from pages.components.shared.filters import (
    Choices,
    choose_answers,
    choose_selection,
    choose_settings,
    comparers_of,
)
from pages.components.shared.frame import Study
from pages.components.shared.report import WIDEST
from pages.components.shared.settings import Offered, list_labels

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
PLACED = (
    "method", "ties", "position_term", "debias", "over", "resolve", "reweight", "regularise",
)  # fmt: skip
"""Settings that have a place of their own, or are chosen together."""
NO_TRAITS = pd.DataFrame(columns=["judge", "kind", "probabilities", "both_orders"])
Traits = dict[str, Any]
"""Properties of judgements: probabilities, pairs in both orders, and each that methods require."""
PEOPLE, SIMULATED, JUDGES, BOTH = "People", "Simulated voters", "Judges", "Both"


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
    traits, values = _read_traits(study, list(judges.values())), dict[str, Any]()
    every = [comparers[["judge", "kind"]].isin(names).any(axis=1) for names in judges.values()]
    fewest = min(comparers.loc[mine, "judge"].nunique() for mine in every)

    def list_selections() -> dict[str, Selection]:
        return {whose: replace(about, judges=names) for whose, names in judges.items()}

    def offer_reweighting(values: dict[str, Any]) -> Offered | None:
        """Offer it where items were not equally likely to be asked; None is both choices."""
        is_uneven = RankSettings(**values).rating_method.weighable and any(
            _uneven(study.store, selection, study.draws_stamp, otherwise=False)
            for selection in list_selections().values()
        )
        return None if is_uneven else ()

    offered = {
        "method": ["", *_list_methods(traits)],
        "separability": label_metrics(traits["metrics"]),
        "baseline": {"": "the one in every comparison"}
        | {one: one for one in study.store.datasets.systems(study.dataset)},
        "ties": _list_ties,
        "over": [over for over in OVER if over != "judgements"] * (fewest >= ENOUGH_JUDGES),
        "reweight": offer_reweighting,
    }
    wide = {"width": WIDEST}
    asked = {
        **dict.fromkeys(("separability", "baseline", "over", "resolve"), wide),
        "method": {"more": glossary(RATINGS.values()), **wide},
        "control": {"value": ("length",), **wide},
    }
    ask = partial(choose_settings, row, [RankSettings], values, offered, asked)
    ask(["method"])
    others = [name for name in list_labels(RankSettings) if name not in PLACED]
    of_all = [name for name in others if not list_settings(RankSettings)[name].methods]
    ask([name for name in others if values["method"] and name not in of_all])
    ask(["ties"], are_rarer=True)
    values |= _choose_position(values, traits, row)
    ask([*of_all, "over", "resolve"], are_rarer=True)
    about = choose_answers(study, about, row)
    ask(["reweight"], are_rarer=True)
    settings, several = RankSettings(**values), list_selections()
    return [
        Board(whose if len(several) > 1 else "", selection, settings)
        for whose, selection in several.items()
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
    view = choose_view("whose", "Whose answers", views, first)
    return parts if view == BOTH else {view: parts[view]}


def _choose_judges(comparers: pd.DataFrame, whose: str, row: Choices) -> tuple[str, ...]:
    judges = list_pools(comparers)
    if whose == PEOPLE and comparers["judge"].nunique() == 1:
        return next(iter(judges.values()))
    label, names = whose or JUDGES, list(judges)
    bound = bind_choice(label.lower().replace(" ", "-"), names[0], names)
    return judges[row.place().selectbox(label, names, width=WIDEST, **bound)]


def _list_methods(traits: Traits) -> list[str]:
    methods = [
        method
        for method, how in RATINGS.items()
        if how.outcome != "probabilities" or traits["probabilities"]
        if all(traits[need.requires] for need in list_needs(how) if need.requires)
    ]
    return sorted(methods, key=lambda method: MADE_FOR.index(RATINGS[method].outcome))


def _list_ties(values: dict[str, Any]) -> list[str]:
    every = list_settings(RankSettings)["ties"].choices
    ties = [name for name in every if _is_allowed({**values, "ties": name})]
    return ties if len(ties) > 1 else []


def _choose_position(values: dict[str, Any], traits: Traits, row: Choices) -> dict[str, Any]:
    possible = {"swap": traits["both_orders"], "threshold": traits["probabilities"]}
    corrections = [
        name
        for name, correction in POSITION.items()
        if possible.get(correction.get("debias", ""), True) and _is_allowed(values | correction)
    ]
    if len(corrections) < 2:
        return {}
    bound = bind_choice("position", corrections[0], corrections)
    return POSITION[
        row.further.selectbox(
            "Position bias", corrections, help=POSITION_HELP, width=WIDEST, **bound
        )
    ]


def _is_allowed(settings: dict[str, Any]) -> bool:
    try:
        RankSettings(**settings)
    except TandemError:
        return False
    return True


def _read_traits(study: Study, boards: Sequence[tuple[str, ...]]) -> Traits:
    """Read what the judgements of all boards have, and what the data set has."""
    store = study.store
    every = _judge_traits(store, study.dataset, study.judgements_stamp, otherwise=NO_TRAITS)
    mine = [every[every["judge"].isin(names) | every["kind"].isin(names)] for names in boards]
    plans = store.runs.list_all(dataset=study.dataset, kind="run")
    done = plans[plans["strategy"].isin(sorting()) & (plans["status"] == Status.DONE)]
    return {
        "probabilities": all(rows["probabilities"].any() for rows in mine),
        "both_orders": all(rows["both_orders"].any() for rows in mine),
        "sorts": all(done["judge"].isin(rows["judge"]).any() for rows in mine),
        "texts": store.texts.has_texts(ChosenGenerations(study.dataset, samples=1))
        or store.texts.has_lengths(study.dataset),
        "metrics": tuple(list_measured(store, study.dataset)),
    }


@cached_report()
def _judge_traits(store: Store, dataset: str) -> pd.DataFrame:
    return store.judgement_frames.judge_traits(dataset)
