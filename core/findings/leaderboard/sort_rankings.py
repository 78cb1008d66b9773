"""Rankings by PairS runs, as the pairs they order, for the method `pairs`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any

import pandas as pd

from ...labels import describe_left_out
from ...pairing import planning, sorting
from ...records import Status, TandemError, option_ref
from ...store import Store
from ..judgements.answers import find_judges, select_judgements
from ..judgements.selection import (
    Selection,
    add_families,
    check_selection,
    load_generations,
    name_some,
)
from .settings import Need

SHARE = Need(
    "share", lambda frame, settings: {"share": frame["share"].to_numpy(float)}, requires="sorts"
)
"""How much each pair of a ranking counts."""
ASKED = ["judge", "trial", "attribute", "generation_a", "generation_b"]


@dataclass(frozen=True)
class SortedPairs:
    """Pairs of candidates of every ranking, `pairs`: judge, attribute, item, family, system_a and
    generation_a (ranked above), system_b and generation_b, points (1), share (1 / (N - 1) of a
    ranking of N).

    `answers` are the judgements the sorts went by, `unanswered` those they had to do without, by
    reason. `signed` is what a signature says of the runs.
    """

    pairs: pd.DataFrame
    answers: pd.DataFrame
    unanswered: Mapping[str, int]
    notes: tuple[str, ...] = ()
    signed: Mapping[str, object] = field(default_factory=dict)


def load_sorted_pairs(store: Store, selection: Selection) -> SortedPairs:
    """Load the rankings by the chosen judges' finished PairS runs, the newest of each judge, trial,
    attribute and item.

    Raises TandemError if there are no such rankings.
    """
    check_selection(store, selection)
    runs = _find_runs(store, selection)
    known = load_generations(store, selection)
    of = dict(zip(known["generation"].tolist(), known["system"], strict=True))
    orders, asked, used_runs = _find_newest(store, selection, runs)
    # A sort of all systems also went by what the judge said of those that are not shown.
    judgements, _ = select_judgements(store, replace(selection, systems=()))
    used = judgements.merge(pd.DataFrame(asked, columns=ASKED), on=ASKED)
    answers = used.dropna(subset="points")
    told = set(
        zip(*(answers[name] for name in ("judge", "trial", "attribute", "item")), strict=True)
    )
    rows: list[dict[str, Any]] = []
    silent = 0
    for (judge, trial, attribute, item), samples in orders.items():
        ranked = [[generation for generation in order if generation in of] for order in samples]
        ranked = [order for order in ranked if len(order) > 1]
        if ranked and (judge, trial, attribute, item) not in told:
            silent += 1  # nothing was answered: the order is the shuffle the sort began with
            continue
        rows += [
            {
                "judge": judge, "attribute": attribute, "item": item, "points": 1.0,
                "share": 1 / (len(order) - 1),
                "system_a": of[above], "system_b": of[below], "generation_a": above,
                "generation_b": below,
            }
            for order in ranked
            for above, below in combinations(order, 2)
        ]  # fmt: skip
    if not rows:
        raise TandemError(
            "the PairS runs of this selection have ranked nothing: their judge answered no "
            "comparison"
        )
    unanswered = Counter(used.loc[used["points"].isna(), "failure"].tolist())
    notes = (
        (f"{describe_left_out(silent, 'ranking')}: the judge answered none of the comparisons.",)
        if silent
        else ()
    )
    pairs = add_families(store, selection, pd.DataFrame(rows))
    return SortedPairs(pairs, answers, unanswered, notes, _sign_sorts(store, used_runs))


def _sign_sorts(store: Store, runs: Sequence[int]) -> dict[str, object]:
    sorts = [planning.Request.from_settings(store.runs.get(run).settings) for run in runs]
    told = {
        "run": runs,
        "beam": [sort.beam_size for sort in sorts if sort.beam_size],
        "calibrate": ["yes" for sort in sorts if sort.calibrate],
    }
    return {name: "+".join(dict.fromkeys(map(str, values))) for name, values in told.items()}


def _find_runs(store: Store, selection: Selection) -> list[int]:
    judges = find_judges(store, selection)["judge"].unique()
    plans = store.runs.list_all(dataset=selection.dataset, kind="run")
    plans = plans[plans["strategy"].isin(sorting()) & plans["judge"].isin(judges)]
    meant = selection.provenance.chosen_runs(store, selection.dataset)
    if meant is not None:
        plans = plans[plans["run"].isin(meant["run"])]
    if selection.trials:
        asking = store.runs.load_asking(selection.dataset)
        of_trials = asking.loc[asking["trial"].isin(selection.trials), "run"]
        plans = plans[plans["run"].isin(of_trials)]
    done = plans[plans["status"] == Status.DONE]
    if len(plans) and done.empty:
        raise TandemError(
            f"run {plans['run'].iloc[0]} has not finished sorting: `runs` shows how far it is"
        )
    if done.empty:
        raise TandemError(
            f"no PairS run by {name_some(judges)} here, so there are no rankings: "
            f"`judge {option_ref('pairs')} pairs-greedy` makes some"
        )
    return [int(run) for run in done["run"]]


_Key = tuple[str, int, str, str]


def _find_newest(
    store: Store, selection: Selection, runs: list[int]
) -> tuple[dict[_Key, list[tuple[int, ...]]], list[tuple[Any, ...]], list[int]]:
    """(judge, trial, attribute, item) -> the order of each sample; the comparisons those sorts
    asked; and the runs these are of.
    """
    orders: dict[_Key, list[tuple[int, ...]]] = {}
    asked: list[tuple[Any, ...]] = []
    used: list[int] = []
    for run in runs:
        plan = store.runs.get(run)
        new = {
            (plan.judge, plan.trial, attribute, item): order
            for (attribute, item), order in planning.ranking(store, run).items()
            if selection.attribute in (None, attribute)
        }
        new = {key: order for key, order in new.items() if key not in orders}
        orders |= new
        asked += list(_list_asked(store, run, selection.dataset, new))
        used += [run] if new else []
    return orders, asked, used


def _list_asked(
    store: Store, run: int, dataset: str, keys: Mapping[_Key, object]
) -> Iterator[tuple[Any, ...]]:
    for attribute in dict.fromkeys(attribute for _, _, attribute, _ in keys):
        for item, pairs in store.runs.planned_comparisons(
            run, store.datasets.attribute_id(dataset, attribute)
        ).items():
            judge, trial = next(iter(keys))[:2]
            if (judge, trial, attribute, item) in keys:
                yield from ((judge, trial, attribute, first, second) for first, second in pairs)
