"""Bias for a position and for length, and circles of preferences."""

from __future__ import annotations

from itertools import combinations, permutations, product
from typing import Any

import networkx as nx
import numpy as np
import pytest
import statsmodels.api
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize
from scipy.special import expit, ndtri, stdtrit
from scipy.stats import binomtest
from sklearn.linear_model import LogisticRegression

from core.statistics import intervals, position_bias, transitivity
from core.statistics.position_bias import length_effect

probability = st.integers(0, 1000).map(lambda thousandths: thousandths / 1000)


def test_first_position_by_hand() -> None:
    # 3 for the first, 1 for the second, 2 ties, 1 unanswered.
    points = np.array([1, 1, 0, 1, 0.5, 0.5, np.nan])
    found = position_bias.first_position(points, np.arange(7))
    assert (found.p_first, found.first_share) == (3 / 4, 3 / 6)


def test_the_interval_of_p_first_takes_items_into_account() -> None:
    """300 decisive answers on 60 items. The standard error of their mean by statsmodels 0.15.0,
    OLS(points, 1).fit(cov_type="cluster", groups=items), and Student's t with 59 degrees, in
    Wilson's equation.
    """
    rng = np.random.default_rng(2)
    items = np.repeat(np.arange(60), 5)
    points = (rng.random(300) < rng.beta(2, 1, size=60)[items]).astype(float)
    found = position_bias.first_position(points, items)
    p, error = 211 / 300, 0.03934253
    n = p * (1 - p) / (error * stdtrit(59, 0.975) / ndtri(0.975)) ** 2
    theirs = binomtest(211, 300).proportion_ci(method="wilson")
    assert found.p_first == p
    assert_allclose((found.low, found.high), intervals.wilson(np.array(p), np.array(n)), rtol=1e-6)
    assert found.high - found.low > 1.4 * (theirs.high - theirs.low)


def test_first_position_of_nothing() -> None:
    nothing, one = np.array([], dtype=int), np.array([0])
    assert np.isnan(position_bias.first_position(np.array([]), nothing)).all()
    assert np.isnan(position_bias.first_position(np.array([np.nan]), one)).all()
    only_ties = position_bias.first_position(np.array([0.5]), one)
    assert np.isnan(only_ties[:3]).all()
    assert only_ties.first_share == 0


def test_both_orders_by_hand() -> None:
    pair = np.array([0, 0, 1, 1, 2, 2, 3, 3, 4, 5, 5, 6, 6, 6])
    back = np.array([0, 1, 0, 1, 0, 1, 0, 1, 0, 0, 1, 0, 0, 1], dtype=bool)
    nan = np.nan
    # same   | bias | ties     | in vain | one | half   | twice: tie, then the same verdict
    points = np.array([1, 0, 1, 1, 0.5, 0.5, nan, nan, 1, 1, nan, 1, 0.5, 0])
    found = position_bias.compare_orders(pair, back, points)
    assert found[:3] == (4, 3, 1)
    assert_array_equal(found.same, [1, 0, 1, nan, nan, nan, 1])
    assert position_bias.compare_orders(pair[:0], back[:0], points[:0])[:3] == (0, 0, 0)


def test_threshold_and_weight_by_hand() -> None:
    assert position_bias.threshold(np.array([0.9, 0.2, 0.6])) == 0.6
    tau = position_bias.threshold(np.array([0.9, 0.2, 0.6, 0.8]))
    assert tau == pytest.approx(0.7)
    assert position_bias.weight(tau) == pytest.approx(3 / 7)
    # alpha p / (alpha p + 1 - p) at p = 0.9: (27/70) / (27/70 + 7/70)
    assert position_bias.reweight(np.array([0.9]), tau)[0] == pytest.approx(27 / 34)
    assert np.isnan(position_bias.threshold(np.array([])))


def test_a_judge_that_is_certain_of_one_side() -> None:
    assert_array_equal(position_bias.reweight(np.array([1.0, 0.9, 0.0]), 1.0), [0.5, 0, 0])
    assert_array_equal(position_bias.reweight(np.array([1.0, 0.1, 0.0]), 0.0), [1, 1, 0.5])
    assert (position_bias.weight(1.0), position_bias.weight(0.0)) == (0, np.inf)


def test_swap_by_hand() -> None:
    assert_allclose(position_bias.swap(np.array([0.9, 1.0]), np.array([0.6, 1.0])), [0.65, 0.5])


@given(p=st.lists(probability, min_size=1, max_size=30).map(np.array))
def test_after_the_threshold_both_positions_win_alike(p) -> None:
    tau = position_bias.threshold(p)
    after = position_bias.reweight(p, tau)
    # At most half on either side; not exactly half only where several probabilities equal the
    # median.
    assert (after > 0.5).sum() <= len(p) / 2
    assert (after < 0.5).sum() <= len(p) / 2
    assert (after[p == tau] == 0.5).all()


@given(p=probability, tau=st.floats(0.01, 0.99))
def test_the_weight_does_what_the_threshold_does(p, tau) -> None:
    alpha, after = position_bias.weight(tau), position_bias.reweight(np.array([p]), tau)[0]
    assert after == pytest.approx(alpha * p / (alpha * p + 1 - p))
    assert (after > 0.5) == (p > tau) or after == pytest.approx(0.5)


@given(p=st.lists(probability, min_size=1, max_size=20).map(np.array))
def test_naming_the_sides_the_other_way_mirrors_it(p) -> None:
    mirrored = position_bias.reweight(1 - p, position_bias.threshold(1 - p))
    assert_allclose(mirrored, 1 - position_bias.reweight(p, position_bias.threshold(p)), atol=1e-6)


@given(i=probability, j=probability)
def test_swap_does_not_depend_on_which_is_called_i(i, j) -> None:
    one, other = (position_bias.swap(*np.array(two)) for two in ([[i], [j]], [[j], [i]]))
    assert_allclose(one, 1 - other, atol=1e-12)


def test_a_threshold_without_an_interval() -> None:
    for prob, groups in (([], []), ([0.4, 0.4], [0, 1]), ([0.4, 0.6], [0, 0])):
        found = position_bias.threshold_interval(np.array(prob), np.array(groups, dtype=int))
        assert np.isnan(found).all()
    low, high = position_bias.threshold_interval(np.array([0.2, 0.9]), np.array([0, 1]))
    assert (low, high) == (0.2, 0.9)


RNG = np.random.default_rng(4)
X = RNG.normal(0.2, 0.8, 400)
Y = (RNG.random(400) < expit(-0.4 + 1.3 * X)).astype(float)
ALONE = np.arange(400)


def test_the_slope_is_scikit_learns() -> None:
    model = LogisticRegression(C=np.inf, tol=1e-10, max_iter=1000).fit(X[:, None], Y)
    found = length_effect(Y, X, ALONE)
    assert found.slope == pytest.approx(model.coef_[0, 0], abs=1e-5)
    assert found.low < found.slope < found.high
    assert found.n == 400


def test_with_ties_it_is_the_likelihoods_maximum() -> None:
    points = np.where(ALONE % 3 == 0, 0.5, Y)

    def loss(beta: np.ndarray) -> float:
        p = expit(beta[0] + beta[1] * X)
        return float(-(points * np.log(p) + (1 - points) * np.log(1 - p)).sum())

    slope = minimize(loss, [0, 0]).x[1]
    assert length_effect(points, X, ALONE).slope == pytest.approx(slope, abs=1e-4)


def test_which_is_called_first_does_not_matter() -> None:
    assert_allclose(length_effect(1 - Y, -X, ALONE), length_effect(Y, X, ALONE), atol=1e-8)


def test_answers_repeated_within_an_item_tell_nothing_new() -> None:
    """Each answer four times: four times the n, the same interval but for the clusters."""
    once, four = (length_effect(*(np.tile(x, n) for x in (Y, X, ALONE))) for n in (1, 4))
    assert_allclose(four[:3], once[:3], rtol=1e-6)
    assert four.n == 1600


def test_always_the_longer() -> None:
    for sign in [1, -1]:
        x = np.array([-2.0, -1, 1, 2, 3])
        found = length_effect((sign * x > 0).astype(float), x, np.arange(5))
        assert found.slope == sign * np.inf
        assert np.isnan(found.low)


def test_answers_by_place_alone_have_no_effect_of_length() -> None:
    """Both orders of a pair cancel exactly, so that slope and error are what rounding leaves."""
    x, item = RNG.normal(0, 1, 18).repeat(2) * np.tile([1, -1], 18), np.arange(6).repeat(6)
    assert length_effect((item % 2).astype(float), x, item).p == pytest.approx(1, abs=1e-3)


def test_nothing_to_fit() -> None:
    nothing, no = ([], []), np.nan
    same, ties = ([1.0, 1], [1.0, 2]), ([0.5, 0.5], [1.0, -2])
    for points, x in (nothing, ([1.0, 0], [0.0, 0]), same, ties, ([no, 1], [1.0, no])):
        found = length_effect(np.array(points), np.array(x), np.arange(len(x)))
        assert np.isnan(found[:3]).all()


@given(
    st.lists(
        st.sampled_from(
            list(product([0.0, 0.5, 1.0, np.nan], [0.0, 1e-9, -1e-9, 1.0, -0.5, 20.0]))
        ),
        max_size=8,
    )
)
def test_any_few_answers_have_an_effect_or_none(answers: list[tuple[float, float]]) -> None:
    points, x = np.array(answers).reshape(-1, 2).T
    slope, low, high, n, _ = length_effect(points, x, np.arange(len(x)) // 2)
    assert n == ((x != 0) & ~np.isnan(points)).sum()
    assert np.isnan(low) or low <= slope <= high


def test_the_unit_of_length_is_nothing() -> None:
    found, tiny = length_effect(Y, X, ALONE), length_effect(Y, X * 1e-6, ALONE)
    assert_allclose(np.array(tiny[:3]) * 1e-6, found[:3], rtol=1e-6)


def test_the_interval_is_as_wide_as_refits_without_each_item_say() -> None:
    """By statsmodels, refitted without each of 20 items; Student's t at as many items as count."""
    rng = np.random.default_rng(4)
    groups = np.repeat(np.arange(20), rng.integers(2, 20, 20))
    doublings = rng.normal(size=len(groups))
    points = (rng.random(len(groups)) < expit(0.3 + 0.5 * doublings)).astype(float)
    design = statsmodels.api.add_constant(doublings)

    def slope(kept):
        fit = statsmodels.api.Logit(points[kept], design[kept]).fit(disp=0)
        return float(fit.params[1])

    every = slope(np.ones(len(points), dtype=bool))
    moved = np.array([slope(groups != item) - every for item in range(20)])
    error = np.sqrt(19 / 20 * (moved**2).sum())
    found = length_effect(points, doublings, groups)
    assert found.slope == pytest.approx(every, abs=1e-6)
    half = (found.high - found.low) / 2
    assert 2.05 * error < half < 2.3 * error  # t at 10 to 20 degrees of freedom, and one step


def columns(wins: dict[tuple[int, int], float], losses: dict[tuple[int, int], float]) -> Any:
    """One item's pairs, as columns."""
    first, second = np.array(list(wins), dtype=np.int64).reshape(-1, 2).T
    pairs = transitivity.TextPairs(np.zeros(len(wins), dtype=np.int64), first, second)
    return pairs, np.array(list(wins.values())), np.array(list(losses.values()))


@given(st.integers(3, 9), st.integers(0, 2**32 - 1))
def test_cyclic_triples_of_a_tournament(texts: int, seed: int) -> None:
    """As many as networkx counts: C(n, 3) less those in which one text beats two."""
    rng = np.random.default_rng(seed)
    pairs = list(combinations(range(texts), 2))
    wins = {pair: float(rng.random() < 0.5) for pair in pairs}
    beats = nx.DiGraph(pair if won else pair[::-1] for pair, won in wins.items())
    assert nx.is_tournament(beats)
    cyclic = len(list(combinations(range(texts), 3))) - sum(
        degree * (degree - 1) // 2 for _, degree in beats.out_degree
    )
    triples = transitivity.triples(*columns(wins, {pair: 1 - won for pair, won in wins.items()}))
    assert triples.cyclic.tolist() == [cyclic]
    assert triples.decided.tolist() == triples.answered.tolist()
    assert triples.answered.tolist() == [len(list(combinations(range(texts), 3)))]


def by_the_book(forward: dict[Any, int], backward: dict[Any, int]) -> Any:
    """Every triple in each of its 8 choices of orders: decided, cyclic, cyclic either way."""
    texts = sorted({text for pair in forward for text in pair})
    total = np.zeros(3)
    for three in combinations(texts, 3):
        pairs = list(combinations(three, 2))
        if not all(pair in forward for pair in pairs):
            continue
        steady = all(forward[pair] * backward[pair] >= 0 for pair in pairs)
        for orders in product((forward, backward), repeat=3):
            said = [order[pair] for order, pair in zip(orders, pairs, strict=True)]
            if 0 in said:
                continue
            over = {
                pair if sign > 0 else pair[::-1] for pair, sign in zip(pairs, said, strict=True)
            }
            cycle = any({(x, y), (y, z), (z, x)} <= over for x, y, z in permutations(three))
            total += np.array([1, cycle, cycle and steady]) / 8
    return total


@given(st.integers(3, 6), st.integers(0, 2**32 - 1))
def test_what_one_order_would_show(texts: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    pairs = [pair for pair in combinations(range(texts), 2) if rng.random() < 0.9]
    pairs = pairs or [(0, 1)]
    forward, backward = ({pair: int(rng.integers(-1, 2)) for pair in pairs} for _ in range(2))
    drawn, by_position = transitivity.estimate_one_order(*columns(forward, backward))
    decided, cyclic, own = by_the_book(forward, backward)
    assert_allclose(
        [drawn.decided.sum(), drawn.cyclic.sum(), by_position.sum()],
        [decided, cyclic, cyclic - own],
        atol=1e-12,
    )


def test_position_alone_closes_the_cycles_of_a_judge_that_sees_nothing_else() -> None:
    """Who always takes the first contradicts itself on every pair: a coin each, a quarter of the
    triples (Kendall & Babington Smith 1940), all of them by position.
    """
    pairs = list(combinations(range(6), 2))
    both = columns(dict.fromkeys(pairs, 1.0), dict.fromkeys(pairs, -1.0))
    drawn, by_position = transitivity.estimate_one_order(*both)
    assert_allclose(drawn.cyclic / drawn.decided, transitivity.CHANCE)
    assert_allclose(by_position, drawn.cyclic)


def stochastic_by_the_book(p: dict[tuple[int, int], float]) -> list[int]:
    whole = p | {pair[::-1]: 1 - value for pair, value in p.items()}
    texts = sorted({text for pair in p for text in pair})
    counts = [0, 0, 0]
    for three in combinations(texts, 3):
        if not all(pair in whole for pair in permutations(three, 2)):
            continue
        chains = [
            (whole[x, y], whole[y, z], whole[x, z])
            for x, y, z in permutations(three)
            if min(whole[x, y], whole[y, z]) >= 0.5
        ]
        counts[0] += 1
        counts[1] += any(xz < 0.5 for _, _, xz in chains)
        counts[2] += any(xz < max(xy, yz) for xy, yz, xz in chains)
    return counts


@given(st.integers(3, 6), st.integers(0, 2**32 - 1))
def test_stochastic_transitivity(texts: int, seed: int) -> None:
    """Of eighths, so that 1/2 and equal probabilities occur, and rounding plays no part."""
    rng = np.random.default_rng(seed)
    pairs = [pair for pair in combinations(range(texts), 2) if rng.random() < 0.9] or [(0, 1)]
    p = {pair: rng.integers(9) / 8 for pair in pairs}
    stochastic = transitivity.stochastic(*columns(p, p)[:2])
    assert [int(count.sum()) for count in stochastic] == stochastic_by_the_book(p)


def test_of_a_scale_nothing_is_violated() -> None:
    """Probabilities that come from strengths are strongly transitive."""
    strength = np.random.default_rng(0).normal(size=8)
    pairs = list(combinations(range(8), 2))
    p = {(a, b): 1 / (1 + np.exp(strength[b] - strength[a])) for a, b in pairs}
    stochastic = transitivity.stochastic(*columns(p, p)[:2])
    assert [count.tolist() for count in stochastic] == [[56.0], [0.0], [0.0]]


def test_the_share_is_over_items() -> None:
    """Each item's triples being alike, ten copies of a triple are one observation."""
    cyclic, decided = np.array([1.0, 0.0, 0.0, 1.0] * 10), np.ones(40)
    once = transitivity.share(cyclic, decided)
    assert_allclose(transitivity.share(10 * cyclic, 10 * decided), once)
    assert once[0] == 0.5
    assert np.isnan(transitivity.share(np.zeros(2), np.zeros(2))).all()
    none = transitivity.share(np.zeros(30), np.full(30, 7.0))
    # Wilson's upper end of 0 in 30 items, not in 210 triples: z^2 / (n + z^2)
    assert_allclose(none, (0.0, 0.0, 3.8415 / (30 + 3.8415)), atol=1e-4)


def test_items_and_blocks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three items of texts of their own, in a mixed order, are counted as each alone."""
    rng = np.random.default_rng(7)
    texts = [(item, 10 * item + np.array(list(combinations(range(6), 2)))) for item in range(3)]
    every = np.concatenate([np.insert(pairs, 0, item, axis=1) for item, pairs in texts])
    pairs = transitivity.TextPairs(*rng.permutation(every).T)
    wins = (rng.random(len(every)) < 0.5).astype(float)
    together = transitivity.triples(pairs, wins, 1 - wins)
    for item in range(3):
        of = pairs.item == item
        one = transitivity.TextPairs(0 * pairs.item[of], pairs.first[of], pairs.second[of])
        alone = transitivity.triples(one, wins[of], 1 - wins[of])
        assert [counts[item] for counts in together] == [counts[0] for counts in alone]
    monkeypatch.setattr(transitivity, "BATCH", 4)
    assert_allclose(transitivity.triples(pairs, wins, 1 - wins), together)


def test_without_three_pairs_there_is_no_triple() -> None:
    for pairs in [[], [(0, 1)], [(0, 1), (1, 2)]]:
        given = dict.fromkeys(pairs, 1.0)
        triples = transitivity.triples(*columns(given, given))
        assert triples.answered.sum() == 0
