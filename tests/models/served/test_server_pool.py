"""One model behind several servers: who is asked, who is left aside, and when it ends."""

from __future__ import annotations

import asyncio
import math
import re
from collections import Counter
from contextlib import ExitStack

import pytest

from core.models.respondent import Options
from core.models.served import server_state
from core.models.served.addresses import KEY
from core.models.served.concurrent_requests import gather_answers, wait_for
from core.models.served.contact import SILENCE
from core.models.served.rate_limits import Clock, Limits
from core.models.served.server_pool import ServerPool, SilentError, make_endpoint
from core.models.served.server_state import (
    LONGEST_PAUSE,
    PendingRequest,
    ServerState,
    choose_least_loaded,
    estimate_patience,
)
from core.records import TandemError, render_options
from tests.clock import jumping
from tests.server import Server

SILENT_POOL = r"^none .*\b2 servers\b.*\b60 seconds "
PROMPTS = [f"question {number}" for number in range(40)]


@pytest.fixture(autouse=True)
def no_key(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv(KEY, raising=False)


def make_pool(*servers, clock=None, **options):
    first, *more = (server.url for server in servers)
    given = {"timeout": 30.0, "concurrency": 4, **options}
    pool = ServerPool("fake", Options(base_url=first, more_urls=tuple(more), **given), clock=clock)
    for server in pool.servers:  # of this test alone
        server.endpoint._limits = Limits(clock)
    return pool


def ask(pool, prompts):
    """The texts that came, in the order of the prompts."""

    async def one(prompt):
        completion = await pool.complete([{"role": "user", "content": prompt}], max_tokens=16)
        return completion.choices[0].text or completion.choices[0].failure

    return gather_answers(prompts, one, pool.concurrency)


def asked(server):
    return [request["messages"][-1]["content"] for request in server.seen]


def alone(prompts):
    with Server() as server:
        return ask(make_endpoint("fake", Options(base_url=server.url)), prompts)


def server(
    flight=0, seconds=0.0, *, until=-math.inf, failing_since=None, concurrency=2, answered=0
):
    endpoint = type("Endpoint", (), {"concurrency": concurrency})()
    return ServerState(
        endpoint, flight, answered, seconds, until=until, failing_since=failing_since
    )


def test_the_one_with_the_fewest_in_flight_is_asked_then_the_fastest() -> None:
    busy, slow, fast = server(1, 0.1), server(0, 2.0), server(0, 0.5)
    assert choose_least_loaded([busy, slow, fast], 0.0) is fast
    fast.flight = slow.flight = 2
    assert choose_least_loaded([busy, slow, fast], 0.0) is busy
    busy.flight = 2
    assert choose_least_loaded([busy, slow, fast], 0.0) is None
    back = server(until=10.0, failing_since=9.0)  # aside, and asked by one request at first
    assert [choose_least_loaded([back], now) for now in (9.9, 10.0)] == [None, back]
    back.flight = 1
    assert choose_least_loaded([back], 10.0) is None


def test_pauses_double_up_to_a_minute_and_end_with_an_answer() -> None:
    one, now, pauses = server(), 0.0, []
    for _ in range(9):
        one.note_failure("gone", now)
        one.note_failure("gone", now)  # in flight at the same time: the same trouble
        pauses.append(one.until - now)
        now = one.until
    assert pauses == [1, 2, 4, 8, 16, 32, LONGEST_PAUSE, 60, 60]
    one.note_answer(0.5, one.troubles - 1)
    assert one.is_away, "it was asked before the last trouble"
    one.note_answer(0.5, one.troubles)
    assert not one.is_away
    one.note_failure("gone", now)
    assert one.until - now == 1
    asking = server()  # for a time of its own
    asking.note_failure("HTTP 429", 0.0, wait=7.0, busy=True)
    assert (asking.until, asking.is_away) == (7.0, False)


def test_all_answer_as_one_would_and_no_more_are_in_flight_than_allowed() -> None:
    with ExitStack() as stack:
        servers = [stack.enter_context(Server(delay=0.01)) for _ in range(3)]
        pool = make_pool(*servers)
        assert ask(pool, PROMPTS) == alone(PROMPTS)
        shares = [len(server.seen) for server in servers]
        assert (sum(shares), min(shares) >= 8) == (len(PROMPTS), True)
        assert max(server.most_open for server in servers) <= 4
        assert pool.trouble == ""
    with Server(lives=3, delay=0.01) as dying, Server(delay=0.01) as good:
        ask(make_pool(dying, good, concurrency=3), PROMPTS)
        assert good.most_open == 3
    with Server(delay=0.005) as fast, Server(delay=0.5) as slow:
        ask(make_pool(slow, fast, concurrency=2), PROMPTS)
        assert len(fast.seen) > len(slow.seen) > 0


def test_one_that_breaks_hands_its_questions_to_the_others(subtests: pytest.Subtests) -> None:
    for fault in ["500", "reset", "malformed", "cut", "429"]:
        with (
            subtests.test(fault=fault),
            Server(faults=lambda prompt, fault=fault: [fault] * 99) as broken,
            Server() as good,
        ):
            still = Clock(
                lambda: 0.0, asyncio.sleep
            )  # its pause is not over sooner where all is slow
            pool = make_pool(broken, good, clock=still)
            assert ask(pool, PROMPTS) == alone(PROMPTS)
            assert set(asked(good)) == set(PROMPTS)
            assert Counter(asked(broken)).most_common(1)[0][1] == 1, "no question twice"
            assert ("is away" in pool.trouble) == (fault != "429")


def test_one_that_dies_in_the_middle_costs_nothing_and_is_told() -> None:
    with Server(lives=5, delay=0.01) as dying, Server(delay=0.01) as good:
        pool = make_pool(dying, good)
        assert ask(pool, PROMPTS) == alone(PROMPTS)
        assert len(dying.seen) == 5
        told = pool.trouble
    assert told.startswith(f"1 of 2 servers answer; 127.0.0.1:{dying.port} is away (")


def test_one_that_comes_back_answers_a_health_check_first_and_then_its_share() -> None:
    clock = jumping()
    with Server() as gone:
        pass
    with Server(delay=0.01) as good:
        pool = make_pool(gone, good, clock=clock)
        ask(pool, PROMPTS[:4])
        assert pool.servers[0].is_away
        with Server(port=gone.port, delay=0.01) as back:
            wait_for(clock.sleep(60))
            ask(pool, PROMPTS)
            assert asked(back)[0].startswith("Which letter comes first")
            assert len(back.seen) > 10
    assert not pool.trouble


def test_it_ends_when_none_has_answered_for_a_minute() -> None:
    clock = jumping()
    with Server() as one, Server() as other:
        pass
    pool = make_pool(one, other, clock=clock)
    with pytest.raises(
        TandemError,
        match=rf"{SILENT_POOL}.*\(127\.0\.0\.1:{one.port}: ConnectError"
        rf".*; 127\.0\.0\.1:{other.port}: ConnectError",
    ):
        ask(pool, PROMPTS)
    assert clock.now() >= SILENCE


def test_a_reason_among_others_names_a_setting_as_each_door_does() -> None:
    """One server is gone, the other names a third."""
    with Server() as gone:
        pass
    with Server(redirects=gone.url) as elsewhere:
        pool = make_pool(gone, elsewhere, clock=jumping())
        with pytest.raises(
            TandemError, match=rf"{gone.url.removesuffix('/v1')}: .*base url\b"
        ) as error:
            ask(pool, PROMPTS)
    rendered = render_options(error.value.sentence, lambda name: "--base-url")
    assert "--base-url" in rendered
    assert "base url" not in rendered
    assert "base url" in pool.trouble


def test_it_ends_where_all_that_is_left_is_busy() -> None:
    for fault in ("429", "reset"):
        clock = jumping()
        with (
            Server(faults=lambda prompt: ["429"] * 99) as one,
            Server(faults=lambda prompt, fault=fault: [fault] * 99) as other,
        ):
            pool = make_pool(one, other, clock=clock)
            with pytest.raises(TandemError, match=SILENT_POOL):
                ask(pool, PROMPTS)
            assert "is busy (HTTP 429" in pool.trouble
        assert clock.now() >= SILENCE


def test_a_question_that_one_server_finds_wrong_is_asked_of_another() -> None:
    with Server(explains=lambda prompt: {"error": {"message": "no"}}) as odd, Server() as good:
        pool = make_pool(odd, good)
        assert ask(pool, PROMPTS) == alone(PROMPTS)
        assert "HTTP 400" in pool.trouble
        assert len(odd.seen) < len(PROMPTS)


def test_a_question_that_no_server_can_answer_fails_alone() -> None:
    """One that all find wrong is asked of each once; one that breaks each is tried so often."""
    wrong, poison = PROMPTS[3], PROMPTS[7]
    how = {
        "explains": lambda prompt: {"error": {"message": "no"}} if prompt == wrong else None,
        "faults": lambda prompt: ["500"] * 99 if prompt == poison else [],
    }
    with Server(**how) as one, Server(**how) as other:
        pool = make_pool(one, other, clock=jumping())
        found = ask(pool, PROMPTS)
        tries = [
            [asked(server).count(prompt) for server in (one, other)] for prompt in (wrong, poison)
        ]
    assert tries[0] == [1, 1]
    assert (sum(tries[1]), min(tries[1])) == (7, 3)
    assert found[3].startswith("error: HTTP 400")
    assert found[7] == "error: HTTP 500"
    assert sum(text.startswith("error") for text in found) == 2
    assert pool.trouble == "", "each answers a health check, so none of them is to blame"
    assert {server.until for server in pool.servers} == {-math.inf}


def test_where_a_health_check_breaks_the_servers_too_no_question_is_to_blame() -> None:
    """All answer but these two, and then nothing at all."""
    broken = {"faults": lambda prompt: ["500"] * 999}
    with Server(**broken) as one, Server(**broken) as other:
        pool = make_pool(one, other, clock=jumping())
        with pytest.raises(TandemError, match=SILENT_POOL):
            ask(pool, PROMPTS[:2])
        assert pool.trouble.startswith("0 of 2 servers answer; ")


class TestSilence:
    """A server that takes connections and never answers. Patience is short here, so that nobody
    waits; the time-out is long, so that it is not what ends the waiting.
    """

    @pytest.fixture(autouse=True)
    def hurry(self, monkeypatch: pytest.MonkeyPatch):
        monkeypatch.setattr(server_state, "PATIENCE", 0.05)

    def test_it_is_waited_for_neither_at_the_start_nor_where_others_answer(self) -> None:
        with Server(faults=lambda prompt: ["timeout"] * 99) as silent, Server() as good:
            pool = make_pool(silent, good, timeout=600.0)
            assert ask(pool, PROMPTS) == alone(PROMPTS)
            assert set(asked(good)) == set(PROMPTS)
            assert 1 <= len(set(asked(silent)) & set(PROMPTS)) <= 4
            away = f"1 of 2 servers answer; 127.0.0.1:{silent.port} is away (silent for "
            assert pool.trouble.startswith(away)
            pool = make_pool(silent, good, timeout=600.0)
            assert pool.trial(20).positions
            assert pool.trouble.startswith(away)

    def test_a_health_check_that_comes_late_brings_it_back(self) -> None:
        """As one that loads its model first."""
        with Server() as slow, Server() as good:
            pool = make_pool(slow, good)
            [first, second] = pool.servers
            second.latest.append(0.001)
            first.note_failure("gone", 0.0)

            async def proven():
                loaded, answer = asyncio.Event(), first.endpoint.check_health

                async def tried(*how):
                    await loaded.wait()
                    return await answer(*how)

                first.endpoint.check_health = tried
                with pytest.raises(SilentError):
                    await pool._check_health(first)
                assert first.is_away
                loaded.set()
                await first.health_check

            wait_for(proven())
        assert not first.is_away
        assert first.has_room(0.0)

    def test_it_is_told_by_many_answers_of_others_and_none_of_its_own(self) -> None:
        for heard, due in (
            ([], None),
            ([False] * 4, None),
            ([False] * 5, 10.0),
            ([False] * 9, 10.0),
            ([False] * 5 + [True], None),  # it has answered something itself
            ([False] * 5 + [True] + [False] * 5, 13.0),
        ):
            request = PendingRequest(since=4.0)
            for own in heard:
                request.record_answer(own=own, now=7.0)
            assert (request.due(6.0), request.due(None)) == (due, None)
        assert PendingRequest(4.0, grace=2.0, missed=5).due(6.0) == 16.0
        assert PendingRequest(since=4.0, enough=math.inf, missed=99).due(6.0) is None, "asked again"

    def test_patience_is_five_times_the_slowest_answer_of_late_and_never_less_than_usual(
        self,
    ) -> None:
        one, other = server(), server()
        assert estimate_patience([one, other]) is None
        for seconds, patience in (([0.001], 0.05), ([30.0, 2.0], 150.0), ([2.0] * 20, 10.0)):
            other.latest.extend(seconds)
            assert estimate_patience([one, other]) == patience
        for now in (0.0, 0.0, 100.0):  # one that may only be slow is waited for longer each time
            one.note_failure("silent", now, slow=True)
        assert one.grace == 4.0


def test_a_server_with_another_key_is_left_aside_and_all_such_end_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(KEY, "sk-test-0123456789")
    with Server(key="another-key") as strict, Server() as good:
        pool = make_pool(strict, good)
        assert ask(pool, PROMPTS) == alone(PROMPTS)
        assert re.search(rf"127\.0\.0\.1:{strict.port} .*refuses.*{KEY} \(HTTP 401", pool.trouble)
    with (
        Server(key="another-key") as strict,
        Server(key="third-key-here") as other,
        pytest.raises(TandemError, match=rf"refuses.*{KEY} \(HTTP 401"),
    ):
        ask(make_pool(strict, other), PROMPTS)


class TestAlike:
    def test_servers_that_answer_in_other_ways_are_refused(self) -> None:
        with Server() as good, Server(logprobs=False) as keeps, Server(draws_by="") as repeats:
            first = rf"127\.0\.0\.1:{good.port}"
            says = rf"{first} .*probabilities .*127\.0\.0\.1:{keeps.port} .*none\b"
            with pytest.raises(TandemError, match=says):
                make_pool(good, keeps).trial(20)
            says = rf"{first} .*draw.*127\.0\.0\.1:{repeats.port} .*same reply"
            with pytest.raises(TandemError, match=says):
                make_pool(good, repeats).samples()
        with Server() as many, Server(most_top=5) as few:
            pool = make_pool(many, few)
            assert pool.trial(20).failure
            assert pool.trial(5).positions, "fewer are asked for where one gives fewer"

    def test_one_that_refuses_everything_is_not_taken_for_one_without_probabilities(self) -> None:
        reason = "no chat template"
        broken = {"error": {"message": reason, "code": "bad_request"}}
        with Server(explains=lambda prompt: broken) as refuses, Server() as gives:
            for pool in (make_pool(refuses, gives), make_pool(gives, refuses)):
                assert pool.trial(20).positions
                assert f"127.0.0.1:{refuses.port} is away" in pool.trouble
                assert reason in pool.trouble
                assert ask(pool, PROMPTS) == alone(PROMPTS)

    def test_one_that_is_away_at_the_start_is_told_and_none_at_all_ends_it(self) -> None:
        with Server() as gone, Server() as gone_too:
            pass
        with Server() as good:
            pool = make_pool(gone, good)
            assert pool.trial(20).positions
            assert f"127.0.0.1:{gone.port} is away" in pool.trouble
        none = r"^none .*\b2 servers\b.*ConnectError.*; .*ConnectError"
        with pytest.raises(TandemError, match=none):
            make_pool(gone, gone_too).trial(20)

    def test_one_that_comes_back_as_another_is_left_out_for_good(self) -> None:
        clock = jumping()
        with Server() as gone:
            pass
        with Server() as good:
            pool = make_pool(gone, good, clock=clock)
            pool.trial(20)
            with Server(port=gone.port, logprobs=False) as other:
                wait_for(clock.sleep(60))
                assert ask(pool, PROMPTS) == alone(PROMPTS)
                assert len(other.seen) == 1
        assert re.search(rf"127\.0\.0\.1:{gone.port} .*no probabilities", pool.trouble)

    def test_models_that_say_other_things_of_themselves_are_told(self) -> None:
        one = {"id": "fake", "object": "model", "root": "/models/llama-8b", "max_model_len": 8192}
        with Server(card=one) as first, Server(card=one | {"max_model_len": 4096}) as second:
            pool = make_pool(first, second)
            pool.trial()
        lengths = rf"8192 .*127\.0\.0\.1:{first.port}, 4096 .*127\.0\.0\.1:{second.port}$"
        assert re.search(rf"\bfake: {lengths}", pool.note)
        with Server(card=one) as first, Server(card=one) as second, Server() as silent:
            pool = make_pool(first, second, silent)
            pool.trial()
        assert pool.note == ""

    def test_what_one_of_them_refuses_is_noted(self) -> None:
        refusal = {"error": {"message": "temperature is not supported", "param": "temperature"}}

        def responds(request, turn):
            return (400, refusal) if "temperature" in request else None

        with Server(responds=responds) as strict, Server() as good:
            pool = make_pool(strict, good)
            pool.trial()
            assert ask(pool, PROMPTS) == alone(PROMPTS)
            assert re.search(rf"127\.0\.0\.1:{strict.port}: .*without temperature\b", pool.note)
            assert f":{good.port}" not in pool.note
            assert pool.trouble == ""
            pool.close()
            assert not any(one.endpoint.chat.sdks for one in pool.servers)


def test_the_same_address_twice_is_refused() -> None:
    with pytest.raises(TandemError, match=r"^base url 'http://a:1/v1' .*twice"):
        ServerPool(
            "fake", Options(base_url="http://a:1/v1", more_urls=("http://b:1/v1", "http://a:1/v1/"))
        )


def test_a_wait_that_is_given_up_leaves_nothing_behind() -> None:
    with Server(delay=0.5) as server, Server(delay=0.5) as other:
        pool = make_pool(server, other, concurrency=1)

        async def some():
            async def one(prompt):
                await pool.complete([{"role": "user", "content": prompt}], max_tokens=1)

            tasks = [asyncio.create_task(one(prompt)) for prompt in PROMPTS[:6]]
            await asyncio.sleep(0.05)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

        wait_for(some())
        assert [server.flight for server in pool.servers] == [0, 0]
