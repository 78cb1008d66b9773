"""Portions: an item stays with a worker, and nothing is dealt twice or left out."""

from itertools import count

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from core.models.cluster.dealing import STRETCH, TRIES, Dealer


def dealer(*sizes):
    """Questions (item, number) of items with so many each."""
    return Dealer(
        iter([(item, number) for item, size in enumerate(sizes) for number in range(size)]),
        lambda question: question[0],
    )


def test_an_item_stays_with_its_worker():
    deals = dealer(12, 12, 12)
    first = [deals.portion(1, 4).questions, deals.portion(2, 4).questions]
    second = [deals.portion(1, 4).questions, deals.portion(2, 4).questions]
    assert [{item for item, _ in questions} for questions in first + second] == [{0}, {1}] * 2


def test_small_items_fill_a_portion_together():
    assert dealer(1, 1, 1, 1, 1).portion(1, 4).questions == [(item, 0) for item in range(4)]


def test_no_more_is_read_ahead_than_a_few_portions():
    read = count()
    deals = Dealer(read, lambda question: 0)
    deals.portion(1, 4)
    assert next(read) == 4 * STRETCH + 1


def test_who_has_nothing_left_takes_half_of_what_another_has():
    deals = dealer(16)
    deals.portion(1, 4)
    assert deals.portion(2, 4).questions == [(0, number) for number in range(10, 14)]


def test_what_a_worker_died_of_is_asked_alone_and_given_up_after_a_few():
    deals = dealer(4)
    portion = deals.portion(1, 4)
    assert deals.lost(portion) == []
    for deaths in range(1, TRIES):
        alone = deals.portion(2, 4)
        assert (alone.questions, alone.deaths) == ([(0, 0)], deaths)
        given_up = deals.lost(alone)
    assert given_up == [(0, 0)]
    rest = [deals.portion(2, 4).questions for _ in range(3)]
    assert rest == [[(0, 1)], [(0, 2)], [(0, 3)]]
    assert deals.done


@given(
    st.lists(st.integers(1, 30), max_size=8), st.integers(1, 9), st.integers(1, 4), st.integers(0)
)
def test_each_question_is_answered_once_whatever_dies(sizes, size, workers, seed):
    """Answered or given up, each exactly once; nothing else ends the dealing."""
    deals, rng, ended = dealer(*sizes), np.random.default_rng(seed), []
    while not deals.done:
        worker = int(rng.integers(workers))
        portion = deals.portion(worker, size)
        if portion is None:
            continue
        fate = rng.random()
        if fate < 0.2:
            ended += deals.lost(portion)
            deals.gone(worker)
        elif fate < 0.3:
            deals.back(portion)
        else:
            ended += portion.questions
    assert sorted(ended) == [(i, n) for i, each in enumerate(sizes) for n in range(each)]
