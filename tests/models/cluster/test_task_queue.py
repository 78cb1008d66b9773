"""Batches: an item stays with a worker, and nothing is dealt twice or left out."""

from __future__ import annotations

from itertools import count

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from core.models.cluster.task_queue import STRETCH, TRIES, TaskQueue


def queue_of(*sizes):
    """Questions (item, number) of items with so many each."""
    return TaskQueue(
        iter([(item, number) for item, size in enumerate(sizes) for number in range(size)]),
        lambda question: question[0],
    )


def test_an_item_stays_with_its_worker() -> None:
    queue = queue_of(12, 12, 12)
    first = [queue.take_batch(1, 4).questions, queue.take_batch(2, 4).questions]
    second = [queue.take_batch(1, 4).questions, queue.take_batch(2, 4).questions]
    assert [{item for item, _ in questions} for questions in first + second] == [{0}, {1}] * 2


def test_small_items_fill_a_portion_together() -> None:
    assert queue_of(1, 1, 1, 1, 1).take_batch(1, 4).questions == [(item, 0) for item in range(4)]


def test_no_more_is_read_ahead_than_a_few_batches() -> None:
    read = count()
    queue = TaskQueue(read, lambda question: 0)
    queue.take_batch(1, 4)
    assert next(read) == 4 * STRETCH + 1


def test_who_has_nothing_left_takes_half_of_what_another_has() -> None:
    queue = queue_of(16)
    queue.take_batch(1, 4)
    assert queue.take_batch(2, 4).questions == [(0, number) for number in range(10, 14)]


def test_what_a_worker_died_of_is_asked_alone_and_given_up_after_a_few() -> None:
    queue = queue_of(4)
    batch = queue.take_batch(1, 4)
    assert queue.record_death(batch) == []
    for deaths in range(1, TRIES):
        alone = queue.take_batch(2, 4)
        assert (alone.questions, alone.deaths) == ([(0, 0)], deaths)
        given_up = queue.record_death(alone)
    assert given_up == [(0, 0)]
    rest = [queue.take_batch(2, 4).questions for _ in range(3)]
    assert rest == [[(0, 1)], [(0, 2)], [(0, 3)]]
    assert queue.is_done


@given(
    st.lists(st.integers(1, 30), max_size=8), st.integers(1, 9), st.integers(1, 4), st.integers(0)
)
def test_each_question_is_answered_once_whatever_dies(sizes, size, workers, seed) -> None:
    """Answered or given up, each exactly once; nothing else ends the dealing."""
    queue, rng, ended = queue_of(*sizes), np.random.default_rng(seed), []
    while not queue.is_done:
        worker = int(rng.integers(workers))
        batch = queue.take_batch(worker, size)
        if batch is None:
            continue
        fate = rng.random()
        if fate < 0.2:
            ended += queue.record_death(batch)
            queue.release(worker)
        elif fate < 0.3:
            queue.put_back(batch)
        else:
            ended += batch.questions
    assert sorted(ended) == [(i, n) for i, each in enumerate(sizes) for n in range(each)]
