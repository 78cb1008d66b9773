"""Whom to worry about, with p-values by SciPy and by hand, and people among whom nobody should be."""

from __future__ import annotations

import numpy as np
import pandas as pd
from scipy.stats import binomtest, fisher_exact

from core.findings.people.scope import SLIPS, find_worries
from core.statistics.intervals import ALPHA

N = 6


def people(n: int = N, **figures: object) -> pd.DataFrame:
    """So many people who give no reason to worry, but for these figures."""
    usual = {
        "too_fast": 0.0, "timed": 40, "p_first": 0.5, "decisions": 40, "gold_passed": 9,
        "gold_answered": 10, "attention_passed": 3, "attention_answered": 3,
        "self_agreement": 0.9, "repeated": 10, "misfit": False,
    }  # fmt: skip
    return pd.DataFrame(
        {name: np.resize(figures.get(name, value), n) for name, value in usual.items()}
    )


def worries_of_first(n: int = N, side_p: float = 1.0, **figures: object) -> tuple[str, ...]:
    """The worries about the first of so many people; there are none about the others."""
    usual = people(n).iloc[0]
    rows = people(n, **{name: [value] + [usual[name]] * (n - 1) for name, value in figures.items()})
    found = find_worries(rows, np.array([side_p] + [1.0] * (n - 1)))
    assert found[1:] == [()] * (n - 1)
    return found[0]


def test_each_figure_is_a_worry_of_its_own() -> None:
    assert worries_of_first() == ()
    for worry, figures in {
        "speed": {"too_fast": 0.5},
        "gold": {"gold_passed": 1},
        "attention": {"attention_passed": 0, "attention_answered": 12},
        "repeats": {"self_agreement": 0.1},
        "misfit": {"misfit": True},
        "one side": {"p_first": 0.95, "side_p": 1e-8},
    }.items():
        assert worries_of_first(**figures) == (worry,)
    found = worries_of_first(too_fast=0.9, p_first=1.0, side_p=1e-9, gold_passed=0, misfit=True)
    assert found == ("speed", "one side", "gold", "misfit"), "named in one order"
    nothing = people(
        1, too_fast=np.nan, timed=0, p_first=np.nan, decisions=0, gold_passed=0, gold_answered=0,
        attention_passed=0, attention_answered=0, self_agreement=np.nan, repeated=0,
    )  # fmt: skip
    assert find_worries(nothing, [np.nan]) == [()]


def test_the_binomial_test_decides_on_speed() -> None:
    """One person, one test: the smallest count that SciPy's own test finds too many."""
    for fast in range(41):
        p = binomtest(fast, 40, SLIPS, alternative="greater").pvalue
        rows = people(1, too_fast=fast / 40)
        assert bool(find_worries(rows, [np.nan])[0]) == (p <= ALPHA / 2), fast


def test_fishers_test_decides_on_gold() -> None:
    """Two people of whom the second passes all: Fisher's p-value of the first, two tests by Holm."""
    for passed in range(11):
        p = fisher_exact([[passed, 10 - passed], [10, 0]], alternative="less").pvalue
        rows = people(2, gold_passed=[passed, 10], timed=0, repeated=0, attention_answered=0)
        found = find_worries(rows, [np.nan, np.nan])
        assert found == [("gold",) if 2 * p <= ALPHA / 2 else (), ()], passed


def test_of_twenty_careful_people_anybody_is_named_in_at_most_one_study_of_twenty() -> None:
    """Figures drawn with the same probabilities for all; 2,000 studies, Monte-Carlo error 0.5%."""
    rng = np.random.default_rng(11)
    named, studies, n = 0, 2000, 20
    for _ in range(studies):
        first = rng.binomial(40, 0.5, n)
        rows = people(
            n, too_fast=rng.binomial(40, SLIPS, n) / 40, p_first=first / 40,
            gold_passed=rng.binomial(10, 0.85, n), attention_passed=rng.binomial(3, 0.95, n),
            self_agreement=rng.binomial(10, 0.8, n) / 10,
        )  # fmt: skip
        side_p = [binomtest(int(k), 40).pvalue for k in first]
        named += any(find_worries(rows, side_p))
    assert named / studies <= ALPHA / 2 + 0.01
