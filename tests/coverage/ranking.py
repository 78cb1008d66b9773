"""Leaderboards: intervals of ratings, and ranks and "tied with" of all systems together."""

from __future__ import annotations

from functools import cache
from itertools import combinations, product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit

from core.statistics import ratings
from core.statistics.bradley_terry import regularised_bradley_terry
from core.statistics.columns import SCALE
from core.statistics.drawing import Drawing
from core.statistics.ratings import RATINGS, Leaderboard, leaderboard
from tests.coverage.simulation import Simulation, cases, decide, hold

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
    return hold(found.low - 1e-9, right, found.high + 1e-9)


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
    outcome = decide(rng, (grown[first] - grown[second]) * late)
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
    outcome = decide(rng, 3 * of_item * (strength[first] - strength[second]))
    seed = int(rng.integers(2**31))
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


def of_two(rng: np.random.Generator, *, items: int, p: float, method: str) -> Floats:
    return rating(rng, world=World((float(logit(p)), 0.0), items), method=method)


def _of_two(figure: str, method: str, studies: int, why: str = STEPS) -> Simulation:
    return Simulation(
        f"{figure} of two systems",
        f"`rank --method {method}`: `low`, `high`",
        cases(
            "{items} items, one wins {p:.0%}",
            of_two,
            why,
            items=(10, 20, 50, 200),
            p=(0.5, 0.9, 0.98),
            method=[method],
        ),
        studies,
    )


def by_annotators(
    rng: np.random.Generator, *, items: int, judges: int, by_judge: float, method: str
) -> Floats:
    world = World((0.5, 0.0, -0.5), items, judges, 0.5, by_judge)
    return rating(rng, world=world, method=method, over="both")


def _by_annotators(figure: str, method: str, studies: int, items: tuple[int, ...]) -> Simulation:
    return Simulation(
        f"{figure}, over items and annotators",
        "`rank --over both`: `low`, `high`; three systems",
        cases(
            "{judges} annotators who {by_judge}, {items} items",
            by_annotators,
            FEW_JUDGES,
            judges=(3, 10, 30),
            by_judge={"do not differ": 0.0, "differ": 0.7},
            items=items,
            method=[method],
        ),
        studies,
    )


def _apart(n: int, apart: int, items: int) -> World:
    return World(tuple(apart * np.linspace(1, -1, n)), items, by_item=0.5, most=40)


def _several(*of: tuple[int, int, int]) -> dict[str, World]:
    """So many systems that are all equal (0) or different (1), on so many items."""
    return {
        f"{n} systems, all {'different' if apart else 'equal'}, {items} items": _apart(
            n, apart, items
        )
        for n, apart, items in of
    }


def _chance(world: World) -> str:
    """Why the ranks of equal systems may be wrong more often."""
    if any(world.strengths):
        return ""
    return "chance: of 6,000 further studies like it 5.2% were wrong, where 7% is the most aimed at"


FOUR = (0.9, 0.3, -0.3, -0.9)
PAIR = _of_two("win ratio", "win-ratio", 500)
STRENGTH = _of_two("Bradley-Terry strength", "bradley-terry", 300)
ELO = _of_two("Elo", "elo", 300, LOPSIDED)
ANNOTATORS = _by_annotators("win ratio", "win-ratio", 300, (10, 50))
ANNOTATORS_BT = _by_annotators("Bradley-Terry strength", "bradley-terry", 200, (20,))
SYSTEMS = Simulation(
    "win ratio of several systems",
    "`rank --method win-ratio`: `low`, `high`",
    cases("{world}", rating, STEPS, world=_several(*product((2, 5, 10, 20), (0, 1), (10, 50))),
          method=["win-ratio"]),
    studies=100,
)  # fmt: skip
SWAP = "an order comes in steps: two neighbours that swap move a third each"
METHODS = Simulation(
    "rating by each other method",
    "`rank`: `low`, `high`; four systems",
    cases("{method}, {world}", rating, lambda method, world: SWAP if method == "likelihood" else "",
          method=(
              "average-probability",
              "bradley-terry-soft",
              "product-of-experts",
              "likelihood",
              "elo",
          ),
          world={f"{items} items": World(FOUR, items, by_item=0.5) for items in (20, 50)}),
    studies=200,
)  # fmt: skip
SEPARABLE = Simulation(
    "sep-Elo, and what it changes",
    "`rank --method sep-elo`: `low`, `high`, `change_low`, `change_high`; three systems",
    cases("{items} items", separable, items=(20, 50, 200)),
    studies=200,
)  # fmt: skip
SORTED = Simulation(
    "mean rank of systems",
    "`rank --method pairs`: `low`, `high`",
    cases("{n} systems, {items} items, orders {noise}", sorted_items, STEPS, n=(3, 8),
          items=(10, 20, 50), noise={"clear": 0.7, "noisy": 2.0}),
    studies=200,
)  # fmt: skip
TOGETHER = Simulation(
    'ranks and "tied with", all systems together',
    "`rank`: `rank_low`, `rank_high`, `tied_with`: studies in which no two systems are wrongly told "
    "apart",
    cases("{world}", together, _chance, least=0.93, most=1.0,
          world=_several(
              *((n, *of) for n, of in product((5, 10, 20), ((0, 10), (0, 50), (0, 200), (1, 50))))
          )),
    studies=800,
)  # fmt: skip
ALONE = "each two systems are tested alone, which is what was asked for"
PAIRWISE = Simulation(
    'ranks and "tied with", pair by pair',
    "`rank --resolve pairwise`: studies in which no two systems are wrongly told apart",
    cases("{world}", together, lambda world, resolve: ALONE if len(world.strengths) > 2 else "",
          world=_several(*((n, 0, 50) for n in (2, 5, 10))), resolve=["pairwise"]),
    studies=200,
)  # fmt: skip
BOARDS = Simulation(
    "ranks on every attribute and on all together",
    "`rank --by attribute`: `rank_low`, `rank_high`: studies in which no two of five equal systems "
    "are wrongly told apart on any of the boards",
    cases("{boards} attributes, {items} items", of_boards,
          "Bonferroni: boards of the same items err together", most=1.0, boards=(2, 4),
          items=(20, 50)),
    studies=200,
)  # fmt: skip
OF_VOTES = "Elo says how good systems are at the end, and each has become better or worse since"
DRIFT = Simulation(
    "ranks of systems that change during the study",
    "`rank`: `rank_low`, `rank_high`: studies in which no two of four systems are told apart that "
    "are equally good on average over the votes",
    cases("{method}, {drift}, {items} items", drifting,
          lambda method, drift, items: OF_VOTES if method == "elo" and drift else "", most=1.0,
          method=("bradley-terry", "elo"),
          drift={"none changes": 0.0, "each changes by 1 log-odds": 1.0}, items=[200]),
    studies=200,
)  # fmt: skip
NEVER = "so it has none: it is drawn towards the mean, and no resample tells how far above it is"
REGULARISED = Simulation(
    "regularised strength of the best of four systems",
    "`rank --regularise` has no interval: this is what one from the resamples of `rating` would "
    "hold",
    cases("{of}", finite, lambda world, lost: "" if lost else NEVER,
          of={
              f"{items} items, it {'lost' if lost else 'never lost'}": {
                  "world": World((2.5, 0.0, 0.0, 0.0), items), "lost": lost,
              }
              for items, lost in ((10, False), (10, True), (50, True))
          }),
    studies=400,
)  # fmt: skip

RANKING = (
    REGULARISED, BOARDS, DRIFT, PAIR, STRENGTH, ELO, ANNOTATORS, ANNOTATORS_BT, SYSTEMS, METHODS, SEPARABLE, SORTED, TOGETHER,
    PAIRWISE,
)  # fmt: skip
