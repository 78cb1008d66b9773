"""How far an item tells two systems apart, over sampled texts: `core.statistics.separability`."""

from __future__ import annotations

from functools import cache

import numpy as np

from core.statistics import separability as statistics
from tests.coverage.simulation import Simulation, cases

SPREADS = (0.3, 0.8)  # of the texts of either system


def blocks(rng: np.random.Generator, texts: int, apart: float) -> statistics.Blocks:
    """Similarities (cosines) of as many texts of each system, in eight dimensions."""
    centres = np.zeros((2, 1, 8))
    centres[:, 0, 1], centres[1, 0, 0] = 2.0, apart
    vectors = centres + np.reshape(SPREADS, (2, 1, 1)) * rng.normal(size=(2, texts, 8))
    one, other = vectors / np.linalg.norm(vectors, axis=2, keepdims=True)
    return statistics.Blocks(one @ one.T, other @ other.T, one @ other.T)


@cache
def truth(apart: float) -> float:
    """Of 3,000 texts of each."""
    within_1, within_2, across = blocks(np.random.default_rng(1), 3000, apart)
    selves = (np.array(statistics.self_alignment(within)) for within in (within_1, within_2))
    return float(statistics.separability(*selves, np.array(statistics.cross_alignment(across))))  # type: ignore[call-arg]


def held(rng: np.random.Generator, *, texts: int, apart: float) -> bool:
    low, high = statistics.bootstrap(blocks(rng, texts, apart), rng=rng)
    return low <= truth(apart) <= high


SEPARABILITY = Simulation(
    "separability of one item, over its texts",
    "`separability`: `low`, `high` of each item",
    cases("{texts} texts of each system, separability {apart}", held,
          "drawing few texts anew shows too little of how texts differ: too narrow",
          texts=(3, 5, 10, 20), apart={f"{truth(apart):.2f}": apart for apart in (0.0, 1.0, 2.0)}),
    studies=500,
)  # fmt: skip
