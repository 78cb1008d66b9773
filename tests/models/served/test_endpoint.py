"""An endpoint against a real server of the protocol that goes wrong on purpose."""

from __future__ import annotations

import asyncio
import logging
import re
from collections import Counter
from dataclasses import replace
from types import SimpleNamespace

import pytest

from core.failures import FAILURES
from core.models import KEY
from core.models.respondent import Options
from core.models.served.connection import MALFORMED, TIMEOUT_TRIES, wait_for
from core.models.served.endpoint import Endpoint
from core.models.served.key_mask import mask_key
from core.models.served.server_errors import BUSY_TRIES, FAILURE_LENGTH, TRIES
from core.records import TandemError
from tests.clock import jumping
from tests.server import FAULTS, Server

SECRET = "sk-test-51f0c9a7e4b84d2f"


pytestmark = pytest.mark.usefixtures("no_key")


def ask(endpoint, prompt="x", **options):
    options = {"max_tokens": 16, **options}
    return wait_for(endpoint.complete([{"role": "user", "content": prompt}], **options))


def served(server, **options):
    backoff = options.pop("backoff", 0.001)
    given = Options(base_url=server.url, **{"timeout": 20.0, **options})
    return Endpoint("fake", given, backoff=backoff)


def answered_with(logprob):
    """The body of an answer "A" of that log-probability."""
    position = {"token": "A", "top_logprobs": [{"token": "A", "logprob": logprob}]}
    choice = {"message": {"content": "A"}, "logprobs": {"content": [position]}}
    return {"choices": [choice | {"finish_reason": "stop"}]}


NOWHERE = SimpleNamespace(url="http://127.0.0.1:9/v1")


def count_tries(server):
    """How often each prompt was asked."""
    return Counter(request["messages"][-1]["content"] for request in server.seen)


class TestOneAnswer:
    def test_text_tokens_and_probabilities(self) -> None:
        with Server(without=lambda prompt: prompt == "none") as server:
            endpoint = served(server)
            found = ask(endpoint, "two words", top_logprobs=3)
            [choice] = found.choices
            assert choice.text in ("Summary A", "Summary B")
            assert choice.failure == ""
            assert (found.prompt_tokens, found.completion_tokens, found.tokens) == (2, 2, 4)
            assert "".join(position.token for position in choice.positions) == choice.text
            assert {token for token, _ in choice.positions[1].top} == {" A", " B", " The"}
            [request] = server.seen
            assert (request["top_logprobs"], request["temperature"]) == (3, 0)
            assert not {"n", "seed"} & set(request)
            assert ask(endpoint, "x").choices[0].positions == ()
            assert "logprobs" not in server.seen[-1]
            [choice] = ask(endpoint, "none", top_logprobs=20).choices
            assert choice.text
            assert choice.positions == ()

    def test_fewer_tokens_than_three_quarters_of_the_words_cannot_hold_a_prompt(self) -> None:
        """By the server's own count; one that does not count says nothing."""
        for silently, part in ((30, 30), (74, 74), (75, 0), (100, 0), (0, 0)):
            with Server(silently=silently) as server:
                found = ask(served(server), " ".join(["word"] * 100))
            assert (found.part_read, found.choices[0].failure) == (part, "")
        with Server(silently=3, several=False, reply=lambda prompt: "votes") as server:
            assert ask(served(server), "one two three four five", n=3).part_read == 3


class TestSeveral:
    def test_in_one_request_or_in_as_many_as_needed_which_is_remembered(self) -> None:
        with Server(reply=lambda prompt: "votes") as server:
            assert len(ask(served(server), n=5, temperature=0.7, seed=3).choices) == 5
            [request] = server.seen
            assert (request["n"], request["temperature"], request["seed"]) == (5, 0.7, 3)
        for how, first in (({"several": False}, 4), ({"refuses": ["n"]}, 5)):
            with Server(reply=lambda prompt: "votes", **how) as server:
                endpoint = served(server)
                found = ask(endpoint, n=4)
                assert (len(found.choices), found.tokens, len(server.seen)) == (4, 4 * 3, first)
                ask(endpoint, n=4)
                assert len(server.seen) == first + 4
                assert not any("n" in request for request in server.seen[first:])
        # One that fails leaves the others.
        with Server(several=False, faults=lambda prompt: ["", "400"]) as server:
            failures = sorted(choice.failure for choice in ask(served(server), n=4).choices)
        assert failures == ["", "", "", "error: HTTP 400: it is 400"]


FOR_GOOD = {
    "500": ("error: HTTP 500", TRIES),
    "503": ("error: HTTP 503", TRIES),
    "408": ("error: HTTP 408", TRIES),
    "429": ("error: HTTP 429", BUSY_TRIES),
    # ... and a trifle, which is answered: it is the question, not the server
    "timeout": ("timed-out", TIMEOUT_TRIES),
    "reset": ("error: the connection broke", TRIES),
    "cut": ("error: the connection broke", TRIES),
    "malformed": ("error: malformed answer", TRIES),
    "page": ("error: malformed answer", TRIES),
    "said": ("server-error", TRIES),
    "deep": ("error: malformed answer", TRIES),
    "400": ("error: HTTP 400: it is 400", 1),
    "too-long": ("too-long", 1),
    # what is no answer: to ask again would hear the same
    "refusal": ("refused", 1),
    "filtered": ("refused", 1),
    "silence": ("empty", 1),
    "blank": ("empty", 1),
}
"""What goes wrong, the reason that is kept, and how often it is asked."""


class TestWhatGoesWrong:
    def test_each_fault_has_its_reason_after_so_many_tries(self) -> None:
        """All of one server; what goes wrong once is asked again, and all faults one after the other
        are one question's.
        """
        replies = {"silence": "", "blank": "  \n", "refusal": "refusal", "filtered": "filtered"}
        in_turn = [fault for fault in FAULTS if fault != "timeout"]

        def faults(prompt):
            once = prompt.removeprefix("once ")
            if prompt in FOR_GOOD and prompt not in replies:
                return [prompt] * 50
            return in_turn if prompt == "all" else [once] * (once != prompt)

        with Server(faults=faults, reply=lambda prompt: replies.get(prompt, "Summary A")) as server:
            endpoint = served(server, timeout=1.0)
            for fault, (reason, tries) in FOR_GOOD.items():
                failures = [choice.failure for choice in ask(endpoint, fault).choices]
                assert (failures, count_tries(server)[fault]) == ([reason], tries)
                assert reason in FAILURES or reason.startswith("error: ")
            trifles = sum(prompt not in FOR_GOOD for prompt in count_tries(server).elements())
            assert trifles == 3, "after a timeout, a reset and a cut"
            for fault in FAULTS:
                assert ask(endpoint, f"once {fault}").choices[0].text == "Summary A"
                assert count_tries(server)[f"once {fault}"] == 2
            assert ask(endpoint, "all").choices[0].text == "Summary A"
            assert count_tries(server)["all"] == 6

    def test_what_is_no_server_of_the_protocol_says_what_it_is(self) -> None:
        for wrong, says in (
            ({"faults": lambda prompt: ["page"] * 50}, r"answer .*\(no JSON: <!doctype html>"),
            ({"faults": lambda prompt: ["said"] * 50}, r"answer .*\(Provider returned error"),
            ({"explains": lambda prompt: {"error": {"message": "x"}}}, r"refuses \(HTTP 400: x\)$"),
        ):
            with Server(**wrong) as server, pytest.raises(TandemError, match=says) as error:
                served(server).trial()
            assert f"127.0.0.1:{server.port} " in str(error.value)

    def test_what_is_no_answer_is_said_in_words(self) -> None:
        for body, says in (
            ([1, 2], "JSON, but not that of an answer"),
            ({"choices": [{"message": None}]}, "JSON, but not that of an answer"),
            ({"choices": []}, "no choices: None"),
            (answered_with(float("nan")), "a log-probability of nan"),
            (answered_with(5.0), "a log-probability of 5"),
        ):
            [choice] = served(NOWHERE).completion([], 200, body).choices
            assert (choice.failure, choice.detail) == (MALFORMED, says)
        [choice] = served(NOWHERE).completion([], 200, answered_with(1e-7)).choices
        assert choice.positions[0].top == (("A", 0.0),), "rounded above one it is one"

    def test_another_server_that_it_names_gets_nothing(self) -> None:
        with Server() as other, Server(redirects=f"http://localhost:{other.port}") as server:
            elsewhere = rf"redirects .*http://localhost:{other.port}: .*base url"
            with pytest.raises(TandemError, match=rf"127\.0\.0\.1:{server.port} {elsewhere}"):
                ask(served(server))
            assert other.seen == []

    def test_what_every_request_would_meet_is_one_sentence(self) -> None:
        at = r"at 127\.0\.0\.1:\d+"
        for fault, says in (
            ("401", rf"{at} wants .*\(HTTP 401: it is 401\): export .*OPENAI_API_KEY$"),
            ("402", rf"{at} .*credit .*\(HTTP 402"),
            ("404", rf"{at} .*'fake', .*\baddress .*/v1 \(HTTP 404"),
            ("429", rf"{at} .*wait 86,400 seconds.*429"),
        ):
            faults = {"faults": lambda prompt, fault=fault: [fault], "retry_after": "86400"}
            with Server(**faults) as server:
                with pytest.raises(TandemError, match=says):
                    ask(served(server))
                assert len(server.seen) == 1
        with Server() as server:
            missing = rf"127\.0\.0\.1:{server.port} .*no model 'other'.*404"
            with pytest.raises(TandemError, match=missing):
                ask(Endpoint("other", Options(base_url=server.url)))
            with pytest.raises(TandemError, match=r"'fake'.*address .*/v1 \(HTTP 404"):
                ask(Endpoint("fake", Options(base_url=server.url.removesuffix("/v1"))))

    def test_who_is_told_to_come_later_comes_later_and_so_do_all(self) -> None:
        clock, times = jumping(), {}
        refused = asyncio.Event()

        def faults(prompt):
            return ["429"] if prompt == "first" else []

        async def sleep(seconds):
            refused.set()  # the second leaves within the pause
            await clock.sleep(seconds)

        with Server(faults=faults, retry_after="1") as server:
            endpoint = served(server)
            endpoint._limits.clock = replace(clock, sleep=sleep)

            async def one(prompt):
                await endpoint.complete([{"role": "user", "content": prompt}], max_tokens=1)
                times[prompt] = clock.now()

            async def second():
                await refused.wait()
                await one("second")

            async def both():
                await asyncio.gather(one("first"), second())

            wait_for(both())
            assert server.seen[0]["messages"][0]["content"] == "first"
            assert len(server.seen) == 3
        assert min(times.values()) >= 1.0  # the second waited for the end of the pause

    def test_no_more_requests_are_open_than_allowed(self) -> None:
        with Server(several=False, delay=0.1) as server:
            endpoint = served(server, concurrency=3)

            async def many():
                asked = ([{"role": "user", "content": str(i)}] for i in range(10))
                await asyncio.gather(*(endpoint.complete(one, max_tokens=1, n=3) for one in asked))

            wait_for(many())
            assert server.most_open == 3

    def test_what_the_server_explains_is_the_reason(self) -> None:
        """Of every form, and cut where it is long."""
        for body, reason in (
            ({"error": {"message": "no such role"}}, "no such role"),  # OpenAI, vLLM, llama.cpp
            ({"detail": "Server is pinned to 'a'"}, "Server is pinned to 'a'"),  # FastAPI
            ({"detail": [{"msg": "too hot"}, {"msg": "too long"}]}, "too hot; too long"),
            ({"error": "model requires more memory"}, "model requires more memory"),  # Ollama
            (b"Bad Request: nothing to read", "Bad Request: nothing to read"),
        ):
            with Server(explains=lambda prompt, body=body: body) as server:
                [choice] = ask(served(server)).choices
            assert choice.failure == f"error: HTTP 400: {reason}"
        with Server(explains=lambda prompt: {"detail": "word " * 500}) as server:
            assert len(ask(served(server)).choices[0].failure) == FAILURE_LENGTH


class TestKey:
    def test_is_sent_and_asked_for(self, monkeypatch: pytest.MonkeyPatch) -> None:
        with Server(key=SECRET) as server:
            with pytest.raises(
                TandemError, match=rf"127\.0\.0\.1:{server.port} wants .*401.*{KEY}"
            ):
                ask(served(server))
            monkeypatch.setenv(KEY, f" {SECRET}\n")
            assert ask(served(server)).choices[0].text

    def test_the_official_server_needs_one(self, monkeypatch: pytest.MonkeyPatch) -> None:
        for key, says in (("", r"not set\b.*export.*\bbase url"), ("sk-“quoted”", "characters")):
            monkeypatch.setenv(KEY, key)
            with pytest.raises(TandemError, match=rf"^OPENAI_API_KEY .*{says}") as error:
                ask(Endpoint("gpt-4o-mini"))
            assert "quoted" not in str(error.value)

    def test_never_comes_back(
        self, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
    ) -> None:
        """Neither in the server's errors, nor in an answer, nor from any logger; nor does part of it."""
        monkeypatch.setenv(KEY, SECRET)
        caplog.set_level(logging.DEBUG)
        for name in ("openai", "httpx2", "httpcore2"):
            logging.getLogger(name).setLevel(logging.DEBUG)
        said = {"right": SECRET, "part": "Incorrect key: sk-proj-ab****wxyz"}
        with Server(faults=lambda prompt: ["echo"] * (prompt == "wrong"), reply=said.get) as server:
            endpoint = served(server)
            wrong, repeated, part = (ask(endpoint, one).choices[0] for one in ("wrong", *said))
        assert re.search(r"HTTP 400: .*Bearer \[key\]$", wrong.detail)
        assert (repeated.text, part.text) == ("[key]", "Incorrect key: [key]")
        with Server(key="another") as server, pytest.raises(TandemError) as error:
            ask(served(server))
        assert re.search(rf"refuses .*{KEY} \(HTTP 401: .*\[key\]", str(error.value))
        assert SECRET not in str(error.value) + repr(error.value.__cause__) + caplog.text


class TestTime:
    def test_no_time_at_all(self) -> None:
        with pytest.raises(TandemError, match=r"^timeout is 0\b.*more than 0 seconds$"):
            Endpoint("m", Options(timeout=0))
        with Server(faults=lambda prompt: ["500"] * TRIES) as server:
            found = ask(served(server))
        assert (found.seconds, found.waited) == (None, None), "a failure has none"

    def test_of_the_request_apart_from_what_it_waited(self) -> None:
        """Two requests a minute, then a server that is asked too fast and asks for a second."""
        clock = jumping()

        def faults(prompt):
            return ["429"] if prompt == "third" else []

        with Server(faults=faults, retry_after="1") as server:
            endpoint = served(server, rpm=2, backoff=0.25)
            endpoint._limits.clock = clock
            first, second, third = (
                ask(endpoint, prompt) for prompt in ("first", "second", "third")
            )
        assert [found.seconds for found in (first, second, third)] == [0, 0, 0]
        assert (first.waited, second.waited) == (0, 30)
        assert third.waited >= 31, "its place among two a minute, and the second it was told"

    def test_the_request_that_brought_the_answer(self) -> None:
        ticks = iter(range(100))
        with Server() as server:
            endpoint = served(server)
            endpoint._limits.clock = replace(endpoint._limits.clock, now=lambda: next(ticks))
            found = ask(endpoint)
        assert found.seconds == 1, "from one tick, when it may leave, to the next"
        assert found.waited > 0
        assert found.usage == {"tokens": 2 + found.completion_tokens - 1, "part_read": 0,
                               "completion_tokens": found.completion_tokens,
                               "seconds": found.seconds, "waited": found.waited}  # fmt: skip


# ---- Forms in which a server may repeat a key: by coreutils' base64 and RFC 3986, by hand


KEY_OF_SIGNS = "pk_7f+3/a1=c9e5b2d4"
# printf %s KEY | base64; ... | base64 of "user:KEY", "Bearer KEY" and "xy" + KEY
ALONE = "cGtfN2YrMy9hMT1jOWU1YjJkNA=="
OTHERS = ("dXNlcjpwa183ZiszL2ExPWM5ZTViMmQ0", "QmVhcmVyIHBrXzdmKzMvYTE9YzllNWIyZDQ=",
          "eHlwa183ZiszL2ExPWM5ZTViMmQ0")  # fmt: skip


def test_every_form_is_taken_out() -> None:
    for told, left in [
        (f"no such key: {KEY_OF_SIGNS}, sorry", "no such key: [key], sorry"),
        (f"{KEY_OF_SIGNS} {KEY_OF_SIGNS}", "[key] [key]"),
        ("at /v1?key=pk_7f%2B3%2Fa1%3Dc9e5b2d4&n=1", "at /v1?key=[key]&n=1"),
        ("at /v1?key=pk_7f%2b3%2fa1%3dc9e5b2d4", "at /v1?key=[key]"),
        ("%70k_7f+3/a1=c9e5b2d%34", "[key]"),
        (f"Basic {ALONE} was sent", "Basic [key] was sent"),
        (f"in base64 {ALONE.rstrip('=')}", "in base64 [key]"),
        (f"in base64 {ALONE.replace('+', '-').replace('/', '_')}", "in base64 [key]"),
        *((f"Basic {other}", "Basic [key]") for other in OTHERS),
        (f"Basic {ALONE[:10]}", "Basic [key]"),
        ("the key pk_7f+3/", "the key [key]"),
        ("the key pk_7f+3/a1...", "the key [key]..."),
        ("the key pk_7f+3/a1… is wrong", "the key [key]… is wrong"),
        ("the key pk_7f%2B3%2Fa1%3", "the key [key]"),
        ("the key pk_7f+3/a****", "the key [key]****"),
        ("pk_7f+3/ is not all of it", "pk_7f+3/ is not all of it"),
        ("the key pk_7f+3", "the key pk_7f+3"),  # of 7 characters
        ("100% of 5%", "100% of 5%"),
        ("", ""),
    ]:
        assert mask_key(told, KEY_OF_SIGNS) == left
    text = "EMPTY is no key, dummy"
    assert mask_key(text, "EMPTY") == text, "it is too short for a key"
