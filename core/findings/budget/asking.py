"""Asking the answers of a pool once more, as a pairing strategy would have."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ...pairing import BEAM_SIZE, PROB_GAP, STRATEGIES, Pair, Sorting, Strategy, sort_ranking
from ...seeds import draw
from ...statistics import Floats
from .pool import Pool, PooledUnit


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
        how, known = sorting(strategy), self.places.keys()
        while batch := strategy.choose(
            self.pairs, None, known, np.random.default_rng(seed), answers, how
        ):
            answers |= {pair: self._answer(pair) for pair in batch}
        asked = [self.places[pair][0] for pair in answers if pair in self.places]
        return AskedPlaces(asked, answers, seed)

    def _answer(self, pair: Pair) -> float | None:
        """None where the judge gave none."""
        return float(self.values[self.places[pair][0]]) if pair in self.places else None

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


def sorting(strategy: Strategy) -> Sorting:
    """Return the default sort settings of a strategy."""
    return Sorting(BEAM_SIZE, PROB_GAP) if "beam_size" in strategy.takes else Sorting()


def sheets(pool: Pool) -> list[Sheet]:
    """List the units of a pool with more than one answer; with one there is nothing to choose."""
    values = np.where(np.isnan(pool.prob_a), pool.points, pool.prob_a)
    return [
        Sheet.from_unit(unit, values[unit.rows], people=pool.people)
        for unit in pool.units()
        if unit.rows.stop - unit.rows.start > 1
    ]


def replay(
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
