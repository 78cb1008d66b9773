"""Leaderboards that are looked at again and again while votes come in: `uncertainty`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from scipy.special import logit

from core.findings.combine import FEWEST
from core.findings.leaderboard.stop_rule import RESAMPLES
from core.statistics import Drawing, JudgedPairs, Resolve, settling
from core.statistics.columns import Codes, Floats
from core.statistics.prediction_powered import combine, estimate_lead, find_significant_leads
from core.statistics.ratings import Leaderboard, leaderboard
from tests.coverage.simulation import Beside, Simulation, StudyResult, cases, decide
from tests.coverage.together import same_truth, truth
from tests.statistics.judged_studies import World, study

MOST = 1000  # votes
LEVEL = 0.95
CHOICES = 6  # votes of an item, where they have items of their own


def deal(
    rng: np.random.Generator, strengths: Floats, by_item: float, each: int
) -> tuple[Codes, Codes, Floats, Codes]:
    """first, second, won and item of MOST votes, so many an item, on pairs in turn; strengths in
    log-odds differ by item with this standard deviation.
    """
    n = len(strengths)
    low, high = np.array(np.triu_indices(n, 1))
    pair, item = np.arange(MOST) % len(low), np.arange(MOST) // each
    first, second = low[pair], high[pair]
    every = strengths + by_item * rng.normal(size=(int(item.max()) + 1, n))
    return first, second, decide(rng, every[item, first] - every[item, second]), item


def look(
    rng: np.random.Generator,
    votes: tuple[Codes, Codes, Floats, Codes],
    *,
    systems: int,
    every: int,
    method: str,
    resolve: Resolve,
    resamples: int = 100,
) -> Iterator[Leaderboard]:
    """The leaderboard after every so many votes, made anew each time, as a page does."""
    first, second, won, item = votes
    for number in range(every, MOST + 1, every):
        yield leaderboard(
            method, first[:number], second[:number], won[:number], n=systems,
            drawing=Drawing(rng, resamples, item[:number], confidence=LEVEL, resolve=resolve),
        )  # fmt: skip


def never_wrong(
    rng: np.random.Generator,
    *,
    strengths: tuple[float, ...],
    by_item: float = 0.0,
    each: int = 1,
    method: str = "win-ratio",
    resolve: Resolve = "always",
) -> StudyResult:
    """Whether at no look a system is said to be better than one that is as good; beside it whether
    the best is clear of all others at some look (NaN where there is no best).
    """
    truth = np.array(strengths)
    better = truth[:, None] > truth[None, :]
    votes = deal(rng, truth, by_item, each)
    best, clear = int(np.argmax(truth)), False
    for board in look(rng, votes, systems=len(truth), every=10, method=method, resolve=resolve):
        if (board.beats & ~better).any():
            return StudyResult(False, float(clear) if better.any() else np.nan)
        clear = clear or int(board.beats[best].sum()) == len(truth) - 1
        if clear and better.sum() == len(truth) - 1:
            break  # nothing is left that could be said wrongly of others than the best
    return StudyResult(True, float(clear) if better.any() else np.nan)


def settle(rng: np.random.Generator, *, systems: int, spread: float) -> StudyResult:
    """Whether the order is right that is called settled first, NaN where none is; systems whose
    strengths are drawn with this standard deviation, and where it is 0 any order is wrong. Beside
    it how often some order is called settled.
    """
    strengths = spread * rng.normal(size=systems)
    votes = deal(rng, strengths, 0.0, 1)
    for board in look(
        rng, votes, systems=systems, every=20, method="bradley-terry", resolve="always",
        resamples=RESAMPLES,
    ):  # fmt: skip
        if board.uncertainty is None or not board.connected:
            continue
        order = settling.estimate_order(board.uncertainty, board.beats)
        if order.is_significant.all():
            right = spread > 0 and bool((np.diff(strengths[order.systems]) < 0).all())
            return StudyResult(float(right), 1.0)
    return StudyResult(np.nan if spread else 1.0, 0.0)


def vote_in_turn(rng: np.random.Generator, world: World, every: int) -> Iterator[JudgedPairs]:
    """A study after every so many more items with votes, from FEWEST on, until all items that are
    asked about have some.
    """
    pairs = study(world, rng)
    items = rng.permutation(np.unique(pairs.item[pairs.has_votes]))
    for number in range(FEWEST, len(items) + 1, every):
        so_far = np.isin(pairs.item, items[:number])
        yield replace(pairs, voted=np.where(so_far, pairs.voted, np.nan))


def combine_at_every_look(
    rng: np.random.Generator, *, world: World, method: str, resolve: Resolve = "always"
) -> StudyResult:
    """Of each system whether its interval by votes and judges holds at all looks what everybody's
    votes would give; beside it how much wider intervals are at the last look than those of one.
    """
    right, held = truth(same_truth(world), method), np.ones(world.systems, dtype=bool)
    for pairs in vote_in_turn(rng, world, 10):
        found = combine(pairs, method, resolve=resolve).combined
        held &= np.isnan(found.low) | ((found.low <= right) & (right <= found.high))
    once = combine(pairs, method).combined
    wider = float(np.nanmean(found.high - found.low) / np.nanmean(once.high - once.low))
    return StudyResult(held, wider)


def tell_apart_at_every_look(
    rng: np.random.Generator, *, world: World, method: str, resolve: Resolve = "always"
) -> StudyResult:
    """Whether at no look by votes and judges a system is said to be better than one that is as
    good, and no lead of the first over the second leaves out the truth; beside it whether the best
    is clear of all others at some look (NaN where there is no best).
    """
    right, clear, held = truth(same_truth(world), method), False, True
    better = world.strengths[:, None] > world.strengths[None, :]
    for pairs in vote_in_turn(rng, world, 10):
        found = combine(pairs, method, resolve=resolve)
        told = find_significant_leads(found, rng)
        rating = np.nan_to_num(found.combined.rating, nan=-np.inf)
        first, second = np.argsort(-rating, kind="stable")[:2].tolist()
        _, low, high = estimate_lead(found, first, second)
        lead = right[first] - right[second] if better.any() else 0.0
        held = held and not (told & ~better).any() and not (lead < low or lead > high)
        clear = clear or int(told[-1].sum()) == world.systems - 1
    return StudyResult(held, float(clear) if better.any() else np.nan)


ODDS = float(logit(0.6))
EQUAL = "somebody who looks so often and stops when it pleases needs `--resolve always`"
PLACES = {
    "two systems": {"strengths": (0.0, 0.0)},
    "two systems, the better wins 60%": {"strengths": (ODDS, 0.0)},
    "four systems": {"strengths": (0.0,) * 4},
    "four systems that differ by item, 6 votes an item": {
        "strengths": (0.0,) * 4, "by_item": 0.5, "each": CHOICES
    },
    "four systems, the best wins 70%": {"strengths": (float(logit(0.7)), 0.0, 0.0, 0.0)},
}  # fmt: skip
TOLD = Beside("the best is told")
WIDER = Beside("times as wide", "{:.1f}", median=True)

ASKED = World(systems=4, voted=150, pairs_each=1)
"""150 items, one vote each, beside a judge's answers on 200 items with six pairs each."""
JUDGED = {
    "a good judge": ASKED,
    "a worthless judge": replace(ASKED, quality=(0.0,)),
    "a perfect judge": replace(ASKED, quality=(np.inf,)),
}
EQUALLY_GOOD = {
    f"{name}, equal systems": replace(world, spread=0.0) for name, world in JUDGED.items()
}
COMBINED = {"win ratio": "win-ratio", "Bradley-Terry": "bradley-terry"}

LOOKS = (
    Simulation(
        'leads and "tied with", looked at every 10 votes to 1,000',
        "`rank` while votes come in, or with `--resolve always`: studies in which at no look a "
        "system is wrongly told apart; beside it how often the best is clear of all others at last",
        cases("{place}", never_wrong, most=1.0, place=PLACES),
        studies=200,
        beside=TOLD,
    ),
    Simulation(
        "the same looks, by intervals of one look",
        "`rank --resolve together`",
        cases("{place}", never_wrong, EQUAL,
              place={name: PLACES[name] for name in ("two systems", "four systems")},
              resolve=["together"]),
        studies=200,
    ),
    Simulation(
        "orders that are called settled, looked at every 20 votes to 1,000",
        "`campaign settled`: the order called settled first is right; of equal systems none is "
        "called so",
        cases("told apart, {of}", settle, most=1.0,
              of={
                  "two equal systems": {"systems": 2, "spread": 0.0},
                  "three systems of drawn strengths": {"systems": 3, "spread": 1.0},
              }),
        studies=200,
        beside=Beside("settled"),
    ),
    Simulation(
        "votes and judges together, looked at every 10 votes to 150",
        "`combine` while votes come in, or with `--resolve always`: whether an interval holds at "
        "all looks; beside it how many times as wide as one of one look it is at last",
        cases("{method}, {world}", combine_at_every_look, most=1.0, method=COMBINED, world=JUDGED),
        studies=60,
        beside=WIDER,
    ),
    Simulation(
        "ranks and leads by votes and judges, looked at every 10 votes to 150",
        "`combine` while votes come in, or with `--resolve always`: studies in which at no look a "
        "system is wrongly told apart and no lead over the second is wrong; beside it how often the "
        "best is clear of all others at last",
        cases("{method}, {world}", tell_apart_at_every_look, most=1.0, method=COMBINED,
              world={**EQUALLY_GOOD, "a good judge, systems that differ": ASKED}),
        studies=200,
        beside=TOLD,
    ),
    Simulation(
        "votes and judges together, the same looks, by intervals of one look",
        "`combine --resolve together`",
        cases("win ratio, a good judge", combine_at_every_look, EQUAL, world=[ASKED],
              method=["win-ratio"], resolve=["together"]),
        studies=60,
        beside=WIDER,
    ),
)  # fmt: skip
