"""Items by separability: counts by hand, and how often each is drawn."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.pairing.item_draws import (
    DRAWS,
    BySeparability,
    draw_by_separability,
    inclusion,
    systematic,
)
from core.records import TandemError


def taken(separability, seed=0, **settings):
    return draw_by_separability(
        np.array(separability, dtype=float), BySeparability(**settings), np.random.default_rng(seed)
    )


@st.composite
def draws(draw_):
    """(separabilities, settings)"""
    values = draw_(st.lists(st.floats(-1, 1) | st.just(np.nan), min_size=1, max_size=30))
    number = draw_(st.integers(1, 35))
    return [*values, 0.3], {
        "how": draw_(st.sampled_from(sorted(DRAWS))),
        "number": number,
        "bins": draw_(st.integers(1, 6)),
    }


def test_the_most_separable_first() -> None:
    found = taken([0.1, np.nan, 0.9, -0.2, 0.5], how="order", number=3)
    assert found.places.tolist() == [2, 4, 0]
    assert found.probability.tolist() == [1, 1, 1]
    assert found.chances.tolist() == [1, 0, 1, 0, 1]
    fewer = taken([0.1, np.nan, 0.9, -0.2, 0.5], how="order", number=2)
    assert fewer.chances.tolist() == [0, 0, 1, 0, 1]
    assert found.unknown == 1


def test_a_range() -> None:
    found = taken([0.1, np.nan, 0.9, 0.4, 0.5], how="range", low=0.4, high=0.9)
    assert sorted(found.places) == [2, 3, 4]
    assert found.probability.tolist() == [1, 1, 1]
    some = taken([0.1, 0.9, 0.4, 0.5], how="range", low=0.3, number=2)
    assert some.probability.tolist() == [2 / 3, 2 / 3]
    assert some.chances.tolist() == [0, 2 / 3, 2 / 3, 2 / 3]
    # 0.1 + 0.2 is a hair above 0.3, and 0.7 - 0.4 a hair below.
    assert sorted(taken([0.7 - 0.4, 0.1 + 0.2], how="range", low=0.3, high=0.3).places) == [0, 1]


def test_nothing_is_drawn_as_if_it_were_smaller_than_the_least() -> None:
    """Sizes 0.05, 0.05, 0.1 and 0.2 of one in four: an eighth, an eighth, a quarter and a half."""
    chances = taken([-0.3, 0.0, 0.1, 0.2], number=1).chances
    assert chances.tolist() == pytest.approx([1 / 8, 1 / 8, 1 / 4, 1 / 2])


def test_inclusion_by_hand() -> None:
    # 2 of sizes 1, 2, 3, 4: a fifth, two fifths ...; 3 of them: the 4 is certain, and the others
    # share two.
    assert inclusion(np.array([1.0, 2, 3, 4]), 2) == pytest.approx([0.2, 0.4, 0.6, 0.8])
    assert inclusion(np.array([1.0, 2, 3, 4]), 3) == pytest.approx([1 / 3, 2 / 3, 1, 1])
    assert inclusion(np.array([1.0, 1, 8]), 2) == pytest.approx([0.5, 0.5, 1])
    assert inclusion(np.array([1.0, 5]), 2).tolist() == [1, 1]


def test_strata_by_hand() -> None:
    """Bins 0 to 0.2, 0.2 to 0.4 ... 1 hold 4, 1, 0, 0 and 2; of five the upper bins give first,
    until they are empty.
    """
    values = [0, 0.1, 0.1, 0.19, 0.3, 0.9, 1.0]
    found = taken(values, how="stratified", number=5)
    shares = {0: 0.5, 1: 0.5, 2: 0.5, 3: 0.5, 4: 1, 5: 1, 6: 1}
    assert [shares[place] for place in found.places] == found.probability.tolist()
    assert {4, 5, 6} <= set(found.places)
    assert taken([0, 0.5, 1], how="stratified", number=2, bins=2).chances.tolist() == [0.5, 0.5, 1]
    # Of four the uppermost bin gives both of its own before the lowest gives a second.
    fewer = taken(values, how="stratified", number=4)
    assert fewer.chances.tolist() == [0.25, 0.25, 0.25, 0.25, 1, 1, 1]


@given(case=draws())
def test_takes_as_many_as_there_are_each_once(case) -> None:
    values, settings = case
    found = taken(values, **settings)
    there = int((~np.isnan(values)).sum())
    assert len(found.places) == len(set(found.places)) == min(settings["number"], there)
    assert found.unknown == len(values) - there
    assert not np.isnan(np.array(values)[found.places]).any()
    assert ((found.probability > 0) & (found.probability <= 1)).all()


@given(sizes=st.lists(st.floats(0.05, 1), min_size=1, max_size=40), share=st.floats(0, 1))
def test_inclusion_sums_to_the_number_in_proportion(sizes, share) -> None:
    number = max(1, round(share * len(sizes)))
    p = inclusion(np.array(sizes), number)
    assert p.sum() == pytest.approx(number)
    assert ((p > 0) & (p <= 1)).all()
    below = p < 1
    assert np.allclose(p[below] / np.array(sizes)[below], (p[below] / np.array(sizes)[below])[:1])


def test_each_is_taken_as_often_as_its_probability_says() -> None:
    """And so the re-weighted total of any figure is right on average (Horvitz & Thompson 1952)."""
    for how in ("range", "proportional", "stratified"):
        rng = np.random.default_rng(4)
        values, figure = rng.uniform(-0.3, 1, size=25), rng.normal(3, 1, size=25)
        settings, times = BySeparability(how=how, number=8), 4000
        counts, probability, totals = np.zeros(25), np.full(25, np.nan), []
        for _ in range(times):
            found = draw_by_separability(values, settings, rng)
            counts[found.places] += 1
            probability[found.places] = found.probability
            totals.append((figure[found.places] / found.probability).sum())
        error = np.sqrt(probability * (1 - probability) / times)
        assert (np.abs(counts / times - probability) <= 4.5 * error + 1e-12).all()
        assert abs(np.mean(totals) - figure.sum()) < 4 * np.std(totals) / times**0.5


def test_what_is_taken_is_in_random_order() -> None:
    """The first of three drawn is each of five about as often as the others drawn with it."""
    first = Counter(int(taken([0.5] * 5, seed, number=3).places[0]) for seed in range(2000))
    assert max(abs(count - 400) for count in first.values()) < 4 * (2000 * 0.2 * 0.8) ** 0.5


def test_what_is_certain_comes_no_sooner() -> None:
    """Of one that is certain and one of three others, either comes first in half of the draws."""
    for how, bins in (("proportional", 1), ("stratified", 2)):
        sooner = sum(
            int(taken([0.05, 0.05, 0.05, 1.0], seed, how=how, number=2, bins=bins).places[0]) == 3
            for seed in range(600)
        )
        assert abs(sooner - 300) < 4 * (600 * 0.25) ** 0.5


def test_any_two_can_be_drawn_together() -> None:
    """Systematic sampling of a list in its own order would never take neighbours."""
    pairs = {tuple(sorted(taken([0.5] * 4, seed, number=2).places.tolist())) for seed in range(200)}
    assert len(pairs) == 6


def test_what_makes_no_sense_is_refused() -> None:
    for settings, said in (
        ({"how": "best"}, "unknown how 'best'; there are order, range, proportional, stratified"),
        ({}, "proportional by separability draws some of the items: say how many"),
        ({"number": 0}, "number is 0; it is at least 1"),
        ({"number": 2, "low": 0.5, "high": 0.4}, "from 0.5 to 0.4 is not a range"),
        ({"number": 2, "bins": 0}, "bins is 0; it is at least 1"),
        ({"number": 2, "low": 0.9}, "nothing has a separability from 0.9 to 1"),
    ):
        with pytest.raises(TandemError) as refused:
            taken([0.1, 0.5], **settings)
        assert said in str(refused.value)


def test_each_stratum_gets_its_share_to_within_one_and_each_place_its_probability() -> None:
    rng = np.random.default_rng(6)
    sizes, strata = rng.uniform(0.2, 2, size=30), np.arange(30) % 4
    counts, times = np.zeros(30), 3000
    for _ in range(times):
        places, probability = systematic(sizes, 11, rng, strata)
        counts[places] += 1
        share = np.bincount(strata, probability)
        assert (np.abs(np.bincount(strata[places], minlength=4) - share) < 1).all()
    assert probability == pytest.approx(11 * sizes / sizes.sum())
    error = np.sqrt(probability * (1 - probability) / times)
    assert (np.abs(counts / times - probability) <= 4.5 * error).all()
