"""One model behind several servers: who is asked, who is left aside, and when it ends."""

import asyncio
import math
from collections import Counter
from contextlib import ExitStack

import pytest

from core.models.respondent import Options
from core.models.served import members
from core.models.served.addresses import KEY
from core.models.served.concurrent_requests import all_through, wait_for
from core.models.served.contact import SILENCE
from core.models.served.fleet import Fleet, SilentError, served
from core.models.served.members import LONGEST_PAUSE, FleetServer, Pending, least_loaded, patience
from core.models.served.rate_limits import Clock, Limits
from core.records import TandemError, spoken
from tests.clock import jumping
from tests.server import Server

PROMPTS = [f"question {number}" for number in range(40)]


@pytest.fixture(autouse=True)
def no_key(monkeypatch):
    monkeypatch.delenv(KEY, raising=False)


def fleet_of(*servers, clock=None, **options):
    first, *more = (server.url for server in servers)
    given = {"timeout": 30.0, "concurrency": 4, **options}
    fleet = Fleet("fake", Options(base_url=first, more_urls=tuple(more), **given), clock=clock)
    for member in fleet.members:  # of this test alone
        member.endpoint._limits = Limits(clock)
    return fleet


def ask(fleet, prompts):
    """The texts that came, in the order of the prompts."""

    async def one(prompt):
        completion = await fleet.complete([{"role": "user", "content": prompt}], max_tokens=16)
        return completion.choices[0].text or completion.choices[0].failure

    return all_through(prompts, one, fleet.concurrency)


def asked(server):
    return [request["messages"][-1]["content"] for request in server.seen]


def alone(prompts):
    with Server() as server:
        return ask(served("fake", Options(base_url=server.url)), prompts)


def member(
    flight=0, seconds=0.0, *, until=-math.inf, failing_since=None, concurrency=2, answered=0
):
    endpoint = type("Endpoint", (), {"concurrency": concurrency})()
    return FleetServer(
        endpoint, flight, answered, seconds, until=until, failing_since=failing_since
    )


class TestWhoIsAsked:
    def test_the_one_with_the_fewest_in_flight_then_the_fastest(self):
        busy, slow, fast = member(1, 0.1), member(0, 2.0), member(0, 0.5)
        assert least_loaded([busy, slow, fast], 0.0) is fast
        fast.flight = slow.flight = 2
        assert least_loaded([busy, slow, fast], 0.0) is busy
        busy.flight = 2
        assert least_loaded([busy, slow, fast], 0.0) is None

    def test_one_that_is_aside_is_not_asked_and_by_one_request_when_it_comes_back(self):
        back = member(until=10.0, failing_since=9.0)
        assert least_loaded([back], 9.9) is None
        assert least_loaded([back], 10.0) is back
        back.flight = 1
        assert least_loaded([back], 10.0) is None

    def test_pauses_double_up_to_a_minute_and_end_with_an_answer(self):
        one, now, pauses = member(), 0.0, []
        for _ in range(9):
            one.fails("gone", now)
            one.fails("gone", now)  # in flight at the same time: the same trouble
            pauses.append(one.until - now)
            now = one.until
        assert pauses == [1, 2, 4, 8, 16, 32, 60, 60, 60]
        assert LONGEST_PAUSE == 60
        one.answers(0.5, one.troubles - 1)
        assert one.away, "it was asked before the last trouble"
        one.answers(0.5, one.troubles)
        assert not one.away
        one.fails("gone", now)
        assert one.until - now == 1

    def test_a_time_that_the_server_asks_for_is_kept(self):
        one = member()
        one.fails("HTTP 429", 0.0, wait=7.0, busy=True)
        assert (one.until, one.away) == (7.0, False)


def test_all_answer_and_the_answers_are_those_of_one():
    with Server(delay=0.01) as first, Server(delay=0.01) as second, Server(delay=0.01) as third:
        fleet = fleet_of(first, second, third)
        assert ask(fleet, PROMPTS) == alone(PROMPTS)
        shares = [len(server.seen) for server in (first, second, third)]
        assert sum(shares) == len(PROMPTS)
        assert min(shares) >= 8
        assert max(server.most_open for server in (first, second, third)) <= 4
    assert fleet.trouble == ""


def test_a_slow_one_gets_less():
    with Server(delay=0.005) as fast, Server(delay=0.5) as slow:
        ask(fleet_of(slow, fast, concurrency=2), PROMPTS)
        assert len(fast.seen) > len(slow.seen) > 0


@pytest.mark.parametrize("fault", ["500", "reset", "malformed", "cut", "429"])
def test_one_that_breaks_hands_its_questions_to_the_others(fault):
    with Server(faults=lambda prompt: [fault] * 99) as broken, Server() as good:
        still = Clock(lambda: 0.0, asyncio.sleep)  # its pause is not over sooner where all is slow
        fleet = fleet_of(broken, good, clock=still)
        assert ask(fleet, PROMPTS) == alone(PROMPTS)
        assert set(asked(good)) == set(PROMPTS)
        assert Counter(asked(broken)).most_common(1)[0][1] == 1, "no question twice"
        assert ("is away" in fleet.trouble) == (fault != "429")


def test_one_that_dies_in_the_middle_costs_nothing_and_is_told():
    with Server(lives=5, delay=0.01) as dying, Server(delay=0.01) as good:
        fleet = fleet_of(dying, good)
        assert ask(fleet, PROMPTS) == alone(PROMPTS)
        assert len(dying.seen) == 5
        told = fleet.trouble
    assert told.startswith(f"1 of 2 servers answer; 127.0.0.1:{dying.port} is away (")


def test_one_that_comes_back_answers_a_trifle_first_and_then_its_share():
    clock = jumping()
    with Server() as gone:
        pass
    with Server(delay=0.01) as good:
        fleet = fleet_of(gone, good, clock=clock)
        ask(fleet, PROMPTS[:4])
        assert fleet.members[0].away
        with Server(port=gone.port, delay=0.01) as back:
            wait_for(clock.sleep(60))
            ask(fleet, PROMPTS)
            assert asked(back)[0].startswith("Which letter comes first")
            assert len(back.seen) > 10
    assert not fleet.trouble


def test_it_ends_when_none_has_answered_for_a_minute():
    clock = jumping()
    with Server() as one, Server() as other:
        pass
    fleet = fleet_of(one, other, clock=clock)
    with pytest.raises(
        TandemError,
        match=rf"^none of the 2 servers answers: nothing for 60 seconds "
        rf"\(127.0.0.1:{one.port}: ConnectError.*; 127.0.0.1:{other.port}: ConnectError",
    ):
        ask(fleet, PROMPTS)
    assert clock.now() >= SILENCE


def test_a_reason_among_others_names_a_setting_as_each_door_does():
    """One server is gone, the other names a third."""
    with Server() as gone:
        pass
    with Server(redirects=gone.url) as elsewhere:
        fleet = fleet_of(gone, elsewhere, clock=jumping())
        with pytest.raises(TandemError, match="to no other address than base url names") as error:
            ask(fleet, PROMPTS)
    assert "than --base-url names" in spoken(error.value.sentence, lambda name: "--base-url")
    assert "than base url names" in fleet.trouble


@pytest.mark.parametrize("dead", [False, True])
def test_it_ends_where_all_that_is_left_is_busy(dead):
    clock = jumping()

    def busy(prompt):
        return ["429"] * 99

    def dead_or_busy(prompt):
        return ["reset" if dead else "429"] * 99

    with Server(faults=busy) as one, Server(faults=dead_or_busy) as other:
        fleet = fleet_of(one, other, clock=clock)
        with pytest.raises(TandemError, match="none of the 2 servers answers: nothing for 60 s"):
            ask(fleet, PROMPTS)
        assert "is busy (HTTP 429" in fleet.trouble
    assert clock.now() >= SILENCE


def test_a_question_that_one_server_finds_wrong_is_asked_of_another():
    with Server(explains=lambda prompt: {"error": {"message": "no"}}) as odd, Server() as good:
        fleet = fleet_of(odd, good)
        assert ask(fleet, PROMPTS) == alone(PROMPTS)
        assert "HTTP 400" in fleet.trouble
        assert len(odd.seen) < len(PROMPTS)


def test_a_question_that_all_find_wrong_is_asked_of_each_once():
    def wrong(prompt):
        return {"error": {"message": "no"}} if prompt == PROMPTS[3] else None

    with Server(explains=wrong) as one, Server(explains=wrong) as other:
        fleet = fleet_of(one, other)
        found = ask(fleet, PROMPTS)
        assert asked(one).count(PROMPTS[3]) + asked(other).count(PROMPTS[3]) == 2
    assert found[3].startswith("error: HTTP 400")
    assert [text for text in found if text.startswith("error")] == [found[3]]
    assert fleet.trouble == ""


def test_a_question_that_breaks_every_server_fails_alone():
    def poison(prompt):
        return ["500"] * 99 if prompt == PROMPTS[3] else []

    clock = jumping()
    with Server(faults=poison) as one, Server(faults=poison) as other:
        fleet = fleet_of(one, other, clock=clock)
        found = ask(fleet, PROMPTS)
        tries = [asked(server).count(PROMPTS[3]) for server in (one, other)]
    assert found[3] == "error: HTTP 500"
    assert [text for text in found if text.startswith("error")] == [found[3]]
    assert sum(tries) == 7
    assert min(tries) == 3
    assert fleet.trouble == "", "each answers a trifle, so none of them is to blame"
    assert {member.until for member in fleet.members} == {-math.inf}


def test_where_a_trifle_breaks_the_servers_too_no_question_is_to_blame():
    """All answer but these two, and then nothing at all."""
    clock = jumping()

    def broken(prompt):
        return ["500"] * 999

    with Server(faults=broken) as one, Server(faults=broken) as other:
        fleet = fleet_of(one, other, clock=clock)
        with pytest.raises(TandemError, match="none of the 2 servers answers: nothing for 60 s"):
            ask(fleet, PROMPTS[:2])
        assert fleet.trouble.startswith("0 of 2 servers answer; ")


class TestSilence:
    """A server that takes connections and never answers. Patience is short here, so that nobody
    waits; the time-out is long, so that it is not what ends the waiting.
    """

    @pytest.fixture(autouse=True)
    def hurry(self, monkeypatch):
        monkeypatch.setattr(members, "PATIENCE", 0.05)

    def test_its_questions_go_to_others_that_answer_meanwhile(self):
        with Server(faults=lambda prompt: ["timeout"] * 99) as silent, Server() as good:
            fleet = fleet_of(silent, good, timeout=600.0)
            assert ask(fleet, PROMPTS) == alone(PROMPTS)
            assert set(asked(good)) == set(PROMPTS)
            assert 1 <= len(set(asked(silent)) & set(PROMPTS)) <= 4
        assert fleet.trouble.startswith(
            f"1 of 2 servers answer; 127.0.0.1:{silent.port} is away (silent for "
        )

    def test_at_the_start_it_is_not_waited_for(self):
        with Server(faults=lambda prompt: ["timeout"] * 99) as silent, Server() as good:
            fleet = fleet_of(silent, good, timeout=600.0)
            assert fleet.trial(20).positions
            assert "is away (silent for " in fleet.trouble
            assert ask(fleet, PROMPTS) == alone(PROMPTS)

    def test_a_trifle_that_comes_late_brings_it_back(self):
        """As one that loads its model first."""
        with Server() as slow, Server() as good:
            fleet = fleet_of(slow, good)
            [first, second] = fleet.members
            second.latest.append(0.001)
            first.fails("gone", 0.0)

            async def proven():
                loaded, answer = asyncio.Event(), first.endpoint.tried

                async def tried(*how):
                    await loaded.wait()
                    return await answer(*how)

                first.endpoint.tried = tried
                with pytest.raises(SilentError):
                    await fleet._prove(first)
                assert first.away
                loaded.set()
                await first.proof

            wait_for(proven())
        assert not first.away
        assert first.has_room(0.0)

    @pytest.mark.parametrize(
        ("heard", "due"),
        [
            ([], None),
            ([False] * 4, None),
            ([False] * 5, 10.0),
            ([False] * 9, 10.0),
            ([False] * 5 + [True], None),  # it has answered something itself
            ([False] * 5 + [True] + [False] * 5, 13.0),
        ],
    )
    def test_it_is_told_by_many_answers_of_others_and_none_of_its_own(self, heard, due):
        request = Pending(since=4.0)
        for own in heard:
            request.hear(own=own, now=7.0)
        assert request.due(6.0) == due
        assert request.due(None) is None
        assert Pending(4.0, grace=2.0, missed=5).due(6.0) == 16.0
        asked_again = Pending(since=4.0, enough=math.inf, missed=99)
        assert asked_again.due(6.0) is None

    def test_patience_is_five_times_the_slowest_answer_of_late_and_never_less_than_usual(self):
        one, other = member(), member()
        assert patience([one, other]) is None
        one.latest.append(0.001)
        assert patience([one, other]) == 0.05
        other.latest.extend([30.0, 2.0])
        assert patience([one, other]) == 150.0
        other.latest.extend([2.0] * 20)
        assert patience([one, other]) == 10.0

    def test_one_that_may_only_be_slow_is_waited_for_longer_each_time(self):
        one = member()
        for now in (0.0, 0.0, 100.0):
            one.fails("silent", now, slow=True)
        assert one.grace == 4.0


def test_a_server_with_another_key_is_left_aside_and_all_such_end_it(monkeypatch):
    monkeypatch.setenv(KEY, "sk-test-0123456789")
    with Server(key="another-key") as strict, Server() as good:
        fleet = fleet_of(strict, good)
        assert ask(fleet, PROMPTS) == alone(PROMPTS)
        assert "refuses the key" in fleet.trouble
    with (
        Server(key="another-key") as strict,
        Server(key="third-key-here") as other,
        pytest.raises(TandemError, match="refuses the key"),
    ):
        ask(fleet_of(strict, other), PROMPTS)


class TestAlike:
    def test_some_with_probabilities_and_some_without_are_refused(self):
        with Server() as gives, Server(logprobs=False) as keeps:
            fleet = fleet_of(gives, keeps)
            with pytest.raises(
                TandemError,
                match=rf"^the servers are not alike: 127.0.0.1:{gives.port} give probabilities and "
                rf"127.0.0.1:{keeps.port} give none; ask only those of one kind together$",
            ):
                fleet.trial(20)

    def test_some_that_draw_and_some_that_do_not_are_refused(self):
        with (
            Server() as draws,
            Server(draws_by="") as repeats,
            pytest.raises(TandemError, match="give the same reply each time"),
        ):
            fleet_of(draws, repeats).samples()

    def test_fewer_probabilities_are_asked_for_where_one_gives_fewer(self):
        with Server() as many, Server(most_top=5) as few:
            fleet = fleet_of(many, few)
            assert fleet.trial(20).failure
            assert fleet.trial(5).positions

    def test_one_that_refuses_everything_is_not_taken_for_one_without_probabilities(self):
        broken = {"error": {"message": "no chat template", "code": "bad_request"}}
        with Server(explains=lambda prompt: broken) as refuses, Server() as gives:
            for fleet in (fleet_of(refuses, gives), fleet_of(gives, refuses)):
                assert fleet.trial(20).positions
                assert f"127.0.0.1:{refuses.port} is away" in fleet.trouble
                assert "no chat template" in fleet.trouble
                assert ask(fleet, PROMPTS) == alone(PROMPTS)

    def test_one_that_is_away_at_the_start_is_told_and_none_at_all_ends_it(self):
        with Server() as gone:
            pass
        with Server() as good:
            fleet = fleet_of(gone, good)
            assert fleet.trial(20).positions
            assert f"127.0.0.1:{gone.port} is away" in fleet.trouble
        with pytest.raises(TandemError, match=r"^none of the 2 servers answers "):
            fleet_of(gone, gone_too(), clock=None).trial(20)

    def test_one_that_comes_back_as_another_is_left_out_for_good(self):
        clock = jumping()
        with Server() as gone:
            pass
        with Server() as good:
            fleet = fleet_of(gone, good, clock=clock)
            fleet.trial(20)
            with Server(port=gone.port, logprobs=False) as other:
                wait_for(clock.sleep(60))
                assert ask(fleet, PROMPTS) == alone(PROMPTS)
                assert len(other.seen) == 1
        assert "it gives no probabilities, unlike the others" in fleet.trouble

    def test_models_that_say_other_things_of_themselves_are_told(self):
        one = {"id": "fake", "object": "model", "root": "/models/llama-8b", "max_model_len": 8192}
        with Server(card=one) as first, Server(card=one | {"max_model_len": 4096}) as second:
            fleet = fleet_of(first, second)
            fleet.trial()
        assert fleet.note == (
            f"the servers may not serve the same fake: 8192 at 127.0.0.1:{first.port}, 4096 at "
            f"127.0.0.1:{second.port}"
        )
        with Server(card=one) as first, Server(card=one) as second, Server() as silent:
            fleet = fleet_of(first, second, silent)
            fleet.trial()
        assert fleet.note == ""

    def test_what_one_of_them_refuses_is_noted(self):
        refusal = {"error": {"message": "temperature is not supported", "param": "temperature"}}

        def responds(request, turn):
            return (400, refusal) if "temperature" in request else None

        with Server(responds=responds) as strict, Server() as good:
            fleet = fleet_of(strict, good)
            fleet.trial()
            assert ask(fleet, PROMPTS) == alone(PROMPTS)
            assert fleet.note == (
                f"of the server at 127.0.0.1:{strict.port}: it is asked without temperature, which "
                "it refuses"
            )
            assert fleet.trouble == ""
            fleet.close()
            assert not any(one.endpoint.chat.sdks for one in fleet.members)


def gone_too():
    with Server() as server:
        return server


def test_the_same_address_twice_is_refused():
    with pytest.raises(TandemError, match=r"^base url 'http://a:1/v1' is there twice: leave one"):
        Fleet(
            "fake", Options(base_url="http://a:1/v1", more_urls=("http://b:1/v1", "http://a:1/v1/"))
        )


def test_no_more_are_in_flight_at_each_than_allowed_also_when_one_is_away():
    with ExitStack() as stack:
        dying = stack.enter_context(Server(lives=3, delay=0.01))
        good = stack.enter_context(Server(delay=0.01))
        ask(fleet_of(dying, good, concurrency=3), PROMPTS)
        assert good.most_open == 3


def test_a_wait_that_is_given_up_leaves_nothing_behind():
    with Server(delay=0.5) as server, Server(delay=0.5) as other:
        fleet = fleet_of(server, other, concurrency=1)

        async def some():
            async def one(prompt):
                await fleet.complete([{"role": "user", "content": prompt}], max_tokens=1)

            tasks = [asyncio.create_task(one(prompt)) for prompt in PROMPTS[:6]]
            await asyncio.sleep(0.05)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

        wait_for(some())
        assert [member.flight for member in fleet.members] == [0, 0]
