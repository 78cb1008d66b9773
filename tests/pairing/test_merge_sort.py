"""PairS: an exact sort of a perfect judge, the likeliest merge by hand, and what must hold."""

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import spearmanr

from core.pairing.sort import merge, merge_sort, most_comparisons
from core.pairing.strategy import SortSettings

GREEDY = SortSettings()


class Judge:
    """P(i beats j) from a matrix; it counts what it is asked, a repeated pair once."""

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


class TestSort:
    @given(st.permutations(range(40)), st.integers(1, 40))
    def test_a_perfect_judge_gives_the_exact_order_in_n_log_n(self, quality, n) -> None:
        judge = perfect(quality)
        found = merge_sort(range(n), judge, GREEDY)
        assert found.order == tuple(sorted(range(n), key=lambda i: -quality[i]))
        assert found.asks == ()
        assert len(judge.asked) <= most_comparisons(n) <= n * math.log2(n)

    def test_the_most_it_can_ask(self) -> None:
        """OEIS A001855 (sorting numbers: the worst case of merge sort), at n."""
        for n, most in ((1, 0), (2, 1), (3, 3), (4, 5), (16, 49), (50, 237), (200, 1345)):
            assert most_comparisons(n) == most

    @given(noisy())
    def test_a_beam_of_one_or_without_a_gap_is_greedy(self, p: np.ndarray) -> None:
        narrow, wide, greedy = (
            merge_sort(range(len(p)), Judge(p), how)
            for how in (SortSettings(1, 0.5), SortSettings(50, 0.0), GREEDY)
        )
        assert narrow == wide == greedy

    @given(noisy(), st.integers(1, 8), st.floats(0, 0.5))
    def test_ranks_every_candidate_once_and_asks_no_more_than_it_said(
        self, p: np.ndarray, beam, gap
    ) -> None:
        judge = Judge(p)
        found = merge_sort(range(len(p)), judge, SortSettings(beam, gap))
        assert sorted(found.order) == list(range(len(p)))
        assert len(judge.asked) <= most_comparisons(len(p), beam)

    @given(noisy(), st.integers(1, 8), st.floats(0, 0.5))
    def test_answers_fed_as_it_asks_for_them_give_the_same_ranking(
        self, p: np.ndarray, beam, gap
    ) -> None:
        """It asks for nothing twice, and for nothing that a sort which knows all would not look at."""
        settings, known = SortSettings(beam, gap), {}

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

    def test_merges_side_by_side_are_asked_together(self) -> None:
        asks = merge_sort(range(16), lambda i, j: None, GREEDY).asks
        assert asks == tuple((i, i + 1) for i in range(0, 16, 2))

        equals = merge_sort([3, 1, 2, 0], lambda i, j: 0.5, GREEDY)
        assert equals.order == (3, 1, 2, 0), "equals keep their order"


class TestMerge:
    def orders(self, left, right):
        """Every way to merge."""
        size = len(left) + len(right)
        for places in combinations(range(size), len(left)):
            lefts, rights = iter(left), iter(right)
            yield tuple(next(lefts if place in places else rights) for place in range(size))

    def log_likelihood(self, order, p, pairs):
        """Of an order given the answers about these pairs: each is right or wrong in it."""
        place = {candidate: i for i, candidate in enumerate(order)}
        right = [p[i, j] if place[i] < place[j] else 1 - p[i, j] for i, j in map(sorted, pairs)]
        return sum(math.log(max(chance, 1e-6)) for chance in right)

    @given(noisy(2, 8))
    def test_a_wide_beam_finds_the_likeliest_of_all_merges(self, p: np.ndarray) -> None:
        left, right = range(len(p) // 2), range(len(p) // 2, len(p))
        judge = Judge(p)
        found = merge(left, right, judge, SortSettings(1000, 0.5))
        assert len(judge.asked) == len(left) * len(right)
        orders = self.orders(left, right)
        best, order = max((self.log_likelihood(order, p, judge.asked), order) for order in orders)
        assert found.log_likelihood == pytest.approx(best)
        assert found.order == order

    @given(noisy(2, 16), st.integers(1, 6), st.floats(0, 0.5))
    def test_is_at_least_as_likely_as_greedy_given_all_it_has_asked(
        self, p: np.ndarray, beam, gap
    ) -> None:
        left, right = range(len(p) // 2), range(len(p) // 2, len(p))
        judge = Judge(p)
        wide = merge(left, right, judge, SortSettings(beam, gap))
        greedy = merge(left, right, Judge(p), GREEDY)
        likelihood = self.log_likelihood(wide.order, p, judge.asked)
        assert wide.log_likelihood == pytest.approx(likelihood)
        assert likelihood >= self.log_likelihood(greedy.order, p, judge.asked) - 1e-9

    def test_emptying_one_list_is_not_free(self) -> None:
        """An unsure judge that is always right, P = .55: the true order. A beam by the sum of each
        branch's own answers gives 0, 2, 4, 6, 1, 3, 5, 7: it has asked for four instead of seven.
        """
        quality = -np.arange(8)
        p = np.where(quality[:, None] > quality[None, :], 0.55, 0.45)
        found = merge([0, 2, 4, 6], [1, 3, 5, 7], Judge(p), SortSettings(10, 0.1))
        assert found.order == tuple(range(8))

    def test_by_hand(self) -> None:
        """0 and 1 with 2: P(0 beats 2) is close, and that 1 beats 2 says that 0 does, too."""
        p = np.full((3, 3), 0.5)
        p[0, 2], p[1, 2] = 0.45, 0.95
        greedy = merge([0, 1], [2], Judge(p), GREEDY)
        assert (greedy.order, greedy.log_likelihood) == ((2, 0, 1), pytest.approx(math.log(0.55)))
        wide = merge([0, 1], [2], Judge(p), SortSettings(2, 0.1))
        assert wide.order == (0, 1, 2)
        assert wide.log_likelihood == pytest.approx(math.log(0.45 * 0.95))

    def test_a_certain_answer_is_never_reconsidered(self) -> None:
        p = np.array([[0.5, 0.0], [1.0, 0.5]])
        assert merge([0], [1], Judge(p), SortSettings(5, 0.1)).order == (1, 0)
        assert merge([0], [1], Judge(p), SortSettings(5, 0.1)).log_likelihood == 0.0


class Unsure:
    """Texts and a judge of them. The logit of its answer is the difference of what it sees of their
    quality, with noise for each pair, times its steepness.
    """

    def __init__(self, n, seed, steepness):
        rng = np.random.default_rng(seed)
        self.quality = rng.normal(size=n)
        noise = np.triu(0.8 * rng.normal(size=(n, n)), 1)
        seen = self.quality + 0.7 * rng.normal(size=n)
        logit = seen[:, None] - seen[None, :] + noise - noise.T
        self.p = 1 / (1 + np.exp(-steepness * logit))

    def spearman(self, settings):
        order = merge_sort(range(len(self.p)), Judge(self.p), settings).order
        return spearmanr(-np.argsort(order), self.quality)[0]


def test_a_beam_ranks_no_worse_than_greedy_however_unsure_the_judge() -> None:
    """By the sum of log P of each branch's own answers it does: 0.40 where greedy has 0.69."""
    for n, sets in ((16, 60), (50, 8)):
        for steepness in (0.1, 0.25, 0.5, 1, 2):
            judges = [Unsure(n, seed, steepness) for seed in range(sets)]
            greedy, beam = (
                np.mean([judge.spearman(settings) for judge in judges])
                for settings in (GREEDY, SortSettings(10, 0.1))
            )
            assert beam >= greedy
