"""Limits, with a clock of the test's own."""

from __future__ import annotations

import asyncio
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.models.served.rate_limits import Limits, RatePacer, RunLimits
from core.records import TandemError
from tests.clock import alone, jumping


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


def test_requests_and_tokens_each_hold_back() -> None:
    limits, allowed = Limits(), RunLimits(rpm=60, tpm=6000)  # one a second, 100 tokens a second
    assert [limits.take(50, 0.0, allowed) for _ in range(3)] == [0.0, 1.0, 2.0]
    assert limits.take(1000, 2.5, allowed) == 3.0
    assert limits.take(1, 2.5, allowed) == 13.0  # after the thousand
    assert [Limits().take(1e9, 7.0, RunLimits()) for _ in range(3)] == [7.0] * 3


def test_a_wrong_estimate_is_put_right() -> None:
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
    for allowed in [RunLimits(), RunLimits(rpm=10**6, tpm=10**9)]:

        async def ask(allowed=allowed):
            async with Limits().turn(allowed, 10):
                pass

        alone(asyncio.wait_for(ask(), 5))


def test_a_request_no_minute_has_room_for_is_refused() -> None:
    async def ask():
        async with Limits().turn(RunLimits(tpm=100), 250):
            raise AssertionError("it was let through")

    with pytest.raises(TandemError, match=r"^tpm is 100\b.*\b250 tokens\b.*more"):
        alone(ask())


def test_less_than_one_is_no_limit() -> None:
    for number, wrong in product([0, -1], ["concurrency", "rpm", "tpm"]):
        with pytest.raises(TandemError, match=rf"^--{wrong} is {number}\b.*\b1$"):
            RunLimits(**{wrong: number})
