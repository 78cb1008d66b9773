"""Replies that a server ends early, and verdicts that come before their reason."""

from __future__ import annotations

import pytest

from core.judging import make
from core.models import Options
from core.models.permit import KEY
from core.records import Attribute, Outcome, Question
from tests.server import Server

CONCEDES = "Summary A because Summary B is more vivid, yet wrong."


@pytest.fixture(autouse=True)
def no_key(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv(KEY, raising=False)


def asked(server, mode):
    judge = make("openai:fake", Options(mode=mode, base_url=server.url, timeout=20.0))
    judge.endpoint._backoff = 0.001
    [answer] = judge.answers(
        [
            Question(
                1, "The council met.", "one", "two", Attribute("overall"), candidate_noun="summary"
            )
        ]
    )
    return answer


def only_questions(ended):
    return lambda prompt: ended if "council" in prompt else ""


@pytest.mark.parametrize("mode", ["generate", "sample"])
@pytest.mark.parametrize(
    ("reply", "ended", "outcome", "failure"),
    [
        (CONCEDES, "stop", Outcome.A, ""),
        (CONCEDES, "length", Outcome.A, ""),
        ("At first Summary B is better. But wait,", "length", None, "cut-off"),
        ("<think>Summary B is better", "stop", None, "cut-off"),
        ("Summary A", "error", None, "server-error"),
        ("Summary A", "content_filter", None, "refused"),
        ("[THINK]Summary B?[/THINK]Summary A", "eos", Outcome.A, ""),
        ("", "length", None, "cut-off"),
    ],
)
def test_how_a_reply_ends(mode, reply, ended, outcome, failure) -> None:
    def written(prompt):
        return reply if "council" in prompt else "votes" if "random" not in prompt else "fine"

    with Server(
        reply=written, ends=only_questions(ended), draws_by="temperature", logprobs=False
    ) as server:
        answer = asked(server, mode)
        requests = [one for one in server.seen if "council" in one["messages"][-1]["content"]]
    assert (answer.outcome, answer.failure) == (outcome, failure)
    if ended == "error":
        assert len(requests) >= 7  # asked again before it is given up


def test_the_probability_is_that_of_the_stated_verdict() -> None:
    """.8 of .8 + .15 at the first mention; at the second, "Summary B", it would be another."""
    likely = {"A": 0.8, "B": 0.15}
    with Server(reply=lambda prompt: CONCEDES, chances=lambda prompt: likely) as server:
        answer = asked(server, "classifier")
    assert answer.outcome is Outcome.A
    assert answer.prob_a == pytest.approx(0.8 / 0.95, abs=1e-6)
