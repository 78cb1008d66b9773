"""Calibration: against scikit-learn, hand counts, and truths that are known."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import expit, logit
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression

from core.statistics import calibration
from core.statistics.calibration import (
    METHODS,
    cross_fitted,
    draw_errors_by_chance,
    expected_error,
    folds,
    isotonic,
    platt,
    temperature,
)


def drawn(seed, *, m=400, slope=0.5, shift=-0.4, votes=3):
    """A judge that is too sure of itself and favours the first, and what people say."""
    rng = np.random.default_rng(seed)
    prob = expit(2 * rng.normal(size=m))
    return prob, rng.binomial(votes, expit(slope * logit(prob) + shift)) / votes


def smoothed(share):
    """Platt's targets (1999, eq. 2), written out."""
    plus, minus = share.sum(), (1 - share).sum()
    return share * (plus + 1) / (plus + 2) + (1 - share) / (minus + 2)


def test_slopes_agree_with_scikit_learn() -> None:
    for shifted in [False, True]:
        prob, share = drawn(0)
        target = smoothed(share)
        model = LogisticRegression(C=np.inf, fit_intercept=shifted, tol=1e-12, max_iter=1000)
        model.fit(
            np.tile(logit(prob), 2)[:, None],
            np.repeat([1, 0], len(prob)),
            sample_weight=np.concatenate([target, 1 - target]),
        )
        ours = (platt if shifted else temperature)(prob, share)
        assert_allclose(ours.slope, model.coef_[0, 0], atol=1e-5)
        assert_allclose(ours.shift, model.intercept_[0] if shifted else 0, atol=1e-5)


def test_isotonic_agrees_with_scikit_learn() -> None:
    prob, share = drawn(1)
    theirs = IsotonicRegression().fit(prob, smoothed(share))
    at = np.random.default_rng(0).uniform(prob.min(), prob.max(), 50)
    assert_allclose(isotonic(prob, share)(at), theirs.predict(at), atol=1e-12)


def test_what_made_the_votes_is_recovered() -> None:
    fit = platt(*drawn(2, m=20_000))
    assert_allclose([fit.slope, fit.shift], [0.5, -0.4], atol=0.03)


def test_a_map_is_monotone_and_never_certain() -> None:
    for method in METHODS:
        prob = np.array([0.1, 0.2, 0.6, 0.7, 0.9])
        share = np.array(
            [0.0, 0.0, 1.0, 1.0, 1.0]
        )  # a perfect judge: no slope would be steep enough
        mapped = METHODS[method](prob, share)(np.array([0.0, 0.05, 0.3, 0.65, 0.95, 1.0]))
        assert (np.diff(mapped) >= 0).all()
        assert 0 < mapped[1] < 0.5 < mapped[-2] < 1


def test_a_judge_that_never_differs_is_left_as_it_is() -> None:
    for half in (temperature, platt):
        assert half(np.full(8, 0.5), np.tile([0.0, 1.0], 4))(np.array([0.5])) == pytest.approx(0.5)


def test_the_probabilities_of_an_item_are_mapped_without_it() -> None:
    prob, share = drawn(3, m=60)
    fold = folds(np.arange(60) // 3, 5, np.random.default_rng(0))
    assert all(len(set(fold[3 * item : 3 * item + 3])) == 1 for item in range(20))
    assert np.bincount(fold).tolist() == [12] * 5
    found = cross_fitted("platt", prob, share, fold)
    for one in range(5):
        assert_allclose(
            found[fold == one], platt(prob[fold != one], share[fold != one])(prob[fold == one])
        )
    unvoted = np.where(np.arange(60) < 6, np.nan, share)
    found = cross_fitted("platt", prob, unvoted, fold)
    assert_allclose(found[:6], platt(prob[6:], share[6:])(prob[:6]))


def test_calibration_error_counted_by_hand() -> None:
    prob, share = np.array([0.1, 0.1, 0.8, 0.8]), np.array([0.0, 1.0, 1.0, 1.0])
    # bins 0.1 (share 1/2) and 0.8 (share 1), half of the answers each
    assert_allclose(expected_error(prob, share), (0.4 + 0.2) / 2)


def test_of_few_votes_a_calibrated_judge_has_an_error_too() -> None:
    """100 votes of one item each: the mean of so many studies, in 5% of which chance alone would
    hardly make as much; 25 of 300 are 3 SE more.
    """
    rng = np.random.default_rng(4)
    prob = rng.uniform(size=100)
    studies = [(rng.random(100) < prob).astype(float) for _ in range(300)]
    found = np.array([expected_error(prob, share) for share in studies])
    each, first = np.arange(100), np.zeros(100, dtype=bool)
    drawn = np.array([
        draw_errors_by_chance(prob, share, each, first, each, rng=rng, draws=200)
        for share in studies
    ])  # fmt: skip
    assert drawn.mean() == pytest.approx(found.mean(), rel=0.05)
    assert drawn.mean() > 0.05
    assert ((drawn >= found[:, None]).mean(axis=1) < 0.05).sum() <= 25


def test_answers_of_one_item_are_one_chance() -> None:
    """Each pair four times, as one pair or as four of one item, or in both orders."""
    prob, rng = np.full(400, 0.7), np.random.default_rng(0)
    share = (rng.random(400) < 0.7).astype(float)
    each, first = np.arange(400), np.zeros(400, dtype=bool)
    once = draw_errors_by_chance(prob, share, each, first, each, rng=rng).mean()
    four, items = (np.tile(prob, 4), np.tile(share, 4)), np.tile(each, 4)
    both = (np.append(prob, 1 - prob), np.append(share, 1 - share))
    turned = np.append(first, ~first)
    for rows in [
        (*four, items, np.tile(first, 4), items),
        (*four, np.arange(1600), np.tile(first, 4), items),
        (*both, np.tile(each, 2), turned, np.tile(each, 2)),
    ]:
        again = draw_errors_by_chance(*rows, rng=rng)
        assert again.mean() == pytest.approx(once, rel=0.1)
    assert calibration.bin_of(np.array([0.0, 0.05, 0.1, 1.0])).tolist() == [0, 0, 1, 9]
