"""Marks by a served model, asked over loopback."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import pytest

from core.judging.forms import read_mark
from core.judging.judges.readings import mark_probabilities, split_ten
from core.judging.judges.served_scorers import ServedScorer
from core.judging.prompts import SCORING_PROMPTS, fill_scoring
from core.judging.registry import make, remake
from core.models.respondent import Options
from core.models.served.completion import Position
from core.records import USUAL_SCALE, Attribute, Candidate, Scale, TandemError
from tests.server import Server, probability

CANDIDATE = Candidate(
    1, "A river rose.", "It rose.", Attribute("coherence", "coherent"), (), "article", "summary"
)


def served(server: Server, mode: str, **options) -> ServedScorer:
    made = make("openai:fake", Options(mode=mode, base_url=server.url, **options))
    assert isinstance(made, ServedScorer)
    made.endpoint._backoff = 0.001
    return made


def at(*tokens: tuple[str, dict[str, float]]) -> list[Position]:
    return [
        Position(token, tuple((name, math.log(p)) for name, p in top.items()))
        for token, top in tokens
    ]


def marks_of(positions: list[Position], scale: Scale = USUAL_SCALE, form: str = "mark-first"):
    """P(mark) of a reply, and whether a "1" may yet become "10"."""
    stated = read_mark("".join(one.token for one in positions), scale, form)
    return mark_probabilities(positions, stated, scale)


def test_mark_probabilities_by_hand() -> None:
    for what, tokens, chances, scale, form in (
        ("a token for each mark", [("8", {"8": 0.5, "7": 0.25, "10": 0.125, "1": 0.0625, "The": 0.03, "85": 0.01})],
         {8: 0.5, 7: 0.25, 10: 0.125, 1: 0.0625}, USUAL_SCALE, "mark-first"),
        ("after a preamble and with spaces",
         [("Score", {"Score": 1.0}), (":", {":": 1.0}), (" 9", {" 9": 0.6, " 8": 0.3, "9": 0.05})],
         {9: 0.65, 8: 0.3}, USUAL_SCALE, "mark-first"),
        ("the mark's own token where a reason names it first",
         [("7", {"7": 1.0}), (" facts", {" facts": 1.0}), (" hold.\n", {" hold.\n": 1.0}),
          ("Score:", {"Score:": 1.0}), (" 7", {" 7": 0.6, " 8": 0.4})],
         {7: 0.6, 8: 0.4}, USUAL_SCALE, "mark-last"),
        ("a ten of two tokens", [("1", {"1": 0.8, "9": 0.2}), ("0", {"0": 0.75, ".": 0.25})],
         {1: 0.2, 9: 0.2, 10: 0.6}, USUAL_SCALE, "mark-first"),
        ("a one that could have become a ten", [("1", {"1": 0.8, "9": 0.2}), (".", {"0": 0.25, ".": 0.75})],
         {1: 0.6, 9: 0.2, 10: 0.2}, USUAL_SCALE, "mark-first"),
        ("a scale that ends before ten: no one becomes a ten, whatever stands behind it",
         [("1", {"1": 0.8, "4": 0.15, "9": 0.05}), (".", {"0": 0.25, ".": 0.75})],
         {1: 0.8, 4: 0.15}, Scale(1, 5), "mark-first"),
        ("a scale from zero", [("0", {"0": 0.5, "10": 0.4}), (".", {".": 1.0})],
         {0: 0.5, 10: 0.4}, Scale(0, 10), "mark-first"),
    ):  # fmt: skip
        assert marks_of(at(*tokens), scale, form) == (pytest.approx(chances), False), what
    chances, is_open = marks_of(at(("9", {"9": 0.5, "1": 0.45, "8": 0.05})))
    assert is_open, "a one that may become a ten"
    expected = split_ten(chances, at(("0", {"0": 1.0}))[0])
    assert sum(mark * p for mark, p in expected.items()) == pytest.approx(9.4)
    stated = read_mark("8", USUAL_SCALE)
    for without in ([], at(("8", {}))):
        assert mark_probabilities(without, stated, USUAL_SCALE) is None


def test_score_is_what_the_reply_gives() -> None:
    for reply, value, failure in (
        ("8", 8.0, ""),
        ("Score: 7.5", 7.5, ""),
        ("9 out of 10. It is good.", 9.0, ""),
        ("I'd give it a 9 out of 10.", None, "unparsed"),
        ("It is good.", None, "unparsed"),
        ("42", None, "unparsed"),
        ("refusal", None, "refused"),
        ("", None, "empty"),
    ):
        with Server(reply=lambda prompt, reply=reply: reply) as server:
            [mark] = served(server, "score").answers([CANDIDATE])
        assert (mark.value, mark.failure) == (value, failure)
        if value is not None:
            assert json.loads(mark.raw)["text"] == reply
            assert min(mark.tokens, mark.completion_tokens) > 0


def test_g_eval_is_the_expected_mark_of_the_probabilities() -> None:
    """The server's "labels" are marks here: of the two the prompt prefers 8 with p, and 9 with 1 -
    p, times 0.9.
    """
    with Server(labels=("8", "9")) as server:
        scorer = served(server, "g-eval")
        candidates = [replace(CANDIDATE, generation=n, text=f"text {n}") for n in range(6)]
        marks = scorer.answers(candidates)
        for candidate, mark in zip(candidates, marks, strict=True):
            p = probability(fill_scoring(SCORING_PROMPTS["scoring"], candidate, "g-eval"))
            assert mark.value == pytest.approx(8 * p + 9 * (1 - p), abs=1e-6)
            assert json.loads(mark.raw)["p"] == pytest.approx(
                {"8": 0.9 * p, "9": 0.9 * (1 - p)}, abs=1e-5
            )


def test_a_context_that_is_too_long_is_shortened() -> None:
    long = replace(CANDIDATE, context="word " * 400)

    def faults(prompt: str) -> list[str]:
        return ["too-long"] * 9 * (prompt.count("word") > 50)

    with Server(reply=lambda prompt: "5", faults=faults) as server:
        [mark] = served(server, "score").answers([long])
    assert mark.value == 5
    assert json.loads(mark.raw)["context_cut"] > 0


def test_a_server_without_probabilities_is_refused_for_g_eval() -> None:
    with Server(logprobs=False) as server:
        with pytest.raises(TandemError, match=r"'fake'.*mode g-eval\b.*mode score\b"):
            served(server, "g-eval").load()
        served(server, "score").load()


def test_what_is_stored_makes_the_same_scorer_again() -> None:
    url = "http://127.0.0.1:9/v1"
    spec = make("openai:fake", Options(mode="score", base_url=url, concurrency=3)).spec
    assert spec.name == "openai:fake|scoring@1|score|at:127.0.0.1:9"
    assert remake(spec, {"concurrency": 2}).spec == spec


def test_marks_on_a_scale_of_one_s_own() -> None:
    with Server(reply=lambda prompt: "85" if "from 0 (worst) to 100" in prompt else "4") as server:
        wide = served(server, "score", scale=(0, 100))
        assert [mark.value for mark in wide.answers([CANDIDATE] * 2)] == [85, 85]
        five = served(server, "score", scale=(1, 5))
        assert [mark.value for mark in five.answers([CANDIDATE] * 2)] == [4, 4]
        assert (wide.spec.name == five.spec.name, "|scale:1-5" in five.spec.name) == (False, True)
        with pytest.raises(TandemError, match="up to 10: shorten scale"):
            served(server, "g-eval", scale=(0, 100))


DIGITS = {"9": 0.5, "1": 0.45, "8": 0.05}
BEHIND = {"0": 0.7226, "1": 0.0479, " +": 0.0367, "2": 0.0276, ".": 0.0127}
"""What SmolLM2 finds likeliest behind "1" where it is to write 10: also "1", for 11."""


def _written(request, text, top, content=None):
    likeliest = [{"token": name, "logprob": math.log(p)} for name, p in top.items()]
    tokens = [
        {"token": sign, "logprob": -0.1, "top_logprobs": likeliest if place == 0 else likeliest[:1]}
        for place, sign in enumerate(text if content is None else [text])
    ]
    logprobs = {"content": tokens} if request.get("logprobs") else None
    text = text if content is None else content
    choice = {"message": {"content": text}, "finish_reason": "stop", "logprobs": logprobs}
    return 200, {"choices": [choice], "usage": {"prompt_tokens": 99, "completion_tokens": 2}}


def digit_server(*, goes_on: bool, whole: bool = False, marks=DIGITS, behind=BEHIND, blank=None):
    """A server of a model that writes digit by digit, and perhaps 10 as one token."""

    def responds(request, turn):
        asked, last = request["messages"][0]["content"], request["messages"][-1]
        if last["role"] == "assistant":
            if whole:
                return 400, {"error": {"message": "unknown option continue_final_message"}}
            if goes_on:
                if "Summary:" not in asked:
                    return _written(request, "0", BEHIND)
                told = {"0": 1.0, "1": 1e-9} if behind is BEHIND else behind
                return _written(request, next(iter(told)), told, blank)
        if "digits, and nothing else" in asked:
            return _written(request, "10", {"10": 0.9, "1": 0.1} if whole else {"1": 0.9, "2": 0.1})
        if "Summary:" in asked:
            return _written(request, next(iter(marks)), marks)
        return _written(request, "A", {"A": 0.9, "B": 0.1})

    return Server(responds=responds)


class TestTenOfTwoTokens:
    def test_a_server_that_begins_anew_is_refused(self) -> None:
        with digit_server(goes_on=False) as server:
            at = rf"'fake' .*\b10\b.*127\.0\.0\.1:{server.port} .*scale 1 9, .*mode score"
            with pytest.raises(TandemError, match=at):
                served(server, "g-eval").load()

    def test_the_expected_mark_by_hand(self) -> None:
        """Of twenty likeliest tokens behind "1", "1" is one: that is no fresh reply. A one is no ten
        where ten is a token of its own: it is not among the likeliest, and such a server need not go
        on with a reply. A one may be likely the whole mark: what the server would rather go on with
        is the end of the reply, the text is blank, and its token is told all the same: 9 x .5 +
        8 x .05 + 1 x .45 x .6 + 10 x .45 x .4.
        """
        whole = {"goes_on": False, "whole": True, "marks": {"2": 0.5, "1": 0.4, "3": 0.1}}
        for how, expected in [
            ({"goes_on": True}, 9.4),
            (whole, 1.7),
            *(({"goes_on": True, "behind": {ends: 0.6, "0": 0.4}, "blank": content}, 6.97)
              for ends, content in [("<|im_end|>", ""), ("\n", "\n"), (" ", " ")]),
        ]:  # fmt: skip
            with digit_server(**how) as server:
                [mark] = served(server, "g-eval").answers([CANDIDATE])
            assert (mark.value, mark.failure) == (pytest.approx(expected, abs=1e-6), "")

    def test_what_follows_a_one_is_asked_with_the_judges_own_settings(self) -> None:
        body = '{"chat_template_kwargs": {"enable_thinking": false}, "provider": {"order": ["x"]}}'
        with digit_server(goes_on=True) as server:
            served(server, "g-eval", extra_body=body).answers([CANDIDATE])
            seen = server.seen
        follow_up = [one for one in seen if one["messages"][-1]["role"] == "assistant"]
        assert len(follow_up) == 2
        assert all(one["continue_final_message"] for one in follow_up)
        assert all(one.items() >= json.loads(body).items() for one in seen)
