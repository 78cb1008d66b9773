from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from core.statistics.prediction_powered import _minimize_quadratic, tune


def test_one_judge_is_trusted_as_far_as_least_squares_says() -> None:
    """The slope of the votes on the judge through the origin, between 0 and 1."""
    rng = np.random.default_rng(1)
    judge = rng.normal(size=(50, 1))
    for slope in (-0.5, 0.4, 1.8):
        human = slope * judge + rng.normal(size=(50, 1)) * 0.1
        found = tune(human, -judge[:, :, None], np.arange(50))
        by_hand = float((human * judge).sum() / (judge**2).sum())
        assert found.overall[0] == pytest.approx(np.clip(by_hand, 0, 1))
        kept = np.arange(50) != 7
        left = float((human * judge)[kept].sum() / (judge**2)[kept].sum())
        assert found.by_item[7, 0] == pytest.approx(np.clip(left, 0, 1))


def test_items_without_votes_take_what_all_say() -> None:
    rng = np.random.default_rng(2)
    human, judges = rng.normal(size=(20, 3)), rng.normal(size=(20, 3, 2))
    human[10:] = 0
    found = tune(human, judges, np.arange(10))
    np.testing.assert_array_equal(found.by_item[10:], np.tile(found.overall, (10, 1)))


def test_several_judges_against_every_lambda_of_a_grid() -> None:
    rng = np.random.default_rng(3)
    steps = np.linspace(0, 1, 101)
    grid = np.array([pair for pair in product(steps, steps) if sum(pair) <= 1 + 1e-9])
    for _ in range(20):
        root = rng.normal(size=(3, 2))
        square, gain = root.T @ root, rng.normal(size=2)
        value = np.einsum("gj,jk,gk->g", grid, square, grid) / 2 - grid @ gain
        found = _minimize_quadratic(square[None], gain[None])[0]
        reached = found @ square @ found / 2 - found @ gain
        assert reached <= value.min() + 1e-9
        assert (found >= 0).all()
        assert found.sum() <= 1 + 1e-9
