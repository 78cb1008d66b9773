"""Alignments, separability, consistency: hand counts, and what must hold for any numbers."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from core.statistics import separability as s

NAN = np.nan
unit = st.floats(0, 1)


def symmetric(values: np.ndarray) -> np.ndarray:
    return np.triu(values, 1) + np.triu(values, 1).T + np.eye(len(values))


@st.composite
def items(draw, least: int = 1) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    one, two = draw(st.integers(least, 5)), draw(st.integers(least, 5))
    shapes = ((one, one), (two, two), (one, two))
    within_1, within_2, across = (draw(arrays(float, shape, elements=unit)) for shape in shapes)
    return symmetric(within_1), symmetric(within_2), across


def delta(within_1: np.ndarray, within_2: np.ndarray, across: np.ndarray) -> float:
    alignments = s.self_alignment(within_1), s.self_alignment(within_2), s.cross_alignment(across)
    return float(s.separability(*map(np.asarray, alignments)))


def test_by_hand() -> None:
    """Two generations of one system (0.9 alike), three of the other (0.2, 0.4, 0.6), six cross
    pairs of 0.1 .. 0.6.
    """
    within_1 = symmetric(np.array([[1, 0.9], [0.9, 1]]))
    within_2 = symmetric(np.array([[1, 0.2, 0.4], [0, 1, 0.6], [0, 0, 1]]))
    across = np.array([[0.1, 0.2, 0.3], [0.4, 0.5, 0.6]])
    assert s.self_alignment(within_1) == pytest.approx(0.9)
    assert s.self_alignment(within_2) == pytest.approx(0.4)
    assert s.cross_alignment(across) == pytest.approx(0.35)
    assert delta(within_1, within_2, across) == pytest.approx(0.55)


@given(items())
def test_swapping_the_systems_changes_nothing(item) -> None:
    within_1, within_2, across = item
    there, back = delta(within_1, within_2, across), delta(within_2, within_1, across.T)
    assert there == pytest.approx(back, nan_ok=True)


@given(items(least=2), st.integers(0, 2**32 - 1))
def test_the_order_of_samples_changes_nothing(item, seed) -> None:
    within_1, within_2, across = item
    rng = np.random.default_rng(seed)
    p, q = rng.permutation(len(within_1)), rng.permutation(len(within_2))
    again = delta(within_1[np.ix_(p, p)], within_2[np.ix_(q, q)], across[np.ix_(p, q)])
    assert again == pytest.approx(delta(*item))


@given(items())
def test_range_and_single_generations(item) -> None:
    found = delta(*item)
    assert np.isnan(found) == (min(item[2].shape) < 2)
    assert np.isnan(found) or -1 <= found <= 1


@given(items(least=2))
def test_a_missing_pair_is_not_guessed(item) -> None:
    within_1, within_2, across = item
    across[0, 0] = NAN
    assert np.isnan(delta(within_1, within_2, across))
    ends = s.bootstrap(s.Blocks(within_1, within_2, across), rng=np.random.default_rng(0))
    assert np.isnan(ends).all()


@given(st.integers(2, 5), st.integers(2, 5))
def test_identical_texts_cannot_be_told_apart(one: int, two: int) -> None:
    ones = np.ones((one, one)), np.ones((two, two)), np.ones((one, two))
    assert delta(*ones) == 0
    assert s.bootstrap(s.Blocks(*ones), rng=np.random.default_rng(0)) == pytest.approx((0, 0))


@given(st.integers(1, 30), st.integers(0, 2**32 - 1))
def test_drawn_cross_pairs(cross: int, seed: int) -> None:
    drawn, again, every = (
        s.draw_pairs((5, 4), number, rng=np.random.default_rng(seed))
        for number in (cross, cross, None)
    )
    assert every is None
    assert drawn is None if cross >= 20 else (drawn.sum(), (drawn == again).all()) == (cross, True)


def test_all_pairs_are_drawn_alike() -> None:
    rng = np.random.default_rng(0)
    often = sum(s.draw_pairs((3, 3), 4, rng=rng).astype(int) for _ in range(3000)) / 3000
    assert often == pytest.approx(np.full((3, 3), 4 / 9), abs=0.03)


@given(items(least=2))
def test_span_scales_to_the_unit_interval(item) -> None:
    known = np.array([*map(s.self_alignment, item[:2]), s.cross_alignment(item[2])])
    low, high = s.span(np.append(known, NAN))
    if known.min() == known.max():
        assert np.isnan([low, high]).all(), "no scale, so no number"
    else:
        scaled = (known - low) / (high - low)
        assert (scaled.min(), scaled.max()) == (0, pytest.approx(1))


def test_span_of_nothing() -> None:
    assert np.isnan(s.span()).all()
    assert np.isnan(s.span(np.array([NAN, NAN]))).all()


def test_the_bootstrap_by_enumeration() -> None:
    """K = 2 and 3: every one of the 2^2 x 3^3 draws of generations, those with one generation only
    left out; of all cross pairs, and of C = 3 of them.
    """
    for drawn in [None, np.array([[True, False, True], [False, True, False]])]:
        rng = np.random.default_rng(5)
        within_1, within_2 = (symmetric(rng.random((k, k))) for k in (2, 3))
        across = rng.random((2, 3))
        deltas = []
        for one, two in product(product(range(2), repeat=2), product(range(3), repeat=3)):
            pairs_1 = [within_1[i, j] for i in one for j in one if i != j]
            pairs_2 = [within_2[i, j] for i in two for j in two if i != j]
            cross = [across[i, j] for i in one for j in two if drawn is None or drawn[i, j]]
            if pairs_1 and pairs_2 and cross:
                deltas.append(max(np.mean(pairs_1), np.mean(pairs_2)) - np.mean(cross))
        rng = np.random.default_rng(0)
        found = s.bootstrap(s.Blocks(within_1, within_2, across), drawn, rng=rng, resamples=20_000)
        assert found == pytest.approx(np.quantile(deltas, [0.025, 0.975]), abs=0.02)


def test_consistency_and_strength_by_hand() -> None:
    for ratings, consistency, strength in [
        ([1, 1, 1, 1, 1], 1, 1),
        ([-1, -1, 0, -1, 0], 0.6, -0.6),
        ([1, -1, 0, 0, 0], 0, 0),
        ([0, 0, 0], 0, 0),
        ([1, 1, 1, -1], 0, 0.5),
        ([0, 1], 0.5, 0.5),
    ]:
        values = np.array(ratings, dtype=float)
        assert s.consistency(values) == pytest.approx(consistency)
        assert s.strength(values) == pytest.approx(strength)
        assert s.consistency(-values) == pytest.approx(consistency)
        assert s.strength(-values) == pytest.approx(-strength)


@given(arrays(float, st.integers(1, 8), elements=st.sampled_from([-1.0, 0.0, 1.0])))
def test_consistency_is_the_size_of_a_preference_that_holds(ratings) -> None:
    c = s.consistency(ratings)
    assert 0 <= abs(s.strength(ratings)) <= 1
    assert c in (0, pytest.approx(abs(s.strength(ratings))))


def test_bins() -> None:
    values = np.array([0.0, 0.1, 0.2, 0.3, 1.0, NAN])
    for bins, binning, of, edges, member in (
        (2, "width", values, [0, 0.5, 1], [0, 0, 0, 0, 1, -1]),
        (2, "quantile", values, [0, 0.2, 1], [0, 0, 0, 1, 1, -1]),
        (4, "width", np.array([0.3, 0.3]), None, [0, 0]),
        (4, "width", np.array([NAN]), None, [-1]),
    ):
        found = s.bin_values(of, bins=bins, binning=binning)
        assert edges in (None, found.edges.tolist())
        assert found.member.tolist() == member


@given(
    arrays(float, st.integers(1, 40), elements=st.one_of(unit, st.just(NAN))),
    st.integers(1, 6),
    st.sampled_from(["width", "quantile"]),
)
def test_every_known_value_lies_in_its_bin(values, bins, binning) -> None:
    edges, member = s.bin_values(values, bins=bins, binning=binning)
    for value, index in zip(values, member, strict=True):
        assert (index == -1) == np.isnan(value)
        if index >= 0:
            assert edges[index] <= value <= edges[index + 1]


def test_scenarios_by_hand() -> None:
    """Figure 2 of the paper, by our bounds: 0.2 above is tight, 0.5 across is alike."""
    self_1 = np.array([0.9, 0.3, 0.9, 0.9, 0.3, 0.9, NAN])
    self_2 = np.array([0.8, 0.25, 0.3, 0.95, 0.9, 0.1, 0.9])
    cross = np.array([0.1, 0.2, 0.2, 0.9, 0.2, 0.7, 0.2])
    assert s.scenario(self_1, self_2, cross).tolist() == [1, 2, 3, 4, 3, 3, 0]
    # Just as far above is tight; just as high across is alike.
    half, quarter, none = np.array([0.5]), np.array([0.25]), np.array([0.0])
    assert s.scenario(half, none, quarter, apart=0.25) == [3]
    assert s.scenario(quarter, none, quarter, alike=0.25) == [4]


@given(arrays(float, (3, 20), elements=unit))
def test_in_scenarios_1_and_3_systems_can_be_told_apart(values: np.ndarray) -> None:
    apart = s.separability(*values) >= 0.2
    assert (np.isin(s.scenario(*values), (1, 3)) == apart).all()
    assert (s.scenario(*values) == s.scenario(values[1], values[0], values[2])).all()
