"""Leaderboards: intervals of ratings, and ranks and "tied with" of all systems together."""

from __future__ import annotations

from functools import cache, partial
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit

from core.statistics import ratings
from core.statistics.bradley_terry import regularised_bradley_terry
from core.statistics.columns import SCALE
from core.statistics.drawing import Drawing
from core.statistics.ratings import RATINGS, Leaderboard, leaderboard
from tests.coverage.simulation import Case, Simulation

Floats = NDArray[np.float64]
NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(60)


class World(NamedTuple):
    """Systems with these strengths in log-odds, which differ by item and by judge with these
    standard deviations; each judge answers all pairs of all items, or so many of an item.
    """

    strengths: tuple[float, ...]
    items: int
    judges: int = 1
    by_item: float = 0.0
    by_judge: float = 0.0
    most: int = 10**9

    @property
    def pairs(self) -> NDArray[np.int64]:
        return np.array(list(combinations(range(len(self.strengths)), 2)))


def votes(world: World, rng: np.random.Generator) -> tuple[Any, ...]:
    """first, second, probability, item and judge of each comparison."""
    pairs = world.pairs
    item, judge, pair = np.indices((world.items, world.judges, len(pairs))).reshape(3, -1)
    if world.most < len(pairs):
        kept = rng.random(len(pair)) < world.most / len(pairs)
        item, judge, pair = item[kept], judge[kept], pair[kept]
    first, second = pairs[pair].T
    n = len(world.strengths)
    strength = np.array(world.strengths)
    of_item = rng.normal(size=(world.items, n)) * world.by_item
    of_judge = rng.normal(size=(world.judges, n)) * world.by_judge
    every = strength[None, None] + of_item[:, None] + of_judge[None, :]
    apart = every[item, judge, first] - every[item, judge, second]
    return first, second, expit(apart), item, judge


def board(
    world: World, method: str, rng: np.random.Generator, over: str, **how: Any
) -> Leaderboard:
    first, second, p, item, judge = votes(world, rng)
    outcome = p if RATINGS[method].outcome == "probabilities" else rng.random(len(p)) < p
    own: dict[str, Any] = {}
    if method == "likelihood":  # which tells what is better from what is shown first
        own["decisions"], turned = True, rng.random(len(p)) < 0.5
        first, second = np.where(turned, second, first), np.where(turned, first, second)
        outcome = outcome != turned
    return leaderboard(
        method, first, second, outcome.astype(float), n=len(world.strengths),
        drawing=Drawing(rng, groups=item, judges=judge if over == "both" else None, **how),
        **own,
    )  # fmt: skip


@cache
def truth(world: World, method: str) -> Floats:
    """What the method would say of all items and judges there could be; of Elo, whose figure
    depends on the number of comparisons, on average over studies like this one.
    """
    n, strength = len(world.strengths), np.array(world.strengths)
    if method == "elo" or RATINGS[method].outcome == "probabilities":
        rng = np.random.default_rng(1)
        studies = 1500 if method == "elo" else 200
        large = world if method == "elo" else world._replace(items=500)
        return np.mean(
            [board(large, method, rng, "", resamples=0).rating for _ in range(studies)], axis=0
        )
    if method == "likelihood":
        return np.asarray((n - 1 - np.argsort(np.argsort(-strength))) / (n - 1))
    spread = np.sqrt(2 * world.by_item**2 + 2 * world.by_judge**2)
    low, high = world.pairs.T
    apart = strength[low] - strength[high]
    p = expit(apart[:, None] + spread * NODES) @ WEIGHTS / WEIGHTS.sum()
    won, lost = np.ones(len(low)), np.zeros(len(low))
    return RATINGS[method].rate(
        np.concatenate([low, low]), np.concatenate([high, high]), np.concatenate([won, lost]),
        n=n, weights=np.concatenate([p, 1 - p]),
    )  # fmt: skip


def rating(
    rng: np.random.Generator, *, world: World, method: str, over: str = ""
) -> NDArray[np.float64]:
    """Whether each system's interval holds the truth; the fewer resamples are the default's."""
    found = board(world, method, rng, over)
    right = truth(world, method)
    held = (found.low <= right + 1e-9) & (right - 1e-9 <= found.high)
    return np.where(np.isnan(found.low), np.nan, held)


def finite(rng: np.random.Generator, *, world: World, lost: bool) -> NDArray[np.float64]:
    """Whether the best system's regularised strength is held, if it never `lost`, or did."""
    first, second, p, item, _ = votes(world, rng)
    columns, n = (first, second, (rng.random(len(p)) < p).astype(float)), len(world.strengths)
    if (columns[2][first == 0] == 0).any() != lost:
        return np.array([])
    board = leaderboard("bradley-terry", *columns, n=n, drawing=Drawing(rng, groups=item))
    assert board.uncertainty
    low, high = board.uncertainty.student(regularised_bradley_terry(*columns, n=n))
    right = 1000 + SCALE * (world.strengths[0] - np.mean(world.strengths))
    return np.array([low[0] <= right <= high[0]])


def together(rng: np.random.Generator, *, world: World, resolve: str = "together") -> bool:
    """Whether no system is wrongly called better than another, so that all ranks hold too."""
    found = board(world, "win-ratio", rng, "", resolve=resolve)
    strength = np.array(world.strengths)
    return not (found.beats & ~(strength[:, None] > strength[None, :])).any()


def of_boards(rng: np.random.Generator, *, items: int, boards: int) -> bool:
    """Whether no two of five equal systems are told apart on any board or on all together."""
    world, method = World((0.0,) * 5, items, by_item=0.5), "bradley-terry"
    every, found = [], []
    for attribute in range(boards):
        first, second, p, item, _ = votes(world, rng)
        every.append((first, second, (rng.random(len(p)) < p).astype(float), item))
        if attribute == boards - 1:
            every.append(tuple(np.concatenate(columns) for columns in zip(*every, strict=True)))
    for *columns, item in every:
        drawing = Drawing(rng, groups=item, boards=boards + 1)
        found.append(leaderboard(method, *columns, n=5, drawing=drawing).beats.any())
    return not any(found)


def drifting(rng: np.random.Generator, *, method: str, drift: float, items: int) -> bool:
    """Whether no two of four systems are told apart that are equally good on average over the
    votes; two get better by so many log-odds from the first to the last, and two get worse.
    """
    pairs = np.array(list(combinations(range(4), 2)))
    item, pair = np.indices((items, len(pairs))).reshape(2, -1)
    first, second = pairs[pair].T
    grown = np.array([0.5, 0.5, -0.5, -0.5]) * drift
    late = 2 * item / (items - 1) - 1
    p = expit((grown[first] - grown[second]) * late)
    outcome = (rng.random(len(p)) < p).astype(float)
    drawing = Drawing(rng, groups=item)
    return not leaderboard(method, first, second, outcome, n=4, drawing=drawing).beats.any()


def separable(rng: np.random.Generator, *, items: int) -> NDArray[np.bool_]:
    """sep-Elo of three systems, and what it changes, as far as items tell them apart."""
    sep, plain = _separable(rng, items, 100)
    _, *change = ratings.estimate_change(sep, plain, Drawing(rng))
    low, high = np.array([(sep.low, sep.high), change]).swapaxes(0, 1)
    return (low <= _of_separable(items)) & (_of_separable(items) <= high)


def _separable(rng: np.random.Generator, items: int, resamples: int) -> list[Leaderboard]:
    pairs = np.array(list(combinations(range(3), 2)))
    item, pair = rng.permutation(np.indices((items, 3)).reshape(2, -1), axis=1)
    first, second = pairs[pair].T
    of_item = rng.uniform(0.0, 0.9, size=items)[item]
    strength = np.array([0.5, 0.0, -0.5])
    p = expit(3 * of_item * (strength[first] - strength[second]))
    outcome, seed = (rng.random(len(item)) < p).astype(float), int(rng.integers(2**31))
    return [
        leaderboard(
            method, first, second, outcome, n=3, **own,
            drawing=Drawing(np.random.default_rng(seed), resamples, groups=item),
        )
        for method, own in (("sep-elo", {"separability": of_item}), ("elo", {}))
    ]  # fmt: skip


@cache
def _of_separable(items: int) -> Floats:
    """(2, 3) sep-Elo and its change, on average over studies like this one."""
    studies = np.random.default_rng(1).spawn(2000)
    found = [[board.rating for board in _separable(rng, items, 0)] for rng in studies]
    sep, plain = np.mean(found, axis=0)
    return np.array([sep, sep - plain])


def sorted_items(
    rng: np.random.Generator, *, items: int, n: int, noise: float
) -> NDArray[np.bool_]:
    """Mean ranks of equally many systems an item, each item ranking them with this noise."""
    above, below = _sorted(rng, items, n, noise)
    ones, of_item = np.ones(len(above)), np.repeat(np.arange(items), n * (n - 1) // 2)
    found = leaderboard("pairs", above, below, ones, n=n, drawing=Drawing(rng, groups=of_item),
                        share=ones / (n - 1))  # fmt: skip
    right = _of_sorted(n, noise)
    return (found.low <= right) & (right <= found.high)


def _sorted(
    rng: np.random.Generator, items: int, n: int, noise: float
) -> tuple[NDArray[np.int64], ...]:
    """Which system is above which, each pair of each item."""
    strength = np.linspace(1, -1, n) + noise * rng.normal(size=(items, n))
    order = np.argsort(-strength, axis=1)
    above, below = np.array(list(combinations(range(n), 2))).T
    return order[:, above].ravel(), order[:, below].ravel()


@cache
def _of_sorted(n: int, noise: float) -> Floats:
    above = _sorted(np.random.default_rng(1), 100_000, n, noise)[0]
    return np.bincount(above, minlength=n) / 100_000 / (n - 1)


STEPS = "few answers: their number comes in steps, so that some intervals are too wide"
LOPSIDED = "of few lopsided answers Elo's points vary in steps, which an interval cannot follow"
FEW_JUDGES = "three annotators cannot tell that they do not differ, so intervals are too wide"


def _pair(method: str) -> tuple[Case, ...]:
    why = LOPSIDED if method == "elo" else STEPS
    return tuple(
        Case(
            f"{items} items, one wins {p:.0%}",
            partial(rating, world=World((float(logit(p)), 0.0), items), method=method),
            why,
        )
        for items in (10, 20, 50, 200)
        for p in (0.5, 0.9, 0.98)
    )


def _annotators(method: str, items: tuple[int, ...]) -> tuple[Case, ...]:
    return tuple(
        Case(
            f"{judges} annotators who {'differ' if differ else 'do not differ'}, {many} items",
            partial(
                rating, method=method, over="both",
                world=World((0.5, 0.0, -0.5), many, judges, 0.5, 0.7 * differ),
            ),
            FEW_JUDGES,
        )
        for judges in (3, 10, 30)
        for differ in (False, True)
        for many in items
    )  # fmt: skip


def _systems() -> tuple[Case, ...]:
    return tuple(
        Case(
            f"{n} systems, all {'different' if apart else 'equal'}, {items} items",
            partial(
                rating, method="win-ratio",
                world=World(tuple(apart * np.linspace(1, -1, n)), items, by_item=0.5, most=40),
            ),
            STEPS,
        )
        for n in (2, 5, 10, 20)
        for apart in (0, 1)
        for items in (10, 50)
    )  # fmt: skip


FOUR = (0.9, 0.3, -0.3, -0.9)

PAIR = Simulation("win ratio of two systems", "`rank --method win-ratio`: `low`, `high`",
                  _pair("win-ratio"), studies=500)  # fmt: skip
STRENGTH = Simulation("Bradley-Terry strength of two systems",
                      "`rank --method bradley-terry`: `low`, `high`", _pair("bradley-terry"),
                      studies=300)  # fmt: skip
ELO = Simulation("Elo of two systems", "`rank --method elo`: `low`, `high`", _pair("elo"),
                 studies=300)  # fmt: skip
ANNOTATORS = Simulation("win ratio, over items and annotators",
                        "`rank --over both`: `low`, `high`; three systems",
                        _annotators("win-ratio", (10, 50)), studies=300)  # fmt: skip
ANNOTATORS_BT = Simulation("Bradley-Terry strength, over items and annotators",
                           "`rank --over both`: `low`, `high`; three systems",
                           _annotators("bradley-terry", (20,)), studies=200)  # fmt: skip
SYSTEMS = Simulation("win ratio of several systems", "`rank --method win-ratio`: `low`, `high`",
                     _systems(), studies=100)  # fmt: skip
METHODS = Simulation(
    "rating by each other method",
    "`rank`: `low`, `high`; four systems",
    tuple(
        Case(f"{method}, {items} items",
             partial(rating, world=World(FOUR, items, by_item=0.5), method=method), why)
        for method, why in (
            ("average-probability", ""),
            ("bradley-terry-soft", ""),
            ("product-of-experts", ""),
            ("likelihood", "an order comes in steps: two neighbours that swap move a third each"),
            ("elo", ""),
        )
        for items in (20, 50)
    ),
    studies=200,
)  # fmt: skip
SEPARABLE = Simulation(
    "sep-Elo, and what it changes",
    "`rank --method sep-elo`: `low`, `high`, `change_low`, `change_high`; three systems",
    tuple(Case(f"{items} items", partial(separable, items=items)) for items in (20, 50, 200)),
    studies=200,
)  # fmt: skip
SORTED = Simulation(
    "mean rank of systems",
    "`rank --method pairs`: `low`, `high`",
    tuple(
        Case(f"{n} systems, {items} items, orders {'clear' if noise < 1 else 'noisy'}",
             partial(sorted_items, items=items, n=n, noise=noise), STEPS)
        for n in (3, 8)
        for items in (10, 20, 50)
        for noise in (0.7, 2.0)
    ),
    studies=200,
)  # fmt: skip
TOGETHER = Simulation(
    "ranks and \"tied with\", all systems together",
    "`rank`: `rank_low`, `rank_high`, `tied_with`: studies in which no two systems are wrongly told apart",
    tuple(
        Case(f"{n} systems, all {'different' if apart else 'equal'}, {items} items",
             partial(together,
                     world=World(tuple(apart * np.linspace(1, -1, n)), items, by_item=0.5, most=40)),
             "" if apart else "chance: of 6,000 further studies like it 5.2% were wrong, where 7% is the most aimed at",
             least=0.93, most=1.0)
        for n in (5, 10, 20)
        for apart, items in ((0, 10), (0, 50), (0, 200), (1, 50))
    ),
    studies=800,
)  # fmt: skip
PAIRWISE = Simulation(
    "ranks and \"tied with\", pair by pair",
    "`rank --resolve pairwise`: studies in which no two systems are wrongly told apart",
    tuple(
        Case(f"{n} systems, all equal, 50 items",
             partial(together, world=World((0.0,) * n, 50, by_item=0.5, most=40), resolve="pairwise"),
             "each two systems are tested alone, which is what was asked for" if n > 2 else "")
        for n in (2, 5, 10)
    ),
    studies=200,
)  # fmt: skip

BOARDS = Simulation(
    "ranks on every attribute and on all together",
    "`rank --by attribute`: `rank_low`, `rank_high`: studies in which no two of five equal systems "
    "are wrongly told apart on any of the boards",
    tuple(
        Case(f"{boards} attributes, {items} items", partial(of_boards, items=items, boards=boards),
             "Bonferroni: boards of the same items err together", most=1.0)
        for boards in (2, 4)
        for items in (20, 50)
    ),
    studies=200,
)  # fmt: skip
OF_VOTES = "Elo says how good systems are at the end, and each has become better or worse since"
DRIFT = Simulation(
    "ranks of systems that change during the study",
    "`rank`: `rank_low`, `rank_high`: studies in which no two of four systems are told apart that are "
    "equally good on average over the votes",
    tuple(
        Case(f"{method}, {'each changes by 1 log-odds' if drift else 'none changes'}, 200 items",
             partial(drifting, method=method, drift=drift, items=200),
             OF_VOTES if method == "elo" and drift else "", most=1.0)
        for method in ("bradley-terry", "elo")
        for drift in (0.0, 1.0)
    ),
    studies=200,
)  # fmt: skip

BEST = (2.5, 0.0, 0.0, 0.0)
NEVER = "so it has none: it is drawn towards the mean, and no resample tells how far above it is"
REGULARISED = Simulation(
    "regularised strength of the best of four systems",
    "`rank --regularise` has no interval: this is what one from the resamples of `rating` would hold",
    tuple(
        Case(f"{items} items, it {'lost' if lost else 'never lost'}",
             partial(finite, world=World(BEST, items), lost=lost), "" if lost else NEVER)
        for items, lost in ((10, False), (10, True), (50, True))
    ),
    studies=400,
)  # fmt: skip

RANKING = (
    REGULARISED, BOARDS, DRIFT, PAIR, STRENGTH, ELO, ANNOTATORS, ANNOTATORS_BT, SYSTEMS, METHODS, SEPARABLE, SORTED, TOGETHER,
    PAIRWISE,
)  # fmt: skip
