"""Items that repeat a prompt under other names: `core.findings.judgements.population`."""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd

from core.findings.judgements.population import code_families, group_items
from core.statistics import Codes, intervals
from core.statistics.drawing import Drawing
from core.statistics.ratings import leaderboard
from core.store.schema import hash_wording
from tests.coverage.simulation import Simulation, cases, decide

EACH = 5  # answers an item
SYSTEMS = 4
PAIRS = np.array(np.triu_indices(SYSTEMS, 1))


def find(prompts: int, repeats: int, how: str = "found") -> Codes:
    """The families of items that are so many prompts, each so many times in other dress."""
    texts = [
        f"{'  ' * again}Prompt {prompt}: SAY what it is{'?' * again}"
        for prompt in range(prompts)
        for again in range(repeats)
    ]
    items = pd.DataFrame({
        "item": [f"i{place}" for place in range(len(texts))], "subset": "", "family": "",
        "wording": [hash_wording(text) for text in texts],
    })  # fmt: skip
    found = group_items(items, how)
    return np.arange(len(texts)) if found is None else code_families(found.items)


def share(
    rng: np.random.Generator, *, prompts: int, repeats: int, p: float, how: str = "found"
) -> bool:
    """Each prompt has its own probability (Beta of mean p), in all its items."""
    of_prompt = np.repeat(rng.beta(2 * p, 2 * (1 - p), prompts), repeats)
    points = (rng.random((len(of_prompt), EACH)) < of_prompt[:, None]).astype(float)
    family = np.repeat(find(prompts, repeats, how), EACH)
    _, low, high, _ = intervals.share(points.ravel(), family)
    return low <= p <= high


def apart(rng: np.random.Generator, *, prompts: int, repeats: int, how: str = "found") -> bool:
    """Of equal systems, each better on some prompts, none is said to be better than another."""
    better = np.repeat(rng.normal(size=(prompts, SYSTEMS)), repeats, axis=0)
    item, pair = np.indices((len(better), PAIRS.shape[1])).reshape(2, -1)
    first, second = PAIRS[:, pair]
    won = decide(rng, better[item, first] - better[item, second])
    drawing = Drawing(rng, groups=find(prompts, repeats, how)[item])
    board = leaderboard("win-ratio", first, second, won, n=SYSTEMS, drawing=drawing)
    return not board.beats.any()


PROMPTS = {
    f"{prompts} prompts in {prompts * repeats} items": {"prompts": prompts, "repeats": repeats}
    for prompts, repeats in product((20, 50), (1, 2, 5))
}
FAMILIES = (
    Simulation(
        "share of answers, where prompts repeat under other names",
        "as a share by item; `families` found",
        cases("{of}, {p:.0%}", share, of=PROMPTS, p=(0.5, 0.8)),
    ),
    Simulation(
        "ranks of equal systems, where prompts repeat under other names",
        "`rank`: `tied_with`; nobody wrongly apart; `families` found",
        cases("{of}", apart, of=PROMPTS),
        studies=400,
    ),
)  # fmt: skip
