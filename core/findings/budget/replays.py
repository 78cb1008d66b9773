"""Replay rankings from part of the answers, and compare them with the ranking from all, also among
some candidates, and with that of people.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import Annotated, Any, NamedTuple

import numpy as np
import pandas as pd

from ...frames import get_schema
from ...pairing import STRATEGIES
from ...records import Kind
from ...rendering import declare_rows
from ...seeds import draw
from ...statistics import RATINGS, Floats, Target, intervals, replay
from ...store import Store
from ..judgements.answers import average_rater_marks, list_comparers, select_answered
from ..judgements.selection import Selection
from ..judgements.verdicts import orient
from .columns import BY_ALL, FEWER, FIGURES, REPLAYS, SORTED, SUBSETS, BudgetSettings
from .pool import AskedPlaces, Pool, PooledUnit, interleave_items, replay_strategy, sheets


@dataclass(frozen=True)
class ReferenceOrder:
    """Reference that rankings are compared with: its description, its order in each unit, and its
    order of all systems.
    """

    words: str
    of_units: Sequence[Target]
    of_systems: Target


def reference(store: Store, selection: Selection, pool: Pool, rater: str) -> ReferenceOrder | None:
    """Return the reference order: the scores by `rater`; if no rater is named, those by people,
    else people's votes, else gold labels. None if only the judge itself gave any.
    """
    everybody = replace(selection, judges=(), runs=(), trials=(), strategies=())
    there = list_comparers(store, selection.dataset)
    there = there[there["attribute"].isin(pool.candidates["attribute"])]
    marked = there[there["derived"] & (there["kind"] == Kind.HUMAN)]["judge"]
    if rater or (len(marked) and not set(marked) & set(pool.frame["judge"])):
        return _order_by_scores(
            pool, average_rater_marks(store, everybody, rater or Kind.HUMAN.value), rater
        )
    compared = there[~there["derived"] & ~there["judge"].isin(pool.frame["judge"])]["kind"]
    for kind, words in ((Kind.HUMAN, "people's votes"), (Kind.GOLD, "gold labels")):
        if not pool.people and kind.value in set(compared):
            votes, _ = select_answered(store, replace(everybody, judges=(kind.value,)))
            found = _order_by_votes(pool, votes, words)
            if found:
                return found
    return None


def _order_by_scores(pool: Pool, marks: pd.DataFrame, rater: str) -> ReferenceOrder:
    known = marks.set_index(["attribute", "generation"])["value"]
    candidates = pool.candidates
    keys = pd.MultiIndex.from_frame(candidates[["attribute", "generation"]])
    values = known.reindex(keys).to_numpy(float)
    systems = candidates["system"].to_numpy()
    there = ~np.isnan(values)
    size = len(pool.systems)
    with np.errstate(invalid="ignore"):
        means = np.bincount(systems[there], values[there], minlength=size) / np.bincount(
            systems[there], minlength=size
        )
    ends = np.cumsum(pool.counts)
    of_units = [Target.from_values(one) for one in np.split(values, ends[:-1])]
    whose = f"rater {rater!r}" if rater else "people"
    return ReferenceOrder(f"the scores by {whose}", of_units, Target.from_values(means))


def _order_by_votes(pool: Pool, votes: pd.DataFrame, words: str) -> ReferenceOrder | None:
    sides = orient(votes)
    place = pd.Series(
        pool.candidates.index.to_numpy(),
        pd.MultiIndex.from_frame(pool.candidates[["attribute", "generation"]]),
    )
    both = [
        place.reindex(pd.MultiIndex.from_frame(sides[["attribute", name]])).to_numpy(float)
        for name in ("candidate_1", "candidate_2")
    ]
    there = ~np.isnan(both[0] + both[1])
    if not there.any():
        return None
    one, other = (side[there].astype(np.int64) for side in both)
    points = sides["points_1"].to_numpy(float)[there]
    means = pd.Series(points, name="mean").groupby([one, other]).mean()
    pairs = means.rename_axis(["better", "worse"]).reset_index()
    lost = pairs["mean"] < 0.5
    pairs.loc[lost, ["better", "worse"]] = pairs.loc[lost, ["worse", "better"]].to_numpy()
    pairs = pairs[pairs["mean"] != 0.5]
    starts = np.cumsum(pool.counts) - pool.counts
    of_units = [NOTHING] * pool.items
    by_unit: Any = pairs.groupby(pool.candidates["unit"].to_numpy()[pairs["better"]])
    for number, of in by_unit:
        better, worse = (of[side].to_numpy() - starts[number] for side in ("better", "worse"))
        of_units[number] = Target.of_pairs(better, worse)
    system = pool.candidates["system"].to_numpy()
    strengths = RATINGS["bradley-terry"].rate(
        system[one], system[other], points, n=len(pool.systems)
    )
    return ReferenceOrder(words, of_units, Target.from_values(strengths))


NOTHING = Target.of_pairs(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))


FewerRows = Annotated[pd.DataFrame, declare_rows(FEWER)]

SIZES = 12  # numbers of candidates that are tried, at most


def fewer_candidates(
    pool: Pool, units: Sequence[PooledUnit], people: Sequence[Target], seed: int
) -> FewerRows:
    """The share of pairs that the win ratio among some candidates alone orders as that of all
    candidates does, and as people do (FEWER).

    A draw takes as many candidates of each unit, which share one weight a pair.
    """
    most = max(unit.n for unit in units)
    steps = np.linspace(2, most, SIZES) if most > 2 else np.zeros(0)
    tables = [
        replay.points_and_times(unit.first, unit.second, pool.points[unit.rows], n=unit.n)
        for unit in units
    ]
    ratios = (points.sum(axis=1) / np.maximum(times.sum(axis=1), 1) for points, times in tables)
    full = [Target.from_values(ratio, level=True) for ratio in ratios]
    rows = []
    for size in np.unique(np.round(steps)).astype(int).tolist():
        counted = np.zeros((4, SUBSETS))
        for unit, (points, times), whole, other in zip(units, tables, full, people, strict=True):
            rng = np.random.default_rng(draw(seed, "fewer", size, unit.number))
            chosen = replay.drawn_candidates(unit.n, min(size, unit.n), SUBSETS, rng)
            counted[:2] += replay.count_ordered_in_subsets(points, times, chosen, whole)
            counted[2:] += replay.count_ordered_in_subsets(points, times, chosen, other)
        rows.append((size, *_share(*counted[:2]), *_share(*counted[2:])))
    return get_schema(FewerRows).make(rows)


def _share(right: Floats, pairs: Floats) -> tuple[float, float, float]:
    shares = right[pairs > 0] / pairs[pairs > 0]
    if not len(shares):
        return np.nan, np.nan, np.nan
    low, high = np.quantile(shares, [0.025, 0.975])
    return float(right.sum() / pairs.sum()), float(low), float(high)


ReplayRows = Annotated[pd.DataFrame, declare_rows(REPLAYS)]
ByAllRows = Annotated[pd.DataFrame, declare_rows(BY_ALL)]

CELLS = 2 * 10**7  # weights held at once


class RatingWay(NamedTuple):
    """A rating method, with or without the threshold that takes out position bias."""

    method: str
    debias: str


class Replays:
    """Everything that is replayed of a pool."""

    def __init__(
        self, pool: Pool, settings: BudgetSettings, known: ReferenceOrder | None, seed: int
    ) -> None:
        self.pool, self.settings, self.seed = pool, settings, seed
        self.units = list(pool.units()) if settings.level == "item" else [pool.combine_units()]
        self.people: list[Target] = [NOTHING] * len(self.units)
        if known:
            self.people = [*known.of_units] if settings.level == "item" else [known.of_systems]
        self.sheets = sheets(pool)
        self.budgets = budgets(pool, settings)
        self.ways = [RatingWay(*way) for way in product(settings.methods, settings.corrections)]
        once, all_ = np.zeros((1, self.pool.size)), np.array([np.inf])
        taus = self._taus(once, all_)
        self.best = {
            way: [
                Target.from_values(rating[0], level=True)
                for rating in self._ratings(way, once, all_, taus)
            ]
            for way in self.ways
        }

    @cached_property
    def has_differences(self) -> bool:
        """Return whether all answers together separate any two candidates by more than chance: each
        item, or of candidates of one item each answer, may favour either side. Ties alone give no
        ranking to reach.
        """
        if not any(target.sign.any() for targets in self.best.values() for target in targets):
            return False
        pool = self.pool
        outcome = pool.prob_a if pool.has_probabilities else pool.points
        first, second = pool.system_first, pool.system_second
        groups = pd.factorize(pool.frame["family"])[0]
        if self.settings.level == "item":
            before = (np.cumsum(pool.counts) - pool.counts)[pool.unit]
            first, second, groups = before + pool.first, before + pool.second, np.arange(pool.size)
        rng = np.random.default_rng(self.seed)
        return replay.compute_chance_p(first, second, outcome, groups, rng) <= intervals.ALPHA

    def rows(self) -> ReplayRows:
        """The mean of each figure over the replays, and where 95% of them lie: NaN of one."""
        parts = [self._replay_strategy(strategy) for strategy in self.settings.pairings]
        rows = [row for part in parts for row in part]
        return get_schema(ReplayRows).make(rows)

    def by_all(self) -> ByAllRows:
        """Compute how well the ranking from all answers agrees with people."""
        rows = []
        for way, targets in self.best.items():
            figures = [
                _compare_with_target(np.asarray(target.values)[None], people)
                for target, people in zip(targets, self.people, strict=True)
            ]
            means = _mean(figures)
            rows.append((way.method, way.debias, float(means[0][0]), float(means[1][0])))
        return get_schema(ByAllRows).make(rows)

    def _replay_strategy(self, strategy: str) -> Iterator[dict[str, object]]:
        # Where both orders of a pair are asked together, an odd budget is one too many.
        whole = STRATEGIES[strategy].even and self.settings.level == "item"
        budgets = np.unique(self.budgets // 2 * 2) if whole else self.budgets
        budgets = budgets[budgets > 0]
        ways = [RatingWay(SORTED, "none")] if STRATEGIES[strategy].sorts else self.ways
        parts: dict[RatingWay, list[Floats]] = {way: [] for way in ways}
        at_once = max(1, CELLS // (len(budgets) * max(len(unit.first) for unit in self.units)))
        times = self.settings.times(strategy)
        for start in range(0, times, at_once):
            numbers = range(start, min(start + at_once, times))
            drawn = [
                replay_strategy(self.pool, self.sheets, strategy, number, self.seed)
                for number in numbers
            ]
            position = np.stack([own for own, _ in drawn])
            if self.settings.level == "system":
                position = np.stack(
                    [
                        interleave_items(self.pool, strategy, own, number, self.seed)
                        for number, own in zip(numbers, position, strict=True)
                    ]
                )
            asked = np.stack([(position < budget).sum(axis=1) for budget in budgets], axis=1)
            taus = self._taus(position, budgets)
            for way in ways:
                if way.method == SORTED:
                    ratings = self._rate_sorts(strategy, [one for _, one in drawn], budgets)
                    targets = self.best[self.ways[0]]
                else:
                    ratings = self._ratings(way, position, budgets, taus)
                    targets = self.best[way]
                held = [
                    (*_compare_with_target(rating, target), *_compare_with_target(rating, people))
                    for rating, target, people in zip(ratings, targets, self.people, strict=True)
                ]
                figures = [value.reshape(asked.shape) for value in _mean(held)]
                parts[way].append(np.stack([asked / self.pool.items, *figures]))
        for way in ways:
            yield from self._summary(way, strategy, np.concatenate(parts[way], axis=1), budgets)

    def _taus(self, position: Floats, budgets: Floats) -> Floats:
        if "threshold" not in self.settings.corrections:
            return np.full((len(position), len(budgets)), 0.5)
        return replay.thresholds(position, budgets, self.pool.prob_a)

    def _ratings(
        self, way: RatingWay, position: Floats, budgets: Floats, taus: Floats
    ) -> Iterator[Floats]:
        """(C * K, n) of each unit."""
        pool = self.pool
        for unit in self.units:
            if way.debias == "threshold":
                outcome = replay.debias(
                    pool.prob_a[unit.rows], taus.ravel(), decisions=self._by_points(way)
                )
            else:
                outcome = (pool.points if self._by_points(way) else pool.prob_a)[unit.rows]
            yield replay.rate_draws(
                RATINGS[way.method],
                (unit.first, unit.second, outcome),
                n=unit.n,
                weights=replay.weights(position[:, unit.rows], budgets),
                decisions=self._by_points(way),
            )

    def _by_points(self, way: RatingWay) -> bool:
        takes = RATINGS[way.method].outcome
        return takes == "decisions" or (takes == "either" and not self.pool.has_probabilities)

    def _rate_sorts(
        self, strategy: str, drawn: Sequence[Sequence[AskedPlaces]], budgets: Floats
    ) -> Iterator[Floats]:
        """(C * K, n) of each unit: the places a sort gives, or over all items their mean."""
        how = STRATEGIES[strategy]
        places = (
            np.stack(
                [sheet.ranking(how, asked[at], budget) for asked in drawn for budget in budgets]
            )
            for at, sheet in enumerate(self.sheets)
        )
        if self.settings.level == "item":
            yield from places
            return
        total = np.zeros((len(drawn) * len(budgets), len(self.pool.systems)))
        times = np.zeros(len(self.pool.systems))
        for sheet, place in zip(self.sheets, places, strict=True):
            total += place @ np.asarray(
                sheet.unit.systems[:, None] == np.arange(len(times)), dtype=float
            )
            times += np.bincount(sheet.unit.systems, minlength=len(times))
        yield total / np.maximum(times, 1)

    def _summary(
        self, way: RatingWay, strategy: str, replayed: Floats, budgets: Floats
    ) -> Iterator[dict[str, object]]:
        """List the comparisons asked by each budget, and FIGURES then, of (1 + figures, C, K)."""
        asked, *values = replayed
        means = asked.mean(axis=0)
        for place, budget in enumerate(budgets.tolist()):
            if place and means[place] <= means[place - 1]:
                continue  # it has asked all it asks
            row: dict[str, object] = {
                "strategy": strategy,
                "method": way.method,
                "debias": way.debias,
                "budget": budget,
                "comparisons": float(means[place]),
                "replays": len(asked),
            }
            for figure, value in zip(FIGURES, values, strict=True):
                drawn = value[:, place]
                ends = np.quantile(drawn, [0.025, 0.975]) if len(drawn) > 1 else (np.nan, np.nan)
                row |= intervals.spread(figure.name, [float(x) for x in (drawn.mean(), *ends)])
            yield row


def budgets(pool: Pool, settings: BudgetSettings) -> Floats:
    """Choose the budgets (K,), in comparisons an item: those that were named, else a dozen or two
    from few to all, even if each item has its own.
    """
    sizes = np.diff(pool.starts)
    most = float(sizes.max()) if settings.level == "item" else pool.size / pool.items
    if settings.budgets:
        return np.unique(np.minimum(np.array(settings.budgets, dtype=float), most))
    if settings.level == "item":
        grid = 2 * np.round(np.geomspace(2, max(most, 2), 14) / 2)
        first = [1.0] if most < 6 else []
        return np.unique(np.concatenate([first, grid[grid < most], [most]]))
    fewest = min(len(pool.systems), pool.size)
    total = 2 * np.round(np.geomspace(max(fewest, 2), pool.size, 24) / 2)
    return np.unique(np.append(total[total < pool.size], pool.size)) / pool.items


def _compare_with_target(rating: Floats, target: Target) -> tuple[Floats, Floats]:
    return replay.spearman(rating, target), replay.pair_accuracy(rating, target)


def _mean(figures: Sequence[tuple[Floats, ...]]) -> list[Floats]:
    """The mean of each figure over the units in which it is defined; NaN where it is in none."""
    means = []
    for column in zip(*figures, strict=True):
        values = np.stack(column)
        there = ~np.isnan(values[:, 0])
        nothing = np.full(values.shape[1], np.nan)
        means.append(values[there].mean(axis=0) if there.any() else nothing)
    return means
