"""The answers that are asked for once more, of one judge or of people together, their cost, and
asking them as a pairing strategy would have.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
import pandas as pd

from ...pairing import BEAM_SIZE, PROB_GAP, STRATEGIES, Pair, SortSettings, Strategy, sort_ranking
from ...prices import Prices
from ...records import Kind, TandemError, option_ref
from ...seeds import draw
from ...statistics import Codes, Floats
from ...store import Store
from ..judgements.answers import list_selected_comparers, select_answered
from ..judgements.selection import Selection, name_some, selection_notes


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
        judge="people" if people else str(judges[0]),
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
        notes=tuple(notes),
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
    paced = runs[runs["per_second"] > 0]
    pace = float(seconds.median()) if len(seconds) else np.nan
    if len(paced):
        pace = float(np.average(1 / paced["per_second"], weights=paced["asked"]))
    return Spending(
        tokens / answers if tokens else np.nan,
        float(money) / answers if tokens and priced else np.nan,
        pace,
    )


@dataclass(frozen=True)
class AskedPlaces:
    """Places of the answers that a strategy asked in one unit, in its order, and, for a sort, the
    answer that counts for each comparison.
    """

    places: Sequence[int]
    answers: Mapping[Pair, float | None]
    seed: int


@dataclass(frozen=True)
class Sheet:
    """A unit as a strategy meets it: the pairs it may ask, and where each ordered comparison's
    answers stand.
    """

    unit: PooledUnit
    pairs: list[Pair]
    places: Mapping[Pair, list[int]]
    values: Floats  # what each answer says: a probability, else points
    rounds: int

    @classmethod
    def from_unit(cls, unit: PooledUnit, values: Floats, *, people: bool) -> Sheet:
        """Build a sheet. `people`: each round holds one vote on each pair, in any order. Otherwise
        each round holds one answer to each ordered comparison; rounds are trials.
        """
        places: dict[Pair, list[int]] = defaultdict(list)
        both: dict[Pair, int] = defaultdict(int)
        for place, pair in enumerate(zip(unit.first.tolist(), unit.second.tolist(), strict=True)):
            places[pair].append(place)
            both[min(pair), max(pair)] += 1
        most = both.values() if people else map(len, places.values())
        return cls(unit, sorted(both), dict(places), values, max(most))

    def ask(self, strategy: Strategy, seed: int) -> AskedPlaces:
        """Everything a strategy asks here, in its order."""
        if strategy.adaptive:
            return self._step_by_step(strategy, seed)
        rng = np.random.default_rng(seed)
        if self.rounds == 1:
            return AskedPlaces(self._ask_once(strategy, self.places, rng), {}, seed)
        left = {pair: rng.permutation(places).tolist() for pair, places in self.places.items()}
        asked: list[int] = []
        for _ in range(self.rounds):
            there = {pair: places[-1:] for pair, places in left.items() if places}
            chosen = self._ask_once(strategy, there, rng)
            for place in chosen:
                left[int(self.unit.first[place]), int(self.unit.second[place])].pop()
            asked += chosen
        return AskedPlaces(asked, {}, seed)

    def _ask_once(
        self, strategy: Strategy, there: Mapping[Pair, list[int]], rng: np.random.Generator
    ) -> list[int]:
        pairs = self.pairs
        if strategy.even:
            pairs = [pair for pair in pairs if pair in there and pair[::-1] in there]
        chosen = strategy.choose(pairs, None, there.keys(), rng)
        return [there[pair][0] for pair in chosen if pair in there]

    def _step_by_step(self, strategy: Strategy, seed: int) -> AskedPlaces:
        answers: dict[Pair, float | None] = {}
        how, known = sorting(strategy), self.places
        while batch := strategy.choose(
            self.pairs, None, known.keys(), np.random.default_rng(seed), answers, how
        ):
            answers |= {  # None where the judge gave none
                pair: float(self.values[known[pair][0]]) if pair in known else None
                for pair in batch
            }
        return AskedPlaces([known[pair][0] for pair in answers if pair in known], answers, seed)

    def ranking(self, strategy: Strategy, asked: AskedPlaces, budget: float) -> Floats:
        """Compute the share of the other candidates that a sort ranks each one above (n,), by its
        first answers.
        """
        some = dict(list(asked.answers.items())[: int(budget)])
        rng = np.random.default_rng(asked.seed)
        rating = np.full(self.unit.n, np.nan)
        for order in sort_ranking(self.pairs, some, rng, sorting(strategy)):
            rating[list(order)] = np.linspace(1, 0, len(order))
        return rating


def sorting(strategy: Strategy) -> SortSettings:
    """Return the default sort settings of a strategy."""
    return SortSettings(BEAM_SIZE, PROB_GAP) if "beam_size" in strategy.takes else SortSettings()


def sheets(pool: Pool) -> list[Sheet]:
    """List the units of a pool with more than one answer; with one there is nothing to choose."""
    values = np.where(np.isnan(pool.prob_a), pool.points, pool.prob_a)
    return [
        Sheet.from_unit(unit, values[unit.rows], people=pool.people)
        for unit in pool.units()
        if unit.rows.stop - unit.rows.start > 1
    ]


def replay_strategy(
    pool: Pool, every: Sequence[Sheet], name: str, number: int, seed: int
) -> tuple[Floats, list[AskedPlaces]]:
    """Return the position of each answer within its unit (m,), inf if it is never asked; and what
    was asked of each sheet.
    """
    strategy = STRATEGIES[name]
    alone = np.repeat(np.diff(pool.starts), np.diff(pool.starts)) == 1
    position = np.where(alone & ~strategy.even, 0.0, np.inf)
    asked = []
    for sheet in every:
        one = sheet.ask(strategy, draw(seed, number, sheet.unit.number))
        place = np.asarray(one.places, dtype=np.int64)
        position[sheet.unit.rows.start + place] = np.arange(len(place))
        asked.append(one)
    return position, asked


def interleave_items(pool: Pool, name: str, position: Floats, number: int, seed: int) -> Floats:
    """(m,) positions in comparisons an item, where items take turns in a random order: first what
    comes first in each, then what comes second; both orders of a pair stay together where a
    strategy asks both.
    """
    turn = np.floor(position / (2 if STRATEGIES[name].even else 1))
    item = np.random.default_rng(draw(seed, number, "items")).permutation(pool.items)[pool.unit]
    order = np.lexsort((position, item, turn))
    place = np.empty(len(order))
    place[order] = np.arange(len(order))
    return np.where(np.isinf(position), np.inf, place / pool.items)
