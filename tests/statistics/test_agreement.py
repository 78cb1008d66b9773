"""Agreement: scikit-learn's kappa, evalica's alpha and one straight from the definition, on random
incomplete tables.
"""

from __future__ import annotations

import warnings
from itertools import permutations

import evalica
import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import cohen_kappa_score, confusion_matrix

from core.statistics import agreement
from core.statistics.agreement import FIRST, NEITHER, SECOND

MISSING = -1
# Judges in columns, units in rows; no answer here and there.
tables = st.tuples(st.integers(1, 12), st.integers(2, 5)).flatmap(
    lambda shape: arrays(np.int64, shape, elements=st.integers(MISSING, SECOND))
)


def columns(table: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    unit, judge = np.nonzero(table != MISSING)
    return judge, unit, table[unit, judge]


def alpha(table: np.ndarray, resamples: int = 0) -> agreement.Alpha:
    _, unit, verdict = columns(table)
    counts = agreement.counted(unit, verdict, len(table))
    return agreement.alpha(
        counts, np.arange(len(table)), resamples=resamples, rng=np.random.default_rng(0)
    )


def compare(
    table: np.ndarray, resamples: int = 0
) -> tuple[agreement.Compared, dict[tuple[int, int], int]]:
    """Each pair of judges as a column, and which column that is."""
    met = agreement.meetings(*columns(table))
    pairs = sorted(set(zip(met.judge_1.tolist(), met.judge_2.tolist(), strict=True)))
    place = {pair: number for number, pair in enumerate(pairs)}
    column = np.array(
        [place[pair] for pair in zip(met.judge_1.tolist(), met.judge_2.tolist(), strict=True)],
        dtype=np.int64,
    )
    rng = np.random.default_rng(0)
    found = agreement.compare(
        column, met.unit, (met.verdict_1, met.verdict_2), n=len(pairs), resamples=resamples, rng=rng
    )
    return found, place


def alpha_by_definition(table: np.ndarray) -> float:
    """Krippendorff (2011), "Computing Krippendorff's Alpha-Reliability", C: the coincidence matrix,
    pair by pair.
    """
    coincidences = np.zeros((3, 3))
    for row in table:
        values = row[row != MISSING]
        for one, other in permutations(values.tolist(), 2):
            coincidences[one, other] += 1 / (len(values) - 1)
    of = coincidences.sum(axis=0)
    n = of.sum()
    expected = sum(of[c] * of[k] for c in range(3) for k in range(3) if c != k)
    observed = coincidences.sum() - np.trace(coincidences)
    return 1 - (n - 1) * observed / expected if expected else np.nan


@given(table=tables)
def test_alpha_is_that_of_the_definition_and_evalicas(table: np.ndarray) -> None:
    ours = alpha(table).alpha
    assert_allclose(ours, alpha_by_definition(table), atol=1e-12)
    frame = pd.DataFrame(table.T).astype(float).replace(MISSING, np.nan)
    assume((frame.notna().sum() >= 2).any())
    if np.isnan(ours):
        return  # evalica calls no variation at all an alpha of 1; we call it undefined
    assert_allclose(ours, evalica.alpha(frame).alpha, atol=1e-12)


def test_alpha_of_krippendorffs_example() -> None:
    """Krippendorff (2011), section C, nominal: 0.743. Four observers, twelve units, values 1 to 5:
    here those of the values that are 1, 2 or 3, since a verdict has three; computed by evalica.
    """
    nan = np.nan
    data = np.array(
        [
            [1, 2, 3, 3, 2, 1, 4, 1, 2, nan, nan, nan],
            [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, nan, 3],
            [nan, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, nan],
            [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, nan],
        ]
    )
    assert evalica.alpha(pd.DataFrame(data)).alpha == pytest.approx(0.743, abs=5e-4)
    three = np.where(data <= 3, data - 1, MISSING)
    theirs = evalica.alpha(pd.DataFrame(np.where(data <= 3, data, nan)))
    assert alpha(np.nan_to_num(three.T, nan=MISSING).astype(int)).alpha == pytest.approx(
        theirs.alpha
    )


@given(table=tables)
def test_kappa_and_confusion_are_scikit_learns(table: np.ndarray) -> None:
    found, place = compare(table)
    labels = [FIRST, NEITHER, SECOND]
    for (one, other), column in place.items():
        both = (table[:, one] != MISSING) & (table[:, other] != MISSING)
        first, second = table[both, one], table[both, other]
        assert_array_equal(found.confusion[column], confusion_matrix(first, second, labels=labels))
        assert found.agreement.share[column] == pytest.approx((first == second).mean())
        assert found.agreement.n[column] == both.sum()
        with warnings.catch_warnings():
            warnings.simplefilter(
                "ignore"
            )  # scikit-learn divides by zero, and warns, where kappa is undefined
            theirs = cohen_kappa_score(first, second, labels=labels)
        assert_allclose(found.kappa[column], theirs, atol=1e-9)


@given(table=tables)
def test_pairs_are_all_that_have_a_unit_in_common(table: np.ndarray) -> None:
    _, place = compare(table)
    judges = range(table.shape[1])
    there = table != MISSING
    assert set(place) == {
        (i, j) for i in judges for j in judges if i < j and (there[:, i] & there[:, j]).any()
    }


@given(table=tables, turned=st.data())
def test_naming_the_sides_the_other_way_mirrors_it(
    table: np.ndarray, turned: st.DataObject
) -> None:
    mirrored = np.where(table == MISSING, MISSING, SECOND - table)
    assert_allclose(alpha(mirrored, 20), alpha(table, 20), atol=1e-12)
    ours, theirs = compare(table, 20)[0], compare(mirrored, 20)[0]
    assert_array_equal(theirs.confusion, ours.confusion[:, ::-1, ::-1])
    for name in ("kappa", "low", "high"):
        assert_allclose(getattr(theirs, name), getattr(ours, name), atol=1e-12)
    assert_allclose(theirs.agreement, ours.agreement, atol=1e-12)


@given(table=tables)
def test_who_is_first_does_not_matter(table: np.ndarray) -> None:
    ours, place = compare(table)
    theirs, back = compare(table[:, ::-1])
    last = table.shape[1] - 1
    for (one, other), column in place.items():
        same = back[last - other, last - one]
        assert_array_equal(theirs.confusion[same], ours.confusion[column].T)
        assert_allclose(theirs.kappa[same], ours.kappa[column], atol=1e-12)


def test_by_hand() -> None:
    # Two judges on six units: 2 x first/first, second/second, first/second, neither/first, and one
    # the second left out.
    table = np.array([[0, 0], [0, 0], [2, 2], [0, 2], [1, 0], [1, MISSING]])
    found, _ = compare(table, resamples=200)
    assert found.agreement.share[0] == 3 / 5
    # By chance: first 3/5 * 3/5, neither 1/5 * 0, second 1/5 * 2/5.
    assert found.kappa[0] == pytest.approx((3 / 5 - 11 / 25) / (1 - 11 / 25))
    assert found.low[0] < found.kappa[0] < found.high[0]
    assert found.agreement.low[0] < 3 / 5 < found.agreement.high[0]


def test_pairs_of_equal_standing() -> None:
    """Where it does not matter who is who, chance is that of both together: Scott's pi (1955), by
    hand 1/9.
    """
    one, other = np.array([0, 0, 2, 0, 1]), np.array([0, 0, 2, 2, 0])
    nothing = np.zeros(5, dtype=np.int64)
    found = agreement.compare(
        nothing,
        np.arange(5),
        (one, other),
        n=1,
        resamples=0,
        rng=np.random.default_rng(0),
        symmetric=np.array([True]),
    )
    chance = (6 / 10) ** 2 + (1 / 10) ** 2 + (3 / 10) ** 2
    assert found.kappa[0] == pytest.approx((3 / 5 - chance) / (1 - chance))


def test_nothing_and_unanimity() -> None:
    empty = np.full((3, 2), MISSING)
    assert np.isnan(alpha(empty).alpha)
    assert alpha(empty).units == 0
    assert len(compare(empty)[0].kappa) == 0
    unanimous = np.zeros((4, 3), dtype=int)
    assert np.isnan(alpha(unanimous, 20)[:3]).all()  # all the same: there is nothing to agree about
    found, _ = compare(unanimous, 20)
    assert_array_equal(found.agreement.share, 1.0)
    assert (found.agreement.low < 0.6).all()  # of four, all is not much
    assert np.isnan(found.kappa).all()
    assert alpha(np.array([[0, 0], [2, 2], [0, 0]])).alpha == 1


def test_intervals_of_alpha_and_kappa_hold_the_truth() -> None:
    """95% intervals hold the alpha and kappa of the population in 92-98% of 300 simulated studies
    of 60 items, five pairs each and correlated within an item.
    """
    rng = np.random.default_rng(1)
    items, pairs, held = 60, 5, []

    def study(items: int) -> np.ndarray:
        hard = rng.random((items, 1)) < 0.5
        truth = rng.choice(3, p=[0.45, 0.2, 0.35], size=(items, pairs))
        right = rng.random((2, items, pairs)) < np.where(hard, 0.35, 0.95)
        guess = rng.choice(3, p=[0.45, 0.2, 0.35], size=(2, items, pairs))
        return np.where(right, truth, guess).reshape(2, -1).T

    population = study(200_000)
    true_alpha = alpha(population).alpha
    true_kappa = compare(population)[0].kappa[0]
    for _ in range(300):
        table = study(items)
        item = np.repeat(np.arange(items), pairs)
        _, unit, verdict = columns(table)
        a = agreement.alpha(
            agreement.counted(unit, verdict, len(table)), item, resamples=200, rng=rng
        )
        nothing = np.zeros(len(table), dtype=np.int64)
        k = agreement.compare(
            nothing, item, (table[:, 0], table[:, 1]), n=1, resamples=200, rng=rng
        )
        held.append((a.low <= true_alpha <= a.high, k.low[0] <= true_kappa <= k.high[0]))
    assert ((np.mean(held, axis=0) > 0.92) & (np.mean(held, axis=0) < 0.98)).all()


def test_plurality_by_hand() -> None:
    counts = np.array([[2, 1, 0], [1, 1, 0], [0, 1, 2], [1, 0, 1], [0, 0, 0], [1, 1, 1], [0, 3, 1]])
    assert agreement.plurality(counts).tolist() == [
        FIRST,
        NEITHER,
        SECOND,
        NEITHER,
        NEITHER,
        NEITHER,
        NEITHER,
    ]
