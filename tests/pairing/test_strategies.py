"""Which comparisons a strategy chooses: counts by hand, and what must hold for any budget."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.pairing.strategies import STRATEGIES, ring
from core.pairing.strategy import GREEDY, SortSettings, candidate_pairs, groups
from core.seeds import draw


def pairs_of(systems):
    """The unordered pairs of so many systems; the generation of system i is 10 i."""
    return [(10 * i, 10 * j) for i in range(systems) for j in range(i + 1, systems)]


AT_ONCE = [name for name, strategy in STRATEGIES.items() if not strategy.adaptive]


def choose(strategy, systems, budget=None, known=frozenset(), seed=0):
    rng = np.random.default_rng(seed)
    return STRATEGIES[strategy].choose(pairs_of(systems), budget, known, rng)


def most(strategy, systems):
    return STRATEGIES[strategy].bound(pairs_of(systems), None, GREEDY)


def unordered(chosen):
    return Counter(frozenset(pair) for pair in chosen)


Case = tuple[int, int | None, set[tuple[int, int]], int]


@st.composite
def cases(draw_, *, even=False):
    """(systems, budget, known comparisons, seed)"""
    systems = draw_(st.integers(2, 6))
    every = [ordered for pair in pairs_of(systems) for ordered in (pair, pair[::-1])]
    budget = draw_(st.none() | st.integers(1, 40))
    known = draw_(st.sets(st.sampled_from(every)))
    return systems, budget * 2 if even and budget else budget, known, draw_(st.integers(0, 99))


class TestCounts:
    """16 systems, as in SummEval: 120 pairs, 240 ordered comparisons an item (Liusie et al. 2024)."""

    def test_of_each_strategy(self) -> None:
        for strategy, budget, comparisons, different_pairs in (
            ("full", None, 240, 120),
            ("random", None, 240, 120),
            ("random", 12, 12, None),
            ("random", 500, 240, 120),
            ("no-repeat", None, 120, 120),
            ("no-repeat", 12, 12, 12),
            ("no-repeat", 500, 120, 120),
            ("symmetric", None, 240, 120),
            ("symmetric", 12, 12, 6),
            ("symmetric", 500, 240, 120),
            ("ring", None, 120, 120),
            ("ring", 12, 12, 12),
            ("ring", 500, 120, 120),
        ):
            chosen = choose(strategy, 16, budget)
            assert len(chosen) == comparisons
            assert len(set(chosen)) == comparisons
            assert different_pairs in (None, len(unordered(chosen)))

    def test_at_most(self) -> None:
        both = dict.fromkeys(("full", "random", "symmetric", "same-pairs"), 240)
        once = dict.fromkeys(("no-repeat", "ring"), 120)
        assert {strategy: most(strategy, 16) for strategy in AT_ONCE} == both | once


class TestEvery:
    @given(case=cases(even=True), strategy=st.sampled_from(AT_ONCE))
    @settings(max_examples=len(AT_ONCE) * settings.default.max_examples, deadline=None)
    def test_asks_existing_comparisons_once_and_stays_within_its_budget(
        self, strategy: str, case: Case
    ) -> None:
        """The same seed gives the same plan, also when some of it has been answered."""
        systems, budget, known, seed = case
        chosen = choose(strategy, systems, budget, known, seed)
        every = {ordered for pair in pairs_of(systems) for ordered in (pair, pair[::-1])}
        assert len(chosen) == len(set(chosen))
        assert set(chosen) <= every
        there_are = most(strategy, systems)
        # `full` has no budget: it is all there is; nor have the pairs people answered.
        whole = strategy in ("full", "same-pairs") or budget is None
        assert len(chosen) == (there_are if whole else min(budget, there_are))
        assert choose(strategy, *case) == chosen
        assert set(choose(strategy, systems, budget, set(chosen), seed + 1)) == set(chosen)


class TestRandom:
    @given(cases())
    def test_stored_answers_count_towards_the_budget(self, case) -> None:
        systems, budget, known, seed = case
        chosen = set(choose("random", systems, budget, known, seed))
        assert len(chosen & known) == min(len(known), len(chosen))

    def test_each_comparison_is_as_likely(self) -> None:
        """6 ordered comparisons of 3 systems, 2 drawn: each in a third of 3,000 draws, within 4
        standard errors.
        """
        counts = Counter(one for seed in range(3000) for one in choose("random", 3, 2, seed=seed))
        assert len(counts) == 6
        assert max(abs(count - 1000) for count in counts.values()) < 4 * (3000 * 2 / 9) ** 0.5


class TestNoRepeat:
    @given(cases())
    def test_asks_no_pair_in_both_orders(self, case) -> None:
        assert set(unordered(choose("no-repeat", *case)).values()) <= {1}

    @given(cases())
    def test_stored_answers_count_towards_the_budget(self, case) -> None:
        systems, budget, known, seed = case
        chosen = choose("no-repeat", systems, budget, known, seed)
        known_pairs = {frozenset(pair) for pair in known}
        # A pair of which an order is known is taken first, in a known order.
        assert len([one for one in chosen if one in known]) == min(len(known_pairs), len(chosen))

    def test_a_coin_decides_the_order(self) -> None:
        """120 pairs x 20 seeds: the first system stands first in half of them, within 4 standard
        errors.
        """
        first = sum(a < b for seed in range(20) for a, b in choose("no-repeat", 16, seed=seed))
        assert abs(first - 1200) < 4 * (2400 * 0.25) ** 0.5


class TestSymmetric:
    @given(cases(even=True))
    def test_asks_both_orders_of_each_pair(self, case) -> None:
        chosen = set(choose("symmetric", *case))
        assert chosen == {one[::-1] for one in chosen}

    @given(cases(even=True))
    def test_pairs_answered_in_both_orders_come_first_then_those_in_one(self, case) -> None:
        systems, budget, known, seed = case
        counts = unordered(known)
        chosen = unordered(choose("symmetric", systems, budget, known, seed))
        left_out = [
            counts[frozenset(pair)] for pair in pairs_of(systems) if frozenset(pair) not in chosen
        ]
        assert min((counts[pair] for pair in chosen), default=2) >= max(left_out, default=0)


class TestRing:
    def test_whole_rounds_are_exactly_balanced(self) -> None:
        """After k rounds of N comparisons each candidate has been first k times and second k times."""
        for systems, rounds, each in ((16, 1, 2), (16, 3, 6), (7, 2, 4), (5, 2, 4), (50, 3, 6)):
            chosen = choose("ring", systems, rounds * systems)
            assert set(Counter(a for a, _ in chosen).values()) == {each // 2}
            assert set(Counter(b for _, b in chosen).values()) == {each // 2}

    @given(st.integers(2, 24), st.integers(1, 300), st.integers(0, 99))
    def test_any_budget_is_balanced(self, systems, budget, seed) -> None:
        chosen = choose("ring", systems, budget, seed=seed)
        first, second = (Counter(one[side] for one in chosen) for side in (0, 1))
        candidates = [10 * i for i in range(systems)]
        compared = [first[c] + second[c] for c in candidates]
        assert max(compared) - min(compared) <= 2
        assert max(abs(first[c] - second[c]) for c in candidates) <= 1

    @given(st.integers(3, 24), st.integers(0, 99))
    def test_the_first_round_links_all(self, systems, seed) -> None:
        linked = {0}
        chosen = choose("ring", systems, systems, seed=seed)
        for _ in range(systems):
            linked |= {c for one in chosen if linked & set(one) for c in one}
        assert len(linked) == systems

    @given(cases())
    def test_asks_no_pair_in_both_orders_and_counts_stored_answers(self, case) -> None:
        _, _, known, _ = case
        chosen = choose("ring", *case)
        assert set(unordered(chosen).values()) <= {1}
        answered = [one for one in chosen if one in known]
        assert len(answered) == min(len(unordered(known)), len(chosen))

    def test_samples_share_the_budget_evenly(self) -> None:
        """Two samples of 6 systems are two rings; 12 comparisons are a round of each."""
        pairs = [(a + sample, b + sample) for sample in (0, 1) for a, b in pairs_of(6)]
        each = [sorted(group) for group in groups(pairs)]
        assert each == [list(range(s, 60, 10)) for s in (0, 1)]
        chosen = ring(pairs, 12, set(), np.random.default_rng(0))
        assert set(chosen) <= {ordered for pair in pairs for ordered in (pair, pair[::-1])}
        twice = {10 * i + s: 2 for i in range(6) for s in (0, 1)}
        assert Counter(c for one in chosen for c in one) == twice

    def test_another_seed_is_another_circle(self) -> None:
        assert len({tuple(choose("ring", 16, 16, seed=seed)) for seed in range(5)}) == 5


class TestCandidatePairs:
    def frame(self, rows):
        columns = ("item", "system", "sample", "available")
        return pd.DataFrame(rows, columns=columns).assign(generation=range(100, 100 + len(rows)))

    def test_are_oriented_by_name_and_pair_sample_j_with_sample_j(self) -> None:
        rows = [("x", system, sample, 1) for sample in (0, 1) for system in ("c", "a", "b")]
        frame = self.frame(rows)  # c0 = 100, a0 = 101, b0 = 102, c1 = 103, a1 = 104, b1 = 105
        first = [(101, 102), (101, 100), (102, 100)]
        assert list(candidate_pairs(frame)) == [("x", first)]
        second = [(a + 3, b + 3) for a, b in first]
        assert list(candidate_pairs(frame, samples=2)) == [("x", [*first, *second])]

    def test_leave_out_what_has_no_text(self) -> None:
        x, y = zip("xxx", "abc", (1, 0, 1), strict=True), zip("yy", "ab", (1, 0), strict=True)
        frame = self.frame([(item, system, 0, there) for item, system, there in (*x, *y)])
        assert list(candidate_pairs(frame)) == [("x", [(100, 102)])]

    def test_a_sample_one_system_lacks_is_compared_among_the_others(self) -> None:
        frame = self.frame([("x", "a", 0, 1), ("x", "b", 0, 1), ("x", "a", 1, 1), ("x", "c", 1, 1)])
        assert list(candidate_pairs(frame, samples=2)) == [("x", [(100, 101), (102, 103)])]
        assert list(candidate_pairs(self.frame([]))) == []
        assert list(candidate_pairs(self.frame([("x", "a", 0, 1)]))) == []

    @given(st.integers(1, 6), st.integers(1, 5), st.integers(1, 3))
    def test_number(self, systems, samples, wanted) -> None:
        rows = [("x", f"s{i}", sample, 1) for i in range(systems) for sample in range(samples)]
        [pairs] = [pairs for _, pairs in candidate_pairs(self.frame(rows), samples=wanted)] or [[]]
        assert len(set(pairs)) == len(pairs) == min(samples, wanted) * systems * (systems - 1) // 2


class TestDraw:
    def test_depends_on_its_parts_alone(self) -> None:
        # blake2b of "1\x1fa", 8 bytes, by coreutils: printf '1\037a' | b2sum -l 64
        assert draw(1, "a") == 0x0D35CA1552F972F7 >> 1
        assert draw(1, "a") == draw("1", "a") != draw(1, "b")
        assert draw("ab", "c") != draw("a", "bc")

    def test_fits_a_column_and_falls_evenly(self) -> None:
        drawn = np.array([draw("seed", i) for i in range(4000)])
        assert drawn.min() >= 0
        assert drawn.max() < 2**63
        assert abs((drawn % 2).sum() - 2000) < 4 * (4000 * 0.25) ** 0.5
        shares = [0.1, 0.5, 0.9]
        assert np.quantile(drawn / 2**63, shares) == pytest.approx(shares, abs=0.03)


# ---- Strategies that look at the answers: what they ask, counted, whatever the judge says


BEAM = SortSettings(3, 0.1)


def run(strategy, pairs, budget, judge, *, seed=0, known=frozenset(), how=BEAM):
    """What is asked until nothing more is, wave by wave."""
    answers, waves = {}, []
    while True:
        rng = np.random.default_rng(seed)
        chosen = STRATEGIES[strategy].choose(pairs, budget, known, rng, answers, how)
        if not chosen:
            return answers, waves
        assert not answers.keys() & set(chosen)
        assert len(set(chosen)) == len(chosen)
        waves.append(chosen)
        answers |= {one: judge(*one) for one in chosen}


def noisy(seed, failing=0.0):
    def judge(a, b):
        rng = np.random.default_rng([seed, a, b])
        return None if rng.random() < failing else float(rng.random())

    return judge


ADAPTIVE = [name for name, strategy in STRATEGIES.items() if strategy.adaptive]


@pytest.mark.parametrize("strategy", ADAPTIVE)
class TestEveryAdaptive:
    @settings(max_examples=25, deadline=None)
    @given(
        st.integers(2, 7),
        st.none() | st.integers(1, 50),
        st.integers(0, 99),
        st.sampled_from([0.0, 0.3, 1.0]),
    )
    def test_ends_within_its_budget_asking_existing_comparisons_once(
        self, strategy, systems, budget, seed, failing
    ) -> None:
        pairs = pairs_of(systems)
        answers, _ = run(strategy, pairs, budget, noisy(seed, failing), seed=seed)
        assert set(answers) <= {ordered for pair in pairs for ordered in (pair, pair[::-1])}
        assert len(answers) <= (budget or 2 * len(pairs))
        if not failing:
            assert len(answers) <= STRATEGIES[strategy].bound(pairs, budget, BEAM)

    @settings(max_examples=10, deadline=None)
    @given(st.integers(2, 7), st.integers(0, 99))
    def test_the_next_wave_depends_on_nothing_but_the_answers(
        self, strategy, systems, seed
    ) -> None:
        """Not on the order they are held in."""
        answers, waves = run(strategy, pairs_of(systems), 20, noisy(seed), seed=seed)
        before = [one for wave in waves[:-1] for one in wave]
        reversed_ = {one: answers[one] for one in reversed(before)}
        rng = np.random.default_rng(seed)
        how = (pairs_of(systems), 20, set(answers), rng, reversed_, BEAM)
        assert STRATEGIES[strategy].choose(*how) == waves[-1]


class TestActive:
    def test_begins_with_a_ring_and_goes_on_by_quarters(self) -> None:
        answers, waves = run("active", pairs_of(16), 40, noisy(1))
        assert waves[0] == ring(pairs_of(16), 24, set(), np.random.default_rng(0))
        assert [len(wave) for wave in waves] == [24, 4, 4, 4, 4]
        assert len({frozenset(one) for one in answers}) == 40
        assert len(run("active", pairs_of(5), None, noisy(2))[0]) == 20, "all without a budget"

    @settings(max_examples=20, deadline=None)
    @given(st.integers(3, 12), st.integers(3, 60), st.integers(0, 99))
    def test_every_candidate_is_first_about_as_often_as_second(self, systems, budget, seed) -> None:
        # Afterwards the second orders are what is left.
        budget = min(budget, systems * (systems - 1) // 2)
        answers, _ = run("active", pairs_of(systems), budget, noisy(seed), seed=seed)
        first, second = (Counter(one[side] for one in answers) for side in (0, 1))
        assert max(abs(first[10 * i] - second[10 * i]) for i in range(systems)) <= 3

    def test_samples_are_ranked_apart(self) -> None:
        pairs = [(a + sample, b + sample) for sample in (0, 1) for a, b in pairs_of(6)]
        answers, _ = run("active", pairs, 24, noisy(3))
        assert Counter(a % 10 for a, _ in answers) == {0: 12, 1: 12}
        assert all(a % 10 == b % 10 for a, b in answers)
