"""The most extreme of many: what is named of several judges though none of them is special."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from core.statistics import intervals, length_effect
from core.statistics.intervals import ALPHA
from tests.coverage.simulation import Beside, Simulation, StudyResult, cases, decide

JUDGES = (6, 24)
ITEMS, EACH = 40, 5
SLOPE = 10.0
"""In log-odds a doubling, of a judge that length sways wholly: one `away` by 0.1 has a tenth."""


def p_of_position(rng: np.random.Generator, away: float) -> float:
    """A judge that takes the first text with probability 1/2 + away, more or less by item."""
    groups = np.repeat(np.arange(ITEMS), EACH)
    at_item = (0.5 + away + rng.uniform(-0.2, 0.2, ITEMS))[groups]
    return intervals.score_test_half((rng.random(len(groups)) < at_item).astype(float), groups)


def p_of_length(rng: np.random.Generator, away: float) -> float:
    """A judge that is swayed by length by so much."""
    groups = np.repeat(np.arange(ITEMS), EACH)
    doublings = rng.normal(size=len(groups)) * 0.7
    odds = SLOPE * away * doublings + rng.normal(size=ITEMS)[groups]
    return length_effect(decide(rng, odds), doublings, groups).p


def none_named(
    rng: np.random.Generator, *, judges: int, away: float,
    p: Callable[[np.random.Generator, float], float],
) -> StudyResult:  # fmt: skip
    """Whether of so many judges none is named for what it does not do. Where `away` is not 0 a
    third of them do it by so much; beside it the share of these that is named.
    """
    special = judges // 3 if away else 0
    of_each = [p(rng, away if judge < special else 0.0) for judge in range(judges)]
    named = intervals.holm(np.array(of_each)) <= ALPHA
    return StudyResult(not named[special:].any(), named[:special].mean() if special else np.nan)


NAMED = Beside("named of those that do")
CLAIMS: dict[str, tuple[str, Callable[[np.random.Generator, float], float], int]] = {
    "judges that show position bias, where none does": (
        "`bias`: the sentence, by `p` and Holm's correction", p_of_position, 1000,
    ),
    "judges that length sways, where it sways none": (
        "`bias`: the sentence on length, by `p` and Holm's correction", p_of_length, 400,
    ),
}  # fmt: skip

MOST_EXTREME = tuple(
    Simulation(
        figure,
        f"{printed}: studies in which nobody is wrongly named",
        cases("{judges} judges, {away}", none_named, most=1.0, judges=JUDGES,
              away={"none does": 0.0, "a third of them does": 0.1}, p=[p]),
        studies,
        NAMED,
    )
    for figure, (printed, p, studies) in CLAIMS.items()
)  # fmt: skip
