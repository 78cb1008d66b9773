"""Questions in flight: how many, in which thread, and how they end."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Generator

import pytest

from core.models.served.concurrent_requests import stream_through, wait_for


def flights(at_once, questions, answer):
    """All that a stream gives, one list."""
    return [pair for batch in stream_through(iter(questions), answer, at_once) for pair in batch]


def test_every_question_is_answered_once_and_so_many_at_once(subtests: pytest.Subtests) -> None:
    for at_once in [1, 4, 40]:
        with subtests.test(at_once=at_once):
            flying, most, together = 0, 0, []

            async def answer(question, at_once=at_once, together=together):
                nonlocal flying, most
                together[:] = together or [asyncio.Barrier(at_once)]
                flying += 1
                most = max(most, flying)
                await together[0].wait()  # nobody goes on before all of them are there
                flying -= 1
                return question * 2

            assert sorted(flights(at_once, range(40), answer)) == [(i, 2 * i) for i in range(40)]
            assert most == at_once
            assert flights(at_once, [], answer) == []


def test_questions_are_drawn_in_the_asker_s_thread_as_they_are_wanted() -> None:
    drawn, threads = [], set()

    def questions():
        for number in range(100):
            drawn.append(number)
            threads.add(threading.current_thread())
            yield number

    async def answer(question):
        return len(drawn)

    answered = flights(4, questions(), answer)
    assert threads == {threading.current_thread()}
    assert max(already - number for number, already in answered) <= 8  # no queue is built up


def test_a_slow_answer_is_waited_for_with_signs_of_life() -> None:
    """The slow one lands once a sign of life has been seen."""
    seen = threading.Event()

    async def answer(question):
        while question == 0 and not seen.is_set():
            await asyncio.sleep(0.001)
        return question

    landed = []
    for batch in stream_through(iter(range(4)), answer, 4, seconds=0.05):
        landed += batch
        if not batch:
            seen.set()
    assert sorted(landed[:3]) == [(1, 1), (2, 2), (3, 3)]
    assert landed[3:] == [(0, 0)]


def test_when_the_questions_end_early_what_is_in_flight_still_lands() -> None:
    stopped = threading.Event()

    def questions():
        for number in range(1000):
            if stopped.is_set():
                return
            yield number

    async def answer(question):
        await asyncio.sleep(0.01)
        return question

    found = []
    for batch in stream_through(questions(), answer, 5):
        found += batch
        stopped.set()
    assert sorted(found) == [(i, i) for i in range(len(found))]
    assert 5 <= len(found) < 1000


def test_an_answer_that_raises_ends_it_and_gives_up_the_rest() -> None:
    given_up = threading.Event()

    async def answer(question):
        if question == 3:
            raise ValueError("no key")
        if question > 3:
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                given_up.set()
                raise
        return question

    found = []
    with pytest.raises(ValueError, match="no key"):
        found.extend(pair for batch in stream_through(iter(range(10)), answer, 6) for pair in batch)
    assert set(found) <= {(0, 0), (1, 1), (2, 2)}
    assert given_up.wait(5)


def test_an_abandoned_stream_gives_up_what_is_in_flight() -> None:
    given_up = threading.Event()

    async def answer(question):
        if question == 0:
            return question
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            given_up.set()
            raise

    stream = stream_through(iter(range(3)), answer, 3)
    assert isinstance(stream, Generator)
    assert next(stream) == [(0, 0)]
    stream.close()
    assert given_up.wait(5)


def test_waiting_for_one() -> None:
    async def fails():
        raise ValueError("no")

    async def works():
        return 7

    assert wait_for(works()) == 7
    with pytest.raises(ValueError, match="no"):
        wait_for(fails())


def test_what_has_landed_by_ctrl_c_is_handed_out() -> None:
    """It comes while the thread that asks waits for more; a second's answers are at stake."""
    landed = threading.Event()

    def questions():
        yield from range(4)
        landed.wait(60)
        raise KeyboardInterrupt

    async def answer(question):
        if question == 3:
            for _ in range(20):  # turns of the loop, in which the others land
                await asyncio.sleep(0)
            landed.set()
            await asyncio.sleep(60)
        return question

    given = []
    stream = stream_through(questions(), answer, 4, seconds=60)
    with pytest.raises(KeyboardInterrupt):
        given.extend(pair for batch in stream for pair in batch)
    assert sorted(given) == [(0, 0), (1, 1), (2, 2)]


def test_what_has_landed_waits_neither_for_many_more_nor_for_the_next() -> None:
    """By a clock that goes on by 1/16 second with each answer; the last one lands once all others
    have been handed out.
    """
    now, landed = 0.0, []

    async def answer(question):
        nonlocal now
        async with asyncio.timeout(20):
            while question == 40 and len(landed) < 40:
                await asyncio.sleep(0.001)
        now += 1 / 16
        return question

    for batch in stream_through(iter(range(41)), answer, 1, seconds=60, clock=lambda: now):
        assert len(batch) <= 3
        landed += batch
    assert [question for question, _ in landed] == list(range(41))
