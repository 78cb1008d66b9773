"""Which pairs a vote is expected to tell most about: by hand, and in worlds whose truth is known."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.statistics import vote_value

NOBODY = np.full(4, np.nan)


def test_without_votes_it_is_unsureness_and_disagreement_by_hand():
    """(sum of answers + 1) / (answers + 2): 4/5, 3/5, 1/2 and, of one answer, 2/3."""
    said = np.array([[1, 1, 1], [1, 1, 0], [0.5, 0.5, 0.5], [1, np.nan, np.nan]])
    found = vote_value.residual_variance(said, NOBODY)
    assert found == pytest.approx([4 / 25, 6 / 25, 1 / 4, 2 / 9])


def test_votes_tell_how_far_judges_are_right():
    """Judges that are always right about what they are sure of, and toss a coin about the rest."""
    rng = np.random.default_rng(1)
    sure = rng.random(2000) < 0.5
    vote = rng.integers(0, 2, 2000).astype(float)
    said = np.where(sure, vote, 0.5)[:, None]
    voted = np.where(rng.random(2000) < 0.25, vote, np.nan)
    found = vote_value.residual_variance(said, voted)
    assert found[~sure].mean() == pytest.approx(0.25, abs=0.01)
    assert found[sure].mean() < 0.02
    coin = vote_value.residual_variance(rng.integers(0, 2, (2000, 1)).astype(float), voted)
    assert np.ptp(coin) < 0.02
    assert coin.mean() > 0.22


def test_texts_that_people_cannot_tell_apart_tell_more_where_votes_show_it():
    rng = np.random.default_rng(2)
    apart = rng.random(1000)
    vote = (rng.random(1000) < 0.5 + apart / 2).astype(float)
    said = np.full((1000, 1), 0.95)
    found = vote_value.residual_variance(said, vote, apart)
    assert np.corrcoef(found, apart)[0, 1] < -0.9
    unknown = np.full(1000, np.nan)
    assert np.ptp(vote_value.residual_variance(said, vote, unknown)) < 1e-9


def test_sizes_by_hand_and_a_system_in_few_pairs_counts_for_more():
    """Of systems in 2, 2, 3 and 1 pairs: the root of v / 2^2 + v / 2^2 = 0.25 / 2 for v = 1/4, and
    so on.
    """
    first, second = np.array([0, 0, 1, 2]), np.array([1, 2, 2, 3])
    variance = np.array([0.25, 0.09, 0.09, 0.16])
    found = vote_value.sampling_sizes(variance, first, second, n=4, even=0.0)
    roots = np.sqrt([0.25 / 2, 0.09 * 13 / 36, 0.09 * 13 / 36, 0.16 * 10 / 9])
    assert found == pytest.approx(roots / roots.mean())
    assert found.argmax() == 3


@given(
    st.lists(st.floats(0.01, 0.25), min_size=3, max_size=3),
    st.floats(0.1, 1.0),
)
def test_no_size_is_below_the_even_part(variance, even):
    first, second = np.array([0, 0, 1]), np.array([1, 2, 2])
    found = vote_value.sampling_sizes(np.array(variance), first, second, n=3, even=even)
    assert found.mean() == pytest.approx(1)
    assert found.min() >= even - 1e-12
