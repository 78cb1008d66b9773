"""A server that is dead, one that comes back, and one that only a question is too much for."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.failures import TIMED_OUT
from core.models.respondent import Options
from core.models.served.concurrent_requests import stream_through, wait_for
from core.models.served.connection import BROKEN
from core.models.served.endpoint import TIMEOUT_TRIES, Endpoint
from core.models.served.rate_limits import SILENCE, Contact, Limits
from core.models.served.server_errors import TRIES
from core.records import TandemError
from tests.clock import jumping
from tests.server import Server


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
    stream = stream_through(
        iter(range(1000)), lambda question: complete(endpoint, str(question)), 8
    )
    with pytest.raises(
        TandemError, match=rf"127\.0\.0\.1:{server.port} .*reached: .*\b60 seconds \(ConnectError: "
    ):
        assert [pair for batch in stream for pair in batch] == []
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
    with (
        Server(faults=lambda prompt: ["timeout"] * 1000) as server,
        pytest.raises(
            TandemError, match=rf"127\.0\.0\.1:{server.port} .*reached: .* \(timed-out\)$"
        ),
    ):
        wait_for(complete(endpoint_of(server, jumping(), timeout=0.02)))


def test_a_question_that_alone_gets_no_reply_fails_alone(subtests: pytest.Subtests) -> None:
    """Also when it is the only one left to ask, for as long as one likes."""
    for fault, tries in [("timeout", TIMEOUT_TRIES), ("reset", TRIES)]:
        with subtests.test(fault=fault):
            with Server(
                faults=lambda prompt, fault=fault: [fault] * 1000 * (prompt == "x")
            ) as server:
                endpoint = endpoint_of(server, jumping(), timeout=0.5)
                endpoint.trial()  # the first request takes the time that the client needs to load
                server.forget()
                [choice] = wait_for(complete(endpoint)).choices
                assert choice.failure in (TIMED_OUT, BROKEN)
                prompts = [request["messages"][-1]["content"] for request in server.seen]
            assert prompts == [*["x"] * tries, prompts[-1]]
            assert prompts[-1] != "x"  # a trifle, which is answered
