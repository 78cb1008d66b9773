"""Models of ties: against a general optimiser that knows the models from their papers alone."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.optimize import minimize

from core.statistics import TIE_MODELS, tie_fit
from core.statistics.bradley_terry import bradley_terry
from core.statistics.columns import SCALE
from tests.statistics.votes import columns, simulated

SYSTEMS = 5


def outcomes(model, a, b, nu):
    """Win, loss and tie as the papers have them, of strengths a and b."""
    if model == "davidson":  # Davidson 1970, eq. 2.1
        whole = a + b + nu * np.sqrt(a * b)
        return a / whole, b / whole, nu * np.sqrt(a * b) / whole
    win, loss = a / (a + nu * b), b / (nu * a + b)  # Rao & Kupper 1967, eq. 2.7
    return win, loss, (nu**2 - 1) * win * loss


def optimised(model, first, second, outcome):
    """(strengths, nu, log-likelihood) by BFGS."""

    def surprise(x):
        strength, nu = np.exp(np.append(0, x[:-1])), np.exp(x[-1]) + (model == "rao-kupper")
        win, loss, tie = outcomes(model, strength[first], strength[second], nu)
        return -np.log(np.select([outcome == 1, outcome == 0], [win, loss], tie)).sum()

    found = minimize(surprise, np.zeros(SYSTEMS), method="BFGS", options={"gtol": 1e-8})
    return np.append(0, found.x[:-1]), np.exp(found.x[-1]) + (model == "rao-kupper"), -found.fun


def test_agrees_with_a_general_optimiser() -> None:
    for model in TIE_MODELS:
        for seed in range(3):
            rng = np.random.default_rng(seed)
            votes = simulated(rng, rng.normal(size=SYSTEMS), 300)
            strengths, nu, likelihood = optimised(model, *votes)
            rating = bradley_terry(*votes, n=SYSTEMS, ties="model", tie_model=model)
            assert_allclose((rating - 1000) / SCALE, strengths - strengths.mean(), atol=1e-5)
            fit = tie_fit(*votes, n=SYSTEMS, tie_model=model, weights=None)
            assert fit.nu == pytest.approx(nu, abs=1e-5)
            assert fit.log_likelihood == pytest.approx(likelihood, abs=1e-7)
            assert fit.aic == pytest.approx(2 * SYSTEMS - 2 * likelihood, abs=1e-6), (
                "4 strengths and nu"
            )


def test_two_systems_by_hand() -> None:
    """12 wins, 6 ties and 2 losses: three outcomes and two parameters, so that the model can say
    what was seen. Rao & Kupper: 0.6 = p / (p + nu), 0.1 = 1 / (nu p + 1), so nu / p = 2 / 3 and
    nu p = 9: nu = sqrt(6), p = sqrt(13.5).
    """
    votes = columns(*[(0, 1, 1)] * 12, *[(0, 1, 0.5)] * 6, *[(0, 1, 0)] * 2)
    rating = bradley_terry(*votes, n=2, ties="model", tie_model="rao-kupper")
    assert rating[0] - rating[1] == pytest.approx(SCALE * np.log(13.5) / 2, abs=1e-4)
    fit = tie_fit(*votes, n=2, tie_model="rao-kupper", weights=None)
    assert fit.nu == pytest.approx(np.sqrt(6), abs=1e-6)
    seen = 12 * np.log(0.6) + 6 * np.log(0.3) + 2 * np.log(0.1)
    assert fit.log_likelihood == pytest.approx(seen)


def test_votes_drawn_from_a_model_fit_it_better() -> None:
    rng = np.random.default_rng(0)
    strength = np.exp(2 * rng.normal(size=SYSTEMS))
    first = rng.integers(SYSTEMS, size=6000)
    second = (first + rng.integers(1, SYSTEMS, size=6000)) % SYSTEMS
    for model, nu in (("davidson", 0.8), ("rao-kupper", 2.0)):
        win, loss, _ = outcomes(model, strength[first], strength[second], nu)
        u = rng.random(6000)
        votes = first, second, np.select([u < win, u < win + loss], [1.0, 0.0], 0.5)
        fits = {
            name: tie_fit(*votes, n=SYSTEMS, tie_model=name, weights=None) for name in TIE_MODELS
        }
        assert min(fits, key=lambda name: fits[name].aic) == model
        assert fits[model].nu == pytest.approx(nu, rel=0.1)


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 1000), order=st.permutations(range(SYSTEMS)))
def test_relabelling_and_mirroring(seed, order) -> None:
    first, second, outcome = simulated(np.random.default_rng(seed), np.zeros(SYSTEMS), 60)
    place = np.array(order)
    for model in TIE_MODELS:
        how = {"n": SYSTEMS, "ties": "model", "tie_model": model}
        rating = bradley_terry(first, second, outcome, **how)
        mirrored = bradley_terry(second, first, 1 - outcome, **how)
        assert_allclose(mirrored, rating, atol=1e-5, err_msg=model)
        renamed = bradley_terry(place[first], place[second], outcome, **how)[place]
        assert_allclose(renamed, rating, atol=1e-5, err_msg=model)


def test_without_ties_it_is_bradley_terry() -> None:
    for model in TIE_MODELS:
        rng = np.random.default_rng(1)
        votes = simulated(rng, rng.normal(size=SYSTEMS), 200, ties=0)
        modelled = bradley_terry(*votes, n=SYSTEMS, ties="model", tie_model=model)
        assert_allclose(modelled, bradley_terry(*votes, n=SYSTEMS), atol=1e-6)
        with pytest.raises(ValueError, match=r"\bties 'thurstone'.*\bdavidson\b"):
            bradley_terry(*votes, n=SYSTEMS, ties="model", tie_model="thurstone")


def test_resamples_at_once_are_the_resamples_one_by_one() -> None:
    rng = np.random.default_rng(2)
    votes = simulated(rng, rng.normal(size=SYSTEMS), 50)
    weights = rng.integers(3, size=(20, 50)).astype(float)
    weights[0, votes[2] == 0.5] = 0  # no tie at all
    how = {"n": SYSTEMS, "ties": "model", "tie_model": "rao-kupper"}
    alone = [bradley_terry(*votes, weights=one, **how) for one in weights]
    assert_allclose(bradley_terry(*votes, weights=weights, **how), alone, atol=1e-4)
