"""PairS: an exact sort of what a perfect judge says, the likeliest merge by hand, and what must
hold for any answers.
"""

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.pairing.merge_sort import Settings, merge, merge_sort, most_comparisons

GREEDY = Settings()


class Judge:
    """P(i beats j) from a matrix, counting what it is asked; a pair asked again is the same
    question.
    """

    def __init__(self, p):
        self.p, self.asked = np.asarray(p), set()

    def __call__(self, i, j):
        self.asked.add(frozenset((i, j)))
        return float(self.p[i, j])


def perfect(quality):
    quality = np.asarray(quality)
    return Judge(quality[:, None] > quality[None, :])


@st.composite
def noisy(draw, least=2, most=12):
    """A matrix with p[j, i] = 1 - p[i, j]."""
    n = draw(st.integers(least, most))
    p = np.random.default_rng(draw(st.integers(0, 10**6))).random((n, n))
    return np.triu(p, 1) + np.tril(1 - p.T, -1)


def decided(order, p):
    return sum(math.log(p[i, j]) for i, j in order)


class TestSort:
    @given(st.permutations(range(40)), st.integers(1, 40))
    def test_a_perfect_judge_gives_the_exact_order_in_n_log_n(self, quality, n):
        judge = perfect(quality)
        found = merge_sort(range(n), judge, GREEDY)
        assert found.order == tuple(sorted(range(n), key=lambda i: -quality[i]))
        assert found.asks == ()
        assert len(judge.asked) <= most_comparisons(n) <= n * math.log2(n)

    @pytest.mark.parametrize(
        ("n", "most"), [(1, 0), (2, 1), (3, 3), (4, 5), (16, 49), (50, 237), (200, 1345)]
    )
    def test_the_most_it_can_ask(self, n, most):
        """OEIS A001855 (sorting numbers: the worst case of merge sort), at n."""
        assert most_comparisons(n) == most

    @given(noisy())
    def test_a_beam_of_one_is_greedy(self, p):
        wide = merge_sort(range(len(p)), Judge(p), Settings(1, 0.5))
        assert wide == merge_sort(range(len(p)), Judge(p), GREEDY)

    @given(noisy())
    def test_without_a_gap_the_beam_is_greedy(self, p):
        assert merge_sort(range(len(p)), Judge(p), Settings(50, 0.0)) == merge_sort(
            range(len(p)), Judge(p), GREEDY
        )

    @given(noisy(), st.integers(1, 8), st.floats(0, 0.5))
    def test_ranks_every_candidate_once_and_asks_no_more_than_it_said(self, p, beam, gap):
        judge = Judge(p)
        found = merge_sort(range(len(p)), judge, Settings(beam, gap))
        assert sorted(found.order) == list(range(len(p)))
        assert len(judge.asked) <= most_comparisons(len(p), beam)

    @given(noisy(), st.integers(1, 8), st.floats(0, 0.5))
    def test_answers_fed_as_it_asks_for_them_give_the_same_ranking(self, p, beam, gap):
        """It asks for nothing twice, and for nothing that a sort which knows all would not look at."""
        settings, known = Settings(beam, gap), {}

        def stored(i, j):
            return known.get((i, j))

        found = merge_sort(range(len(p)), stored, settings)
        while found.asks:
            assert len(set(found.asks)) == len(found.asks)
            assert not known.keys() & set(found.asks)
            known.update({(i, j): float(p[i, j]) for i, j in found.asks})
            found = merge_sort(range(len(p)), stored, settings)
        judge = Judge(p)
        assert found == merge_sort(range(len(p)), judge, settings)
        assert {frozenset(pair) for pair in known} == judge.asked

    def test_merges_side_by_side_are_asked_together(self):
        asks = merge_sort(range(16), lambda i, j: None, GREEDY).asks
        assert asks == tuple((i, i + 1) for i in range(0, 16, 2))

    def test_equals_keep_their_order(self):
        assert merge_sort([3, 1, 2, 0], lambda i, j: 0.5, GREEDY).order == (3, 1, 2, 0)


class TestMerge:
    def paths(self, p, left, right):
        """(log-likelihood, order) of every way to merge, by hand."""
        size = len(left) + len(right)
        for places in combinations(range(size), len(left)):
            order, total, i, j = [], 0.0, 0, 0
            for place in range(size):
                from_left = place in places
                if i < len(left) and j < len(right):
                    total += math.log(
                        max(p[left[i], right[j]] if from_left else 1 - p[left[i], right[j]], 1e-6)
                    )
                order.append(left[i] if from_left else right[j])
                i, j = i + from_left, j + (not from_left)
            yield total, tuple(order)

    @given(noisy(2, 8))
    def test_a_wide_beam_finds_the_likeliest_of_all_merges(self, p):
        left, right = range(len(p) // 2), range(len(p) // 2, len(p))
        found = merge(left, right, Judge(p), Settings(1000, 0.5))
        best, order = max(self.paths(p, left, right))
        assert found.log_likelihood == pytest.approx(best)
        assert found.order == order

    @given(noisy(2, 16), st.integers(1, 6), st.floats(0, 0.5))
    def test_is_at_least_as_likely_as_greedy(self, p, beam, gap):
        left, right = range(len(p) // 2), range(len(p) // 2, len(p))
        wide, greedy = (
            merge(left, right, Judge(p), settings) for settings in (Settings(beam, gap), GREEDY)
        )
        assert wide.log_likelihood >= greedy.log_likelihood - 1e-9

    def test_by_hand(self):
        """0 into 1, 2: placing it last takes two decisions, so the likelier side each time is not
        the likelier order.
        """
        p = np.full((3, 3), 0.5)
        p[0, 1], p[0, 2] = 0.55, 0.01
        greedy = merge([0], [1, 2], Judge(p), GREEDY)
        assert (greedy.order, greedy.log_likelihood) == ((0, 1, 2), pytest.approx(math.log(0.55)))
        p[0, 1], p[0, 2] = 0.45, 0.4
        assert merge([0], [1, 2], Judge(p), GREEDY).order == (1, 2, 0)  # .55 x .6 = .33
        wide = merge([0], [1, 2], Judge(p), Settings(2, 0.1))
        assert (wide.order, wide.log_likelihood) == ((0, 1, 2), pytest.approx(math.log(0.45)))

    def test_a_certain_answer_is_never_reconsidered(self):
        p = np.array([[0.5, 0.0], [1.0, 0.5]])
        assert merge([0], [1], Judge(p), Settings(5, 0.1)).order == (1, 0)
        assert merge([0], [1], Judge(p), Settings(5, 0.1)).log_likelihood == 0.0
