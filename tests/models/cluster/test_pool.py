"""Dealing out questions, without Ray: nothing is dealt twice or left out, whoever dies."""

from __future__ import annotations

from itertools import chain, groupby
from operator import itemgetter
from types import SimpleNamespace
from typing import Any

import pytest

from core.models import Options
from core.models.cluster import pool
from core.models.cluster.pool import STRETCH, TRIES, Worker, WorkerPool
from core.records import Answer, Outcome, TandemError

QUESTIONS = [(item, number) for item in range(30) for number in range(20)]


class Actor:
    """An actor that does at once what it is asked."""

    answer = load = find_place = SimpleNamespace(remote=lambda *given: given)


def dealt(workers: int) -> WorkerPool[Any, Answer]:
    """A pool with workers that are ready, and no cluster."""
    found: WorkerPool[Any, Answer] = WorkerPool(
        lambda: None,  # type: ignore[arg-type, return-value]
        Options(on="ray"),
        lambda why: Answer(failure=why),
        itemgetter(0),
    )
    found._deaths = found._vain = 0
    found._workers = [Worker(Actor(), None, is_ready=True) for _ in range(workers)]
    return found


def test_an_item_stays_with_a_worker_and_nothing_is_dealt_twice() -> None:
    spread = dealt(3)
    stretches = spread._cut_stretches(iter(QUESTIONS))
    by_worker: list[list[Any]] = [[], [], []]
    while spread._hand_out(stretches) or any(worker.batch for worker in spread._workers):
        for worker, own in zip(spread._workers, by_worker, strict=True):
            own += worker.batch
            worker.task, worker.batch = None, []
    assert sorted(chain(*by_worker)) == QUESTIONS
    for own in by_worker:
        runs = [len(list(run)) for _, run in groupby(own, key=itemgetter(0))]
        assert max(runs) == STRETCH * spread._size


def test_what_a_worker_died_of_is_asked_alone_and_given_up_after_three(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pool, "_kill", lambda worker: None)
    spread = dealt(2)
    monkeypatch.setattr(spread, "_hire", lambda: Worker(Actor(), None, is_ready=True))
    bad, answered, given_up = QUESTIONS[7], list[Any](), list[Any]()
    stretches = spread._cut_stretches(iter(QUESTIONS))
    while spread._hand_out(stretches) or any(worker.batch for worker in spread._workers):
        for worker in list(spread._workers):
            batch, worker.task, worker.batch = worker.batch, None, []
            if bad in batch:
                given_up += spread._replace(worker, batch, "memory")
            elif batch:
                answered += batch
                spread._count(worker, [Answer(Outcome.A, seconds=9.0)] * len(batch))
    assert [question for question, _ in given_up] == [bad]
    assert given_up[0][1].failure == f"error: {TRIES} workers died of it (memory)"
    assert sorted([*answered, bad]) == QUESTIONS
    assert spread._deaths == TRIES


def test_workers_that_only_die_are_not_replaced_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "_kill", lambda worker: None)
    spread = dealt(2)
    monkeypatch.setattr(spread, "_hire", lambda: Worker(Actor(), None))

    def die() -> None:
        for _ in range(100):
            spread._replace(spread._workers[0], [], "memory")

    with pytest.raises(TandemError, match=r"every worker died\b.*\bworkers lower\b"):
        die()
