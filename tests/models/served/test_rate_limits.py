"""Limits, with a clock of the test's own."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.failures import TIMED_OUT
from core.models.respondent import Options
from core.models.served.connection import BROKEN, wait_for
from core.models.served.endpoint import TIMEOUT_TRIES, Endpoint
from core.models.served.rate_limits import SILENCE, Contact, Limits, RatePacer, RunLimits
from core.models.served.respondent import stream_through
from core.models.served.server_errors import TRIES
from core.records import TandemError
from tests.clock import alone, jumping
from tests.server import Server


@given(
    st.integers(1, 5000),
    st.lists(st.tuples(st.floats(0, 20), st.integers(1, 50)), min_size=1, max_size=60),
)
def test_no_minute_holds_more_than_the_limit(per_minute, arrivals) -> None:
    """Whenever one starts counting, but for what the last to begin carries over."""
    pace, now, started = RatePacer(), 0.0, []
    for gap, amount in arrivals:
        now += gap
        started.append((pace.take(amount, now, per_minute), amount))
    assert [start for start, _ in started] == sorted(start for start, _ in started)
    for first, _ in started:
        inside = [amount for start, amount in started if first <= start < first + 60 - 1e-6]
        assert sum(inside[:-1]) <= per_minute + 1e-6


def test_requests_and_tokens_each_hold_back_and_a_wrong_estimate_is_put_right() -> None:
    limits, allowed = Limits(), RunLimits(rpm=60, tpm=6000)  # one a second, 100 tokens a second
    assert [limits.take(50, 0.0, allowed) for _ in range(3)] == [0.0, 1.0, 2.0]
    assert limits.take(1000, 2.5, allowed) == 3.0
    assert limits.take(1, 2.5, allowed) == 13.0  # after the thousand
    assert [Limits().take(1e9, 7.0, RunLimits()) for _ in range(3)] == [7.0] * 3
    pace = RatePacer()
    pace.take(100, 0.0, 6000)
    pace.correct(400, 6000)  # it took 500
    assert pace.take(100, 0.0, 6000) == 5.0
    pace.correct(-100, 6000)
    assert pace.take(100, 0.0, 6000) == 5.0


def test_what_an_answer_took_counts_for_the_next() -> None:
    """A hundred tokens a second; the first takes 30 more than it was taken for."""
    allowed, left = RunLimits(tpm=6000), []

    async def ask():
        limits = Limits(jumping())
        for _ in range(2):
            async with limits.turn(allowed, 1):
                left.append(limits.clock.now())
                limits.correct(30)

    alone(ask())
    assert left == pytest.approx([0, 0.31])


def test_a_pause_holds_all_back_also_those_that_wait_already() -> None:
    async def leave():
        limits, left, until = Limits(jumping()), [], 15.0

        async def one():
            async with limits.turn(RunLimits(rpm=6000), 1):
                left.append(limits.clock.now())

        waiting = [asyncio.create_task(one()) for _ in range(5)]
        await asyncio.sleep(0)
        limits.hold(until)
        limits.hold(until - 1)  # an earlier end does not shorten it
        await asyncio.gather(*waiting)
        return sum(at < until for at in left), len(left)

    early, all_of_them = alone(leave())
    assert early <= 1  # the one that had left before
    assert all_of_them == 5


def test_where_runs_differ_the_strictest_holds_while_it_asks() -> None:
    async def ask():
        limits = Limits()
        assert limits.strictest_limits == RunLimits()
        async with limits.turn(RunLimits(8, rpm=10**6), 1):
            assert limits.strictest_limits == RunLimits(8, rpm=10**6)
            async with limits.turn(RunLimits(4, tpm=10**9), 1):
                assert limits.strictest_limits == RunLimits(4, 10**6, 10**9)
            assert limits.strictest_limits == RunLimits(8, rpm=10**6)
        assert limits.strictest_limits == RunLimits()

    alone(asyncio.wait_for(ask(), 5))


def test_nobody_overtakes_and_nobody_is_left_behind() -> None:
    """One that allows itself less gets its turn; who is given up gives way."""

    async def ask():
        limits, order, most = Limits(), [], []

        async def one(name, allowed):
            async with limits.turn(allowed, 1):
                order.append(name)
                most.append(limits._open)
                await asyncio.sleep(0.001)

        wide = [asyncio.create_task(one(f"wide {i}", RunLimits(5))) for i in range(20)]
        narrow = asyncio.create_task(one("narrow", RunLimits(2)))
        given_up = asyncio.create_task(one("given up", RunLimits(2)))
        last = asyncio.create_task(one("last", RunLimits(5)))
        await asyncio.sleep(0)
        given_up.cancel()
        await asyncio.gather(*wide, narrow, last)
        return order, most

    order, most = alone(asyncio.wait_for(ask(), 5))
    assert order == [*(f"wide {i}" for i in range(20)), "narrow", "last"]
    assert max(most) <= 5


def test_without_need_nobody_waits() -> None:
    async def ask():
        for allowed in [RunLimits(), RunLimits(rpm=10**6, tpm=10**9)]:
            async with Limits().turn(allowed, 10):
                pass

    alone(asyncio.wait_for(ask(), 5))


def test_a_request_no_minute_has_room_for_is_refused_and_so_is_no_limit_at_all() -> None:
    async def ask():
        async with Limits().turn(RunLimits(tpm=100), 250):
            raise AssertionError("it was let through")

    with pytest.raises(TandemError, match=r"^tpm is 100\b.*\b250 tokens\b.*more"):
        alone(ask())
    for number, wrong in product([0, -1], ["concurrency", "rpm", "tpm"]):
        with pytest.raises(TandemError, match=rf"^--{wrong} is {number}\b.*\b1$"):
            RunLimits(**{wrong: number})


# ---- Questions in flight: how many, in which thread, and how they end


def flights(at_once, questions, answer):
    """All that a stream gives, one list."""
    return [pair for batch in stream_through(iter(questions), answer, at_once) for pair in batch]


@contextmanager
def hangs():
    """A minute of waiting that is to be given up: what it is told by is set then."""
    given_up = threading.Event()

    async def hang():
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            given_up.set()
            raise

    yield hang
    assert given_up.wait(5)


def test_every_question_is_answered_once_and_so_many_at_once() -> None:
    for at_once in [1, 4, 40]:
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
    async def answer(question):
        if question == 3:
            raise ValueError("no key")
        if question > 3:
            await hang()
        return question

    found = []
    with hangs() as hang, pytest.raises(ValueError, match="no key"):
        found.extend(pair for batch in stream_through(iter(range(10)), answer, 6) for pair in batch)
    assert set(found) <= {(0, 0), (1, 1), (2, 2)}


def test_an_abandoned_stream_gives_up_what_is_in_flight() -> None:
    async def answer(question):
        if question:
            await hang()
        return question

    with hangs() as hang:
        stream = stream_through(iter(range(3)), answer, 3)
        assert isinstance(stream, Generator)
        assert next(stream) == [(0, 0)]
        stream.close()


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


# ---- A server that is dead, one that comes back, and one that only a question is too much for


def endpoint_of(server, clock, **options):
    endpoint = Endpoint("fake", Options(base_url=server.url, **options))
    endpoint._limits = Limits(clock)
    return endpoint


async def complete(endpoint, prompt="x"):
    return await endpoint.complete([{"role": "user", "content": prompt}], max_tokens=16)


def test_it_is_dead_when_nothing_was_heard_for_a_minute_of_losses() -> None:
    clock = iter([0.0, 59.9, 60.0, 70.0, 100.0, 130.1])
    contact = Contact(lambda: next(clock))
    assert not contact.is_dead  # nobody has asked
    contact.note_loss()
    contact.note_loss()  # the first one counts
    assert [contact.is_dead, contact.is_dead] == [False, True]
    contact.note_reply()
    assert not contact.is_dead
    contact.note_loss()
    assert [contact.is_dead, contact.is_dead] == [False, True]


def test_one_that_is_gone_ends_all_that_is_in_flight() -> None:
    with Server() as server:
        pass
    clock = jumping()
    endpoint = endpoint_of(server, clock)
    gone = rf"127\.0\.0\.1:{server.port} .*reached: .*\b60 seconds \(ConnectError: "
    with pytest.raises(TandemError, match=gone):
        assert flights(8, range(1000), lambda number: complete(endpoint, str(number))) == []
    assert SILENCE <= clock.now() < 2 * SILENCE


def test_one_that_comes_back_within_a_minute_is_waited_for() -> None:
    with Server() as gone:
        pass
    clock, back = jumping(), Server(port=gone.port)

    async def sleep(seconds):
        await clock.sleep(seconds)
        if clock.now() > 45 and not hasattr(back, "url"):
            back.__enter__()

    try:
        endpoint = endpoint_of(gone, replace(clock, sleep=sleep))
        [choice] = wait_for(complete(endpoint)).choices
    finally:
        back.__exit__()
    assert choice.text.startswith("Summary")
    assert clock.now() > 45


def test_one_that_accepts_everything_and_answers_nothing_is_as_dead() -> None:
    with Server(faults=lambda prompt: ["timeout"] * 1000) as server:
        dead = rf"127\.0\.0\.1:{server.port} .*reached: .* \(timed-out\)$"
        with pytest.raises(TandemError, match=dead):
            wait_for(complete(endpoint_of(server, jumping(), timeout=0.02)))


def test_a_question_that_alone_gets_no_reply_fails_alone() -> None:
    """Also when it is the only one left to ask, for as long as one likes."""
    for fault, tries in [("timeout", TIMEOUT_TRIES), ("reset", TRIES)]:
        with Server(faults=lambda prompt, fault=fault: [fault] * 1000 * (prompt == "x")) as server:
            endpoint = endpoint_of(server, jumping(), timeout=0.5)
            endpoint.trial()  # the first request takes the time that the client needs to load
            server.forget()
            [choice] = wait_for(complete(endpoint)).choices
            assert choice.failure in (TIMED_OUT, BROKEN)
            prompts = [request["messages"][-1]["content"] for request in server.seen]
        assert prompts == [*["x"] * tries, prompts[-1]]
        assert prompts[-1] != "x"  # a trifle, which is answered
