"""Strategies that look at the answers: what they ask, counted, whatever the judge says."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.pairing.merge_sort import SortSettings
from core.pairing.ring import ring
from core.pairing.strategies import STRATEGIES
from tests.pairing.test_strategies import pairs_of

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
class TestEvery:
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
        chosen = STRATEGIES[strategy].choose(
            pairs_of(systems), 20, set(answers), rng, reversed_, BEAM
        )
        assert chosen == waves[-1]


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
        budget = min(
            budget, systems * (systems - 1) // 2
        )  # afterwards the second orders are what is left
        answers, _ = run("active", pairs_of(systems), budget, noisy(seed), seed=seed)
        first, second = (Counter(one[side] for one in answers) for side in (0, 1))
        assert max(abs(first[10 * i] - second[10 * i]) for i in range(systems)) <= 3

    def test_samples_are_ranked_apart(self) -> None:
        pairs = [(a + sample, b + sample) for sample in (0, 1) for a, b in pairs_of(6)]
        answers, _ = run("active", pairs, 24, noisy(3))
        assert Counter(a % 10 for a, _ in answers) == {0: 12, 1: 12}
        assert all(a % 10 == b % 10 for a, b in answers)
