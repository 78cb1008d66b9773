"""Agreement: scikit-learn's kappa, evalica's alpha and one by definition, on random tables."""

from __future__ import annotations

import warnings
from itertools import combinations, permutations, product
from typing import Any

import evalica
import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import logit
from scipy.stats import t
from sklearn.metrics import cohen_kappa_score, confusion_matrix

from core.statistics import agreement
from core.statistics.agreement import CONTRADICTS, FIRST, NEITHER, SECOND, JudgeSides

MISSING = -1
# Judges in columns, units in rows; no answer here and there.
tables = st.tuples(st.integers(1, 12), st.integers(2, 5)).flatmap(
    lambda shape: arrays(np.int64, shape, elements=st.integers(MISSING, CONTRADICTS))
)
LABELS = [FIRST, NEITHER, SECOND, CONTRADICTS]


def told_apart(table: np.ndarray) -> np.ndarray:
    """As other libraries are to see it: whoever contradicts themselves says what nobody else says,
    so each such cell has a category of its own.
    """
    own = 100 + np.arange(table.size).reshape(table.shape)
    return np.where(table == CONTRADICTS, own, table)


TURNED = np.array([SECOND, NEITHER, FIRST, CONTRADICTS, MISSING])


def both_ways(table: np.ndarray) -> np.ndarray:
    """As other libraries are to see it: each unit as it is, and with first and second exchanged."""
    return told_apart(np.concatenate([table, TURNED[table]]))


def columns(table: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    unit, judge = np.nonzero(table != MISSING)
    return judge, unit, table[unit, judge]


def alpha(table: np.ndarray, *, over_judges: bool = True) -> agreement.Alpha:
    judge, unit, verdict = columns(table)
    return agreement.alpha(judge, unit, verdict, np.arange(len(table)), over_judges=over_judges)


def compare(table: np.ndarray) -> tuple[agreement.VerdictComparison, dict[tuple[int, int], int]]:
    """Each pair of judges as a column, and which column that is."""
    met = agreement.meetings(*columns(table))
    pairs = list(zip(met.judge_1.tolist(), met.judge_2.tolist(), strict=True))
    place = {pair: number for number, pair in enumerate(sorted(set(pairs)))}
    column = np.array([place[pair] for pair in pairs], dtype=np.int64)
    found = agreement.compare(column, met.unit, (met.verdict_1, met.verdict_2), n=len(place))
    return found, place


def compare_two(one: np.ndarray, other: np.ndarray, **how: Any) -> agreement.VerdictComparison:
    """Of two who answered all units."""
    nothing, units = np.zeros(len(one), dtype=np.int64), np.arange(len(one))
    return agreement.compare(nothing, units, (one, other), n=1, **how)


def guessed(rng: np.random.Generator, items: int, judges: int, skill: Any) -> np.ndarray:
    """Verdicts of judges who see what is right so often, and else guess."""
    right, shape = rng.integers(3, size=(items, 1)), (items, judges)
    return np.where(rng.random(shape) < skill, right, rng.integers(3, size=shape))


def half_by_t(variance: float, freedom: float) -> float:
    return float(t.ppf(0.975, freedom) * np.sqrt(variance))


def alpha_by_definition(table: np.ndarray) -> float:
    """Krippendorff (2011), "Computing Krippendorff's Alpha-Reliability", C: the coincidence matrix,
    pair by pair, of each unit both ways.
    """
    twice = both_ways(table)
    categories, codes = np.unique(twice, return_inverse=True)
    coincidences = np.zeros((len(categories), len(categories)))
    for row, known in zip(codes.reshape(twice.shape), twice != MISSING, strict=True):
        values = row[known]
        for one, other in permutations(values.tolist(), 2):
            coincidences[one, other] += 1 / (len(values) - 1)
    of = coincidences.sum(axis=0)
    n = of.sum()
    expected = n**2 - (of**2).sum()
    observed = coincidences.sum() - np.trace(coincidences)
    # Thirds do not add up to whole numbers.
    return 1 - (n - 1) * observed / expected if expected > 1e-9 else np.nan


@given(table=tables)
def test_alpha_is_that_of_the_definition_and_evalicas(table: np.ndarray) -> None:
    ours = alpha(table).alpha
    assert_allclose(ours, alpha_by_definition(table), atol=1e-12)
    frame = pd.DataFrame(both_ways(table).T).astype(float).replace(MISSING, np.nan)
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
    turned = np.choose(np.nan_to_num(data, nan=0).astype(int) % 6, [nan, 3, 2, 1, nan, nan])
    twice = np.concatenate([np.where(data <= 3, data, nan), turned], axis=1)
    theirs = evalica.alpha(pd.DataFrame(twice))
    assert alpha(np.nan_to_num(three.T, nan=MISSING).astype(int)).alpha == pytest.approx(
        theirs.alpha
    )


@given(table=tables)
def test_kappa_and_confusion_are_scikit_learns(table: np.ndarray) -> None:
    """Of all pairs that have a unit in common."""
    found, place = compare(table)
    twice, there = both_ways(table), table != MISSING
    pairs = combinations(range(table.shape[1]), 2)
    assert set(place) == {(i, j) for i, j in pairs if (there[:, i] & there[:, j]).any()}
    for (one, other), column in place.items():
        both = there[:, one] & there[:, other]
        first, second = table[both, one], table[both, other]
        assert_array_equal(found.confusion[column], confusion_matrix(first, second, labels=LABELS))
        first, second = twice[np.tile(both, 2)][:, [one, other]].T
        assert found.agreement.share[column] == pytest.approx((first == second).mean())
        assert found.agreement.n[column] == both.sum()
        with warnings.catch_warnings():
            # scikit-learn divides by zero, and warns, where kappa is undefined
            warnings.simplefilter("ignore")
            theirs = cohen_kappa_score(first, second)
        assert_allclose(found.kappa[column], theirs, atol=1e-9)


@given(table=tables, seed=st.integers(0, 2**32 - 1))
def test_which_text_of_a_unit_is_the_first_changes_nothing(table: np.ndarray, seed: int) -> None:
    """Each unit is turned, or not, by itself: as systems are named otherwise."""
    turn = np.random.default_rng(seed).random((len(table), 1)) < 0.5
    turned = np.where(turn, TURNED[table], table)
    assert_allclose(alpha(turned), alpha(table), atol=1e-12)
    ours, theirs = compare(table)[0], compare(turned)[0]
    for name in ("chance", "kappa", "low", "high"):
        assert_allclose(getattr(theirs, name), getattr(ours, name), atol=1e-12)
    assert_allclose(theirs.agreement, ours.agreement, atol=1e-12)


@given(table=tables.filter(lambda table: len(table) <= 6))
def test_chance_is_from_the_mean_over_all_ways_to_name_the_texts(table: np.ndarray) -> None:
    """How often each judge says first, neither and second, averaged over all 2^n orientations of
    the n units, by counting.
    """
    found, place = compare(table)
    for (one, other), column in place.items():
        kept = table[(table[:, [one, other]] != MISSING).all(axis=1)][:, [one, other]]
        shares = np.mean([
            [(np.where(np.array(turn)[:, None], TURNED[kept], kept) == verdict).mean(axis=0)
             for verdict in (FIRST, NEITHER, SECOND)]
            for turn in product([False, True], repeat=len(kept))
        ], axis=0)  # fmt: skip
        assert found.chance[column] == pytest.approx(shares.prod(axis=1).sum())


def test_one_verdict_on_every_text_is_agreement_beyond_chance() -> None:
    """Of 100 pairs the one judge always says first, the other on so many: by names of systems kappa
    was undefined, 0 and 0. Without ties it is 2 x share - 1 (Bennett, Alpert & Goldstein 1954), and
    alpha 1 - (1 - share) x (2n - 1) / n of n = 200 verdicts.
    """
    for alike, kappa, nominal in [(100, 1.0, 1.0), (97, 0.94, 0.94015), (82, 0.64, 0.6409)]:
        other = np.repeat([FIRST, SECOND], [alike, 100 - alike])
        table = np.stack([np.full(100, FIRST), other], axis=1)
        found, _ = compare(table)
        said = (found.chance[0], found.kappa[0], alpha(table).alpha)
        assert said == pytest.approx((0.5, kappa, nominal))
        assert found.low[0] < kappa <= found.high[0] <= 1


def test_by_hand() -> None:
    # Two judges on six units: 2 x first/first, second/second, first/second, neither/first, and one
    # the second left out.
    table = np.array([[0, 0], [0, 0], [2, 2], [0, 2], [1, 0], [1, MISSING]])
    found, _ = compare(table)
    assert found.agreement.share[0] == 3 / 5
    # By chance: neither 1/5 * 0; first and second each 4/10 * 5/10.
    assert found.chance[0] == pytest.approx(2 / 5)
    assert found.kappa[0] == pytest.approx((3 / 5 - 2 / 5) / (1 - 2 / 5))
    assert found.low[0] < found.kappa[0] < found.high[0]
    assert found.agreement.low[0] < 3 / 5 < found.agreement.high[0]


def test_pairs_of_equal_standing() -> None:
    """Where it does not matter who is who, chance is that of both together: Scott's pi (1955)."""
    one, other = np.array([0, 0, 2, 0, 1]), np.array([0, 0, 2, 2, 0])
    found = compare_two(one, other, symmetric=np.array([True]))
    chance = 2 * (9 / 20) ** 2 + (1 / 10) ** 2
    assert found.kappa[0] == pytest.approx((3 / 5 - chance) / (1 - chance))


def test_nothing_and_unanimity() -> None:
    empty = np.full((3, 2), MISSING)
    assert np.isnan(alpha(empty).alpha)
    assert alpha(empty).units == 0
    assert len(compare(empty)[0].kappa) == 0
    unanimous = np.full((4, 3), NEITHER)
    assert np.isnan(alpha(unanimous)[:3]).all()  # all the same: there is nothing to agree about
    found, _ = compare(unanimous)
    assert_array_equal(found.agreement.share, 1.0)
    assert (found.agreement.low < 0.6).all()  # of four, all is not much
    assert np.isnan(found.kappa).all()
    assert alpha(np.array([[0, 0], [2, 2], [0, 0]])).alpha == 1


def fleiss_kappas_without_each(table: np.ndarray, axis: int) -> np.ndarray:
    """Figures of all pairs of judges together, without each item or judge: agreement and Scott's
    pi, from scikit-learn's tables, by leaving out rows or columns.
    """
    without = (np.delete(table, gone, axis) for gone in range(table.shape[axis]))
    return np.array([agreement_and_pi(rest) for rest in without])


def agreement_and_pi(table: np.ndarray) -> tuple[float, float]:
    confusion = sum(
        confusion_matrix(table[:, i], table[:, j], labels=[FIRST, NEITHER, SECOND])
        for i, j in permutations(range(table.shape[1]), 2)
    ).astype(float)
    confusion = confusion + confusion[::-1, ::-1]
    share = np.trace(confusion) / confusion.sum()
    chance = ((confusion.sum(axis=0) / confusion.sum()) ** 2).sum()
    return float(share), float((share - chance) / (1 - chance))


def test_a_group_is_left_out_item_by_item_and_judge_by_judge() -> None:
    """The variance of kappa is that of the jackknife over items, and over items and judges, by
    hand: by items + by judges - by both.
    """
    rng = np.random.default_rng(4)
    table = guessed(rng, 20, 5, rng.random(5))
    met = agreement.meetings(*columns(table))
    zero = np.zeros(len(met.unit), dtype=np.int64)
    both, items, judges = (
        agreement.compare(
            zero, met.unit, (met.verdict_1, met.verdict_2), n=1, symmetric=np.array([True]),
            sides=sides,
        )
        for sides in (
            JudgeSides(met.judge_1, met.judge_2, np.zeros(5, int)),
            None,
            JudgeSides(met.judge_1, met.judge_2, np.zeros(5, int), over_items=False),
        )
    )  # fmt: skip
    share, pi = agreement_and_pi(table)
    assert (both.agreement.share[0], both.kappa[0]) == pytest.approx((share, pi))
    (_, by_items), (_, by_judges) = (
        (len(gone) - 1) / len(gone) * ((gone - (share, pi)) ** 2).sum(axis=0)
        for gone in (fleiss_kappas_without_each(table, axis) for axis in (0, 1))
    )
    cells = []
    for item in range(20):
        for judge in range(5):
            pairs = [(i, j) for i in range(5) for j in range(i) if judge not in (i, j)]
            rest = np.zeros((3, 3))
            for i, j in combinations(range(5), 2):
                kept = np.ones(20, bool)
                kept[item] = (j, i) in pairs
                rest += confusion_matrix(table[kept, i], table[kept, j], labels=[0, 1, 2])
            rest = rest + rest.T
            cells.append(agreement.kappa(rest + rest[::-1, ::-1]))
    by_both = ((np.array(cells) - pi) ** 2).sum()

    def width(found: agreement.VerdictComparison) -> float:
        return half_by_logit(found.kappa[0], found.low[0], found.high[0])

    by_judges += (2 / 6 * pi) ** 2  # one more, who agrees as by chance
    assert width(items) == pytest.approx(half_by_t(by_items, 19))
    assert width(judges) == pytest.approx(half_by_t(by_judges, 4))
    variance = max(by_items + by_judges - by_both, by_items)
    part = min(by_judges, variance)
    freedom = variance**2 / ((variance - part) ** 2 / 19 + part**2 / 4)
    assert width(both) == pytest.approx(half_by_t(variance, freedom))
    assert (both.drawn.tolist(), items.drawn.tolist()) == ([True], [False])


def half_by_logit(estimate: float, low: float, high: float) -> float:
    """Half the width of the interval of an estimate, whose logit is in its middle."""
    apart = logit((high + 1) / 2) - logit((low + 1) / 2)
    assert logit((low + 1) / 2) + apart / 2 == pytest.approx(logit((estimate + 1) / 2))
    return float(apart / 2 * (1 - estimate**2) / 2)


def test_two_verdicts_never_given_together_count_as_one_item() -> None:
    """Of 100 pairs each judge ties five, and never the same; else they agree. The variance is the
    jackknife's, with the squares of what one item in each empty cell would change, all by
    scikit-learn: both tie, and one prefers the first and the other the second, or the reverse.
    """
    one, other = np.repeat([FIRST, SECOND], 50), np.repeat([FIRST, SECOND], 50)
    one[:5], other[50:55] = NEITHER, NEITHER
    table = np.stack([one, other], axis=1)

    def find_kappa(table: np.ndarray) -> float:
        return float(cohen_kappa_score(*both_ways(table).T))

    found = compare_two(one, other)
    whole = find_kappa(table)
    without = np.array([find_kappa(np.delete(table, i, axis=0)) for i in range(100)])
    added = [
        find_kappa(np.append(table, [cell], axis=0)) - whole
        for cell in ((NEITHER, NEITHER), (FIRST, SECOND), (SECOND, FIRST))
    ]
    variance = 99 / 100 * ((without - whole) ** 2).sum() + np.square(added).sum()
    half = half_by_logit(whole, found.low[0], found.high[0])
    assert half == pytest.approx(half_by_t(variance, 99))
    both = alpha(table)
    assert both.high == pytest.approx(found.high[0], abs=0.02), "alpha of two is nearly kappa"


def test_judges_who_always_agree_may_yet_differ() -> None:
    """Ten of ten: the share that agrees may be as low as .69 (Clopper & Pearson 1934), so kappa
    as .38 with both verdicts as frequent.
    """
    verdict = np.repeat([FIRST, SECOND], 5)
    found = compare_two(verdict, verdict)
    assert found.high[0] == 1
    assert found.low[0] == pytest.approx(0.38, abs=0.1)


def test_ten_people_alike_may_have_a_careless_colleague() -> None:
    """Alpha of ten who see the same, and an eleventh who guesses, are both in the interval."""
    rng = np.random.default_rng(8)
    table = guessed(rng, 200, 10, 0.9)
    careless = np.concatenate([table, rng.integers(3, size=(200, 1))], axis=1)
    found = alpha(table)
    assert found.low < alpha(careless).alpha < alpha(table, over_judges=False).low < found.alpha


def test_alpha_over_judges_is_wider_where_they_differ() -> None:
    table = guessed(np.random.default_rng(6), 60, 4, [0.2, 0.5, 0.9, 0.9])
    both, items = alpha(table), alpha(table, over_judges=False)
    assert both.alpha == items.alpha
    assert both.high - both.low > 1.5 * (items.high - items.low)
    assert not alpha(table[:, :2]).drawn, "two judges say nothing of a third"


def test_alpha_over_judges_alone_is_the_jackknife_over_judges() -> None:
    """Without each of five judges in turn, by the definition: (G - 1) / G times the squares."""
    table = np.random.default_rng(7).integers(3, size=(30, 5))
    found = agreement.alpha(*columns(table), np.arange(30), over_items=False)
    whole = alpha_by_definition(table)
    without = np.array([alpha_by_definition(np.delete(table, gone, axis=1)) for gone in range(5)])
    variance = 4 / 5 * ((without - whole) ** 2).sum() + (2 / 6 * whole) ** 2
    half = half_by_logit(whole, found.low, found.high)
    assert half == pytest.approx(half_by_t(variance, 4))


def test_two_who_contradict_themselves_agree_on_nothing() -> None:
    """Of four units the first two are equal; on the third both contradict themselves. By chance
    first 3/8 * 3/8, and second.
    """
    found, _ = compare(np.array([[0, 0], [2, 2], [3, 3], [0, 2]]))
    assert found.agreement.share[0] == 2 / 4
    assert found.kappa[0] == pytest.approx((1 / 2 - 9 / 32) / (1 - 9 / 32))
    assert alpha(np.array([[3, 3], [3, 3]])).alpha == 0


def test_plurality_by_hand() -> None:
    counts = np.array([[2, 1, 0], [1, 1, 0], [0, 1, 2], [1, 0, 1], [0, 0, 0], [1, 1, 1], [0, 3, 1]])
    assert agreement.plurality(np.array([[1, 0, 0, 2], [0, 0, 0, 1]])).tolist() == [FIRST, NEITHER]
    assert agreement.plurality(counts).tolist() == [
        FIRST, NEITHER, SECOND, NEITHER, NEITHER, NEITHER, NEITHER,
    ]  # fmt: skip
