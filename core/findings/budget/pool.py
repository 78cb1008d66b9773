"""The answers that are asked for once more, of one judge or of people together; and their cost."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
import pandas as pd

from ...prices import Prices
from ...records import Kind, TandemError, option_ref
from ...statistics import Codes, Floats
from ...store import Store
from ..judgements import (
    Selection,
    list_selected_comparers,
    name_some,
    select_answered,
    selection_notes,
)


class PooledUnit(NamedTuple):
    """An item under an attribute: `rows` are the places of its answers in the pool, `first` and
    `second` its candidates 0..n-1, `systems` (n,) whose they are.
    """

    number: int
    rows: slice
    first: Codes
    second: Codes
    systems: Codes

    @property
    def n(self) -> int:
        """Number of candidates."""
        return len(self.systems)


@dataclass(frozen=True)
class Pool:
    """Answers as columns (m,), item by item: candidates `first` and `second` within their unit,
    `system_first` and `system_second`, `points` of the first and `prob_a`, NaN if the judge gave no
    probability.

    `candidates` is a frame of all that are compared: unit, attribute, item, generation, system
    (code), unit by unit. `people`: the answers are votes, and a pair may have several.
    """

    judge: str
    people: bool
    systems: tuple[str, ...]
    starts: Codes
    first: Codes
    second: Codes
    system_first: Codes
    system_second: Codes
    points: Floats
    prob_a: Floats
    unit: Codes
    candidates: pd.DataFrame
    frame: pd.DataFrame
    unanswered: Mapping[str, int]
    notes: tuple[str, ...]

    @property
    def items(self) -> int:
        """Number of units."""
        return len(self.starts) - 1

    @property
    def size(self) -> int:
        """Number of answers."""
        return len(self.first)

    @property
    def has_probabilities(self) -> bool:
        """Return whether every answer has a probability."""
        return not np.isnan(self.prob_a).any()

    @property
    def order_known(self) -> bool:
        """Return whether the text shown first is known for every answer."""
        return bool((self.frame["order_known"] == 1).all())

    @cached_property
    def counts(self) -> Codes:
        """Count the candidates of each unit (U,)."""
        return np.bincount(self.candidates["unit"], minlength=self.items)

    def units(self) -> Iterator[PooledUnit]:
        """Iterate over the units of the pool."""
        ends = np.cumsum(self.counts)
        systems = self.candidates["system"].to_numpy()
        for number, (start, end) in enumerate(
            zip(self.starts[:-1].tolist(), self.starts[1:].tolist(), strict=True)
        ):
            rows = slice(start, end)
            those = systems[ends[number] - self.counts[number] : ends[number]]
            yield PooledUnit(number, rows, self.first[rows], self.second[rows], those)

    def combine_units(self) -> PooledUnit:
        """Combine all answers into one unit, as comparisons of systems."""
        systems = np.arange(len(self.systems))
        return PooledUnit(0, slice(0, self.size), self.system_first, self.system_second, systems)


def list_replayed(store: Store, dataset: str) -> list[str]:
    """List whose answers can be replayed: people together, then each judge, scorers last."""
    every = list_selected_comparers(store, Selection(dataset))
    people = every["kind"] == Kind.HUMAN
    others = every[~people].sort_values("derived", kind="stable")["judge"].unique()
    return [*([Kind.HUMAN.value] if people.any() else []), *others]


def fill_judge(store: Store, selection: Selection) -> Selection:
    """Return the selection with the first judge of `list_replayed`, if none is named."""
    if selection.judges or selection.provenance.by_run:
        return selection
    return replace(selection, judges=tuple(list_replayed(store, selection.dataset)[:1]))


def pool(store: Store, selection: Selection) -> Pool:
    """The answers of the judge that is meant. Raises TandemError where that is several models, or
    where nothing was answered.
    """
    frame, unanswered = select_answered(store, selection)
    if frame.empty:
        raise TandemError("nothing to ask again: none of these judgements was answered")
    kinds, judges = set(frame["kind"]), frame["judge"].unique()
    people = kinds == {Kind.HUMAN.value}
    if len(judges) > 1 and not people:
        raise TandemError(
            "a budget is replayed on the answers of one judge: choose with "
            f"{option_ref('judges')} one of {name_some(judges)}"
        )
    notes = list(selection_notes(store, selection))
    partly = int(frame["prob_a"].notna().sum())
    if 0 < partly < len(frame):
        notes.append(
            f"Only {partly:,} of {len(frame):,} answers have a probability: decisions are replayed."
        )
        frame = frame.assign(prob_a=np.nan)
    return _pool(frame, "people" if people else str(judges[0]), people, unanswered, tuple(notes))


def _pool(
    frame: pd.DataFrame, judge: str, people: bool, unanswered: Mapping[str, int],
    notes: tuple[str, ...],
) -> Pool:  # fmt: skip
    systems = sorted({*frame["system_a"], *frame["system_b"]})
    code = {
        f"system_{side}": pd.Index(systems).get_indexer(frame[f"system_{side}"]) for side in "ab"
    }
    frame = frame.assign(unit=frame.groupby(["attribute", "item"]).ngroup(), **code)
    candidates = pd.concat(
        [
            frame[["unit", "attribute", "item", f"generation_{side}", f"system_{side}"]].rename(
                columns={f"generation_{side}": "generation", f"system_{side}": "system"}
            )
            for side in "ab"
        ]
    )
    candidates = (
        candidates.drop_duplicates(["unit", "generation"])
        .sort_values(["unit", "system", "generation"], kind="stable")
        .reset_index(drop=True)
    )
    place = candidates.groupby("unit").cumcount().to_numpy()
    local = pd.Series(place, pd.MultiIndex.from_frame(candidates[["unit", "generation"]]))
    sides = {
        side: local.loc[pd.MultiIndex.from_frame(frame[["unit", f"generation_{side}"]])].to_numpy()
        for side in "ab"
    }
    frame = frame.assign(first=sides["a"], second=sides["b"]).sort_values(
        ["unit", "first", "second"], kind="stable"
    )
    unit = frame["unit"].to_numpy(np.int64)
    return Pool(
        judge=judge,
        people=people,
        systems=tuple(systems),
        starts=np.searchsorted(unit, np.arange(unit[-1] + 2)),
        first=frame["first"].to_numpy(np.int64),
        second=frame["second"].to_numpy(np.int64),
        system_first=frame["system_a"].to_numpy(np.int64),
        system_second=frame["system_b"].to_numpy(np.int64),
        unit=unit,
        points=frame["points"].to_numpy(float),
        prob_a=frame["prob_a"].to_numpy(float),
        candidates=candidates,
        frame=frame,
        unanswered=unanswered,
        notes=notes,
    )


@dataclass(frozen=True)
class Spending:
    """Tokens, money (in the currency of the prices) and seconds a comparison; NaN where nothing was
    recorded.
    """

    tokens: float = np.nan
    money: float = np.nan
    seconds: float = np.nan

    def compute_cost(self, comparisons: float) -> dict[str, float]:
        """Return the cost of this number of comparisons: tokens, money, minutes."""
        return {
            "tokens": self.tokens * comparisons,
            "money": self.money * comparisons,
            "minutes": self.seconds * comparisons / 60,
        }


def estimate_spending(
    store: Store, dataset: str, answered: pd.DataFrame, *, people: bool
) -> Spending:
    """Compute the cost of a comparison, from answers. People: median seconds of their answers.
    Judges: recorded cost of their runs on this data set and recent speed, which may include
    parallel requests.
    """
    seconds = answered["seconds"].astype(float).dropna()
    if people:
        return Spending(seconds=float(seconds.median()) if len(seconds) else np.nan)
    asked_by = answered["run"].dropna().unique()
    plans = store.runs.list_all(dataset=dataset, kind="run")
    runs = plans[plans["run"].isin(asked_by) & (plans["asked"] > 0)]
    if runs.empty:
        return Spending()
    taken = [
        (*store.run_counts.tokens(int(run)), Prices.from_execution(json.loads(execution)))
        for run, execution in zip(runs["run"], runs["execution"], strict=True)
    ]
    answers = float(answered["run"].isin(runs["run"]).sum())
    tokens = float(sum(tokens for tokens, _, _ in taken))
    priced = all(prices.has_any for _, _, prices in taken)
    money = sum(prices.cost(tokens, written) for tokens, written, prices in taken)
    return Spending(
        tokens / answers if tokens else np.nan,
        float(money) / answers if tokens and priced else np.nan,
        _seconds(runs, seconds),
    )


def answer_costs(store: Store, selection: Selection, judges: Sequence[str]) -> list[float]:
    """Compute what an answer by each of these judges has cost; NaN where its runs know no price.

    The judgements are read once, however many judges there are.
    """
    answered, _ = select_answered(store, replace(selection, judges=tuple(judges)))
    by_judge = dict(list(answered.groupby("judge")))
    return [
        estimate_spending(
            store,
            selection.dataset,
            by_judge[judge],
            people=set(by_judge[judge]["kind"]) == {Kind.HUMAN.value},
        ).money
        if judge in by_judge
        else np.nan
        for judge in judges
    ]


def _seconds(runs: pd.DataFrame, answers: pd.Series) -> float:
    """Compute seconds per answer: the pace of the runs, weighted by their size, else the median of
    the answers.
    """
    paced = runs[runs["per_second"] > 0]
    if len(paced):
        return float(np.average(1 / paced["per_second"], weights=paced["asked"]))
    return float(answers.median()) if len(answers) else np.nan
