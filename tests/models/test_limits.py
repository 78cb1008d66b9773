"""Limits, with a clock of the test's own."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.models.limits import Limits, Pace
from core.records import TandemError


@given(
    st.integers(1, 5000),
    st.lists(st.tuples(st.floats(0, 20), st.integers(1, 50)), min_size=1, max_size=60),
)
def test_no_minute_holds_more_than_the_limit(per_minute, arrivals):
    """Whenever one starts counting; but for what the last to begin in it carries over, being of one piece."""
    pace, now, started = Pace(per_minute), 0.0, []
    for gap, amount in arrivals:
        now += gap
        started.append((pace.take(amount, now), amount))
    assert [start for start, _ in started] == sorted(start for start, _ in started)
    for first, _ in started:
        inside = [amount for start, amount in started if first <= start < first + 60 - 1e-6]
        assert sum(inside[:-1]) <= per_minute + 1e-6


def test_requests_and_tokens_each_hold_back():
    limits = Limits(rpm=60, tpm=6000)  # one a second, 100 tokens a second
    assert [limits.take(50, now=0.0) for _ in range(3)] == [0.0, 1.0, 2.0]
    assert limits.take(1000, now=2.5) == 3.0
    assert limits.take(1, now=2.5) == 13.0  # after the thousand
    assert [Limits().take(1e9, now=7.0) for _ in range(3)] == [7.0] * 3


def test_a_wrong_estimate_is_put_right():
    limits = Limits(tpm=6000)
    limits.take(100, now=0.0)
    limits.correct(400)  # it took 500
    assert limits.take(100, now=0.0) == 5.0
    limits.correct(-100)
    assert limits.take(100, now=0.0) == 5.0


def test_a_pause_holds_all_back_also_those_that_wait_already():
    async def leave():
        limits, loop = Limits(rpm=6000), asyncio.get_running_loop()
        left = []

        async def one():
            await limits.wait(1)
            left.append(loop.time())

        waiting = [asyncio.create_task(one()) for _ in range(5)]
        await asyncio.sleep(0)
        until = loop.time() + 0.15
        limits.hold(until)
        limits.hold(until - 1)  # an earlier end does not shorten it
        await asyncio.gather(*waiting)
        return sum(at < until for at in left), len(left)

    early, all_of_them = asyncio.run(leave())
    assert early <= 1  # the one that had left before
    assert all_of_them == 5


@pytest.mark.parametrize("limits", [Limits(), Limits(rpm=10**6, tpm=10**9)])
def test_without_need_nobody_waits(limits):
    asyncio.run(asyncio.wait_for(limits.wait(10), 5))


def test_a_request_no_minute_has_room_for_is_refused():
    with pytest.raises(TandemError, match="--tpm is 100, and one request takes about 250 tokens: allow more"):
        asyncio.run(Limits(tpm=100).wait(250))
