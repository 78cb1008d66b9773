"""How many comparisons a ranking needs: strategies x rating methods on a simulated judge.

The judge: true quality is N(0, 1); its logit for a comparison is the difference of quality, plus
noise of 0.7 for each text, 0.8 for the pair and 0.56 for the order, less 1.05 for being shown
first. It is right in about 71% of all ordered comparisons and prefers the first text in 30%. What
counts is the mean Spearman correlation with true quality, over simulated sets of N texts, as a
share of what all N(N - 1) comparisons with win ratio reach on the same sets.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import combinations

import numpy as np
from scipy.special import expit
from scipy.stats import spearmanr
from threadpoolctl import threadpool_limits

from core.pairing import STRATEGIES, Pair, SortSettings, sort_ranking
from core.statistics.active_choice import posterior
from core.statistics.ratings import RATINGS
from tests.bench.measure import number, ratios, read_options, table

SHARE = 0.95
LARGEST = (0.15, 0.05)
"""Share of all comparisons up to which 200 texts are tried; and by `active`, which has to think."""
AIMS = {1: {16: 0.20, 50: 0.08, 200: 0.02}, 4: {16: 0.25, 50: 0.10}}  # logits x scale -> N -> share
PAIRS = {
    "pairs-greedy": ("pairs-greedy", SortSettings()),
    "pairs-greedy --calibrate": ("pairs-greedy", SortSettings(calibrate=True)),
    "pairs-beam": ("pairs-beam", SortSettings(10, 0.1)),
    "pairs-beam --calibrate": ("pairs-beam", SortSettings(10, 0.1, True)),
}


class Texts:
    """N texts, their true quality, and what the judge says of each ordered pair."""

    def __init__(self, n: int, scale: float, seed: int) -> None:
        rng = np.random.default_rng(seed)
        self.n, self.seed = n, seed
        self.quality = rng.normal(size=n)
        seen = self.quality + 0.7 * rng.normal(size=n)
        pair = np.triu(0.8 * rng.normal(size=(n, n)), 1)
        logit = (
            seen[:, None] - seen[None, :] + pair - pair.T + 0.56 * rng.normal(size=(n, n)) - 1.05
        )
        self.p = expit(scale * logit)
        self.pairs = list(combinations(range(n), 2))

    def of(self, asked: list[Pair]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        first, second = np.array(asked).T
        return first, second, self.p[first, second]

    def spearman(self, rating: np.ndarray) -> float:
        return float(spearmanr(np.nan_to_num(rating, nan=np.nanmean(rating)), self.quality)[0])

    def answers(self, asked: list[Pair]) -> dict[Pair, float]:
        return {(i, j): float(self.p[i, j]) for i, j in asked}


Method = Callable[..., np.ndarray]


def decided(
    rate: Method, first: np.ndarray, second: np.ndarray, p: np.ndarray, **settings: object
) -> np.ndarray:
    return rate(first, second, (p > 0.5).astype(float), **settings)


def scores(first: np.ndarray, second: np.ndarray, p: np.ndarray, *, n: int) -> np.ndarray:
    return posterior(first, second, p, n=n).mean[:n]


def methods() -> dict[str, Method]:
    """Those of the registry, and the model that `active` chooses by: experts with a prior."""
    found: dict[str, Method] = {
        "win-ratio": partial(decided, RATINGS["win-ratio"].rate),
        "average-probability": RATINGS["average-probability"].rate,
        "bradley-terry": partial(decided, RATINGS["bradley-terry"].rate),
    }
    for name in ("bradley-terry-soft", "product-of-experts"):
        found[name] = RATINGS[name].rate
        found[f"{name}, position"] = partial(RATINGS[name].rate, position=True)
    return {**found, "product-of-experts, position and prior": scores}


def asked_by(strategy: str, texts: Texts) -> Iterator[list[Pair]]:
    """The comparisons in the order they are asked, a batch at a time."""
    if not STRATEGIES[strategy].adaptive:
        rng = np.random.default_rng(texts.seed)
        yield STRATEGIES[strategy].choose(texts.pairs, None, set(), rng)
        return
    asked: list[Pair] = []
    while True:
        rng = np.random.default_rng(texts.seed)
        batch = STRATEGIES[strategy].choose(texts.pairs, None, set(), rng, texts.answers(asked))
        if not batch:
            return
        asked += batch
        yield batch


def needed(sets: list[Texts], goal: float, strategy: str, limit: int) -> dict[str, float]:
    """method -> comparisons at which its mean Spearman reaches the goal, or infinity."""
    n = sets[0].n
    sources = [asked_by(strategy, texts) for texts in sets]
    asked: list[list[Pair]] = [[] for _ in sets]
    reached: dict[str, float] = {}
    before: dict[str, tuple[float, float]] = {}
    ways = methods()
    budgets = 2 * np.round(np.geomspace(n, min(limit, n * (n - 1)), 40) / 2)
    for budget in np.unique(budgets).astype(int):
        for source, so_far in zip(sources, asked, strict=True):
            while len(so_far) < budget and (batch := next(source, None)):
                so_far += batch
        if len(asked[0]) < budget:
            break
        for name in [name for name in ways if name not in reached]:
            both = zip(sets, asked, strict=True)
            found = np.mean([t.spearman(ways[name](*t.of(a[:budget]), n=n)) for t, a in both])
            if found >= goal:
                x, y = before.get(name, (budget, found))
                part = (goal - y) / (found - y) if found > y else 1.0
                reached[name] = x + (budget - x) * part
            before[name] = (float(budget), float(found))
        if len(reached) == len(ways):
            break
    return {name: reached.get(name, np.inf) for name in ways}


def sorted_by(sets: list[Texts], strategy: str, how: SortSettings) -> tuple[float, float]:
    """Comparisons PairS asks, and the Spearman of its ranking."""
    counts, found = [], []
    for texts in sets:
        answers: dict[Pair, float] = {}
        while True:
            rng = np.random.default_rng(texts.seed)
            batch = STRATEGIES[strategy].choose(texts.pairs, None, set(), rng, answers, how)
            if not batch:
                break
            answers.update(texts.answers(batch))
        [order] = sort_ranking(texts.pairs, answers, np.random.default_rng(texts.seed), how)
        counts.append(len(answers))
        found.append(texts.spearman(-np.argsort(order).astype(float)))
    return float(np.mean(counts)), float(np.mean(found))


def show(n: int, scale: int, repeats: int) -> None:
    sets = [Texts(n, scale, seed) for seed in range(repeats)]
    win_ratio = methods()["win-ratio"]
    every = [(i, j) for pair in sets[0].pairs for i, j in (pair, pair[::-1])]
    whole = float(np.mean([texts.spearman(win_ratio(*texts.of(every), n=n)) for texts in sets]))
    off = ~np.eye(n, dtype=bool)
    right = np.mean(
        [((t.p > 0.5) == (t.quality[:, None] > t.quality[None, :]))[off].mean() for t in sets]
    )
    first = np.mean([(t.p > 0.5)[off].mean() for t in sets])
    title = f"N = {n}, logits x {scale}, {repeats} sets: accuracy {right:.0%}, P(A) {first:.2f}, "
    title += f"all {n * (n - 1):,} comparisons with win ratio {whole:.3f}"
    found: dict[str, float] = {}
    rows = []
    for strategy in ("random", "no-repeat", "symmetric", "ring", "active"):
        limit = round(n * (n - 1) * (1 if n <= 50 else LARGEST[strategy == "active"]))
        for method, comparisons in needed(sets, SHARE * whole, strategy, limit).items():
            name = f"{strategy} + {method}"
            found[name] = comparisons
            share = f"{comparisons / (n * (n - 1)):.1%}" if np.isfinite(comparisons) else "-"
            count = number(comparisons) if np.isfinite(comparisons) else f"> {limit:,}"
            rows.append([name, count, share])
    columns = ["way", "comparisons", "share"]
    table(f"{title}; comparisons to {SHARE:.0%} of that", columns, rows)
    best = min(found, key=found.__getitem__)
    ratios(best, found[best], {"random + win-ratio": found["random + win-ratio"]})
    if n in AIMS[scale]:
        share = found[best] / (n * (n - 1))
        print(f"aim: at most {AIMS[scale][n]:.0%}; reached: {share:.1%} by {best}\n")
    rows = []
    for name, (strategy, how) in PAIRS.items():
        assert STRATEGIES[strategy].sorts
        comparisons, spearman = sorted_by(sets, strategy, how)
        rows.append([name, number(comparisons), f"{spearman:.3f}", f"{spearman / whole:.0%}"])
    table("PairS, the whole sort", ["way", "comparisons", "Spearman", "of all"], rows)


def main() -> None:
    large = {"action": "store_true", "help": "also 200 texts (some minutes)"}
    options = read_options("two sets of 8 texts only", large=large)
    sizes = {8: 2} if options.small else {16: 200, 50: 40, **({200: 8} if options.large else {})}
    with threadpool_limits(1):
        for scale in [1] if options.small else AIMS:
            for n, repeats in sizes.items():
                show(n, scale, repeats)


if __name__ == "__main__":
    main()
