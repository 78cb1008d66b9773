"""The orders that rankings are held against: people's, and among some candidates that of all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any

import numpy as np
import pandas as pd

from ...frames import get_schema
from ...records import Kind
from ...rendering import declare_rows
from ...seeds import draw
from ...statistics import RATINGS, Floats, Target, replay
from ...store import Store
from ..judgements.answers import average_rater_marks, list_comparers, select_answered
from ..judgements.selection import Selection
from ..judgements.verdicts import orient
from .columns import FEWER
from .pool import Pool, PooledUnit


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


def list_targets(
    known: ReferenceOrder | None, level: str, units: Sequence[PooledUnit]
) -> list[Target]:
    """List the reference order of each unit; NOTHING without a reference."""
    if known is None:
        return [NOTHING] * len(units)
    return list(known.of_units) if level == "item" else [known.of_systems]


FewerRows = Annotated[pd.DataFrame, declare_rows(FEWER)]

SIZES = 12  # numbers of candidates that are tried, at most


def fewer_candidates(
    pool: Pool, units: Sequence[PooledUnit], people: Sequence[Target], draws: int, seed: int
) -> FewerRows:
    """The share of pairs that the win ratio among some candidates alone orders as that of all
    candidates does, and as people do (FEWER); no interval of one draw.

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
        counted = np.zeros((4, draws))
        for unit, (points, times), whole, other in zip(units, tables, full, people, strict=True):
            rng = np.random.default_rng(draw(seed, "fewer", size, unit.number))
            chosen = replay.drawn_candidates(unit.n, min(size, unit.n), draws, rng)
            counted[:2] += replay.count_ordered_in_subsets(points, times, chosen, whole)
            counted[2:] += replay.count_ordered_in_subsets(points, times, chosen, other)
        rows.append((size, draws, *_share(*counted[:2]), *_share(*counted[2:])))
    return get_schema(FewerRows).make(rows)


def _share(right: Floats, pairs: Floats) -> tuple[float, float, float]:
    shares = right[pairs > 0] / pairs[pairs > 0]
    if not len(shares):
        return np.nan, np.nan, np.nan
    low, high = np.quantile(shares, [0.025, 0.975]) if len(shares) > 1 else (np.nan, np.nan)
    return float(right.sum() / pairs.sum()), float(low), float(high)
