"""A served model as a judge, against a real server of the protocol."""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace
from functools import partial

import pytest

from core.failures import FAILURES
from core.judging import make, prompts
from core.judging.judges.served_judge import ServedJudge
from core.judging.prompts import PROMPTS
from core.judging.registry import remake
from core.models import Options
from core.models.options import permit_every_server
from core.records import Answer, Attribute, Kind, Outcome, Prompt, Question, TandemError
from tests.server import FAULTS, Server, probability

ATTRIBUTE = Attribute("coherence", "coherent")
PROMPT = prompts.PROMPTS["comparative"]


pytestmark = pytest.mark.usefixtures("no_key")


def question(number=0, **more):
    texts = {"context": "The council voted to close the old bridge.",
             "text_a": f"one {number}", "text_b": f"two {number}", **more}  # fmt: skip
    return Question(comparison=number, attribute=ATTRIBUTE, candidate_noun="summary", **texts)


def judge(server, **options):
    return ServedJudge(
        "fake", Options(base_url=server.url, **{"timeout": 1.0, **options}), backoff=0.001
    )


def p_of(asked, prompt=PROMPT):
    return probability(prompts.fill(prompt, asked))


def write_tokens(write, tokens):
    """Tokens and their alternatives with other names, and without their bytes."""

    def renamed(token):
        return token | {"token": write(token["token"]), "bytes": None}

    return [
        renamed(token) | {"top_logprobs": [renamed(other) for other in token["top_logprobs"]]}
        for token in tokens
    ]


class TestClassifier:
    def test_p_is_the_share_of_the_two_labels(self) -> None:
        asked = [question(number) for number in range(20)]
        with Server() as server:
            answers = judge(server, mode="classifier").answers(asked)
        for one, answer in zip(asked, answers, strict=True):
            assert answer.prob_a == pytest.approx(p_of(one), abs=1e-9)
            assert answer.outcome is (Outcome.A if p_of(one) > 0.5 else Outcome.B)
            assert answer.tokens == len(prompts.fill(PROMPT, one).split()) + 2
            assert answer.completion_tokens == 2
            raw = json.loads(answer.raw)
            assert raw["text"] == ("Summary A" if p_of(one) > 0.5 else "Summary B")
            assert sum(raw["p"].values()) == pytest.approx(0.9)

    def test_a_reply_that_came_without_probabilities_is_a_failure(self) -> None:
        def reply(prompt):
            return "Summary A" if "one" in prompt else "A"  # the trial gets its letter

        with Server(reply=reply, without=lambda prompt: "one 3" in prompt) as server:
            answers = judge(server, mode="classifier").answers(
                [question(number) for number in range(5)]
            )
        assert [answer.failure for answer in answers] == ["", "", "", "no-label", ""]
        assert json.loads(answers[3].raw) == {"text": "Summary A", "read": [[0, 9]]}

    def test_a_server_with_another_maximum_is_asked_for_less(self) -> None:
        for most, asked_for, mode in (
            (19, [20, 5, 5], "classifier"),
            (0, [20, 5, None, None, None], "sample"),
        ):
            with Server(most_top=most) as server:
                asking = judge(server)
                [answer] = asking.answers([question()])
            assert [request.get("top_logprobs") for request in server.seen] == asked_for
            assert answer.outcome
            assert asking.spec.mode == mode

    def test_p_is_the_same_however_tokens_are_written(self) -> None:
        """llama.cpp#11728: without spaces; vllm#16838: with a vocabulary's marks. As ids they are no
        probabilities, and the way out is said: docs.vllm.ai, --return-tokens-as-token-ids.
        """
        for write in (str.strip, lambda name: name.replace(" ", "Ġ")):
            with Server(tokens=partial(write_tokens, write)) as server:
                [answer] = judge(server, mode="classifier").answers([question()])
            assert answer.prob_a == pytest.approx(p_of(question()), abs=1e-9)
        tokens = partial(write_tokens, lambda name: f"token_id:{sum(map(ord, name))}")
        with Server(tokens=tokens, reply=lambda prompt: "votes") as server:
            asking = judge(server)
            assert asking.answers([question()])[0].votes == 5
        assert "--return-tokens-as-token-ids" in asking.note


class TestModeLeftOpen:
    def test_is_what_the_server_can_and_it_says_so(self) -> None:
        at = r"127\.0\.0\.1:\d+ .*no probabilities"
        votes = "votes:5|temperature:1|"
        for how, mode, more, requests, said in (
            ({}, "classifier", "", 1, "^$"),
            # asked for probabilities, and whether it draws its replies
            ({"logprobs": False}, "sample", votes, 2, rf"{at}.*\b5 sampled votes\b"),
            ({"logprobs": False, "draws_by": ""}, "generate", "", None,
             rf"{at}.*same reply.*one reply"),
        ):  # fmt: skip
            with Server(**how) as server:
                asking = make("openai:fake", Options(base_url=server.url))
                name = f"openai:fake|comparative@1|{mode}|{more}at:127.0.0.1:{server.port}"
                assert asking.spec.name == name
                assert re.search(said, asking.note)
                asking.load()
                assert len(server.seen) == requests or requests is None
                again = remake(asking.spec, permit=permit_every_server)
                again.load()
                assert (again.spec, again.note) == (asking.spec, ""), "nothing was left open"
                [answer] = asking.answers([question()])
                assert answer.outcome
                assert (answer.prob_a is None) == (mode == "generate")

    def test_a_model_that_thinks_first_is_sampled(self) -> None:
        with Server(logprobs=False, thinks=True) as server:
            assert judge(server).answers([question()])[0].votes == 5
            single = judge(server, mode="generate")
            assert single.answers([question()])[0].outcome is not None
            assert "temperature" not in server.seen[-1]
            assert "temperature" in single.note

    def test_a_mode_that_a_server_cannot_is_refused_in_one_sentence(self) -> None:
        for how, mode, says in (
            ({"logprobs": False}, "classifier",
             r"no probabilities .*'fake'.*mode classifier\b.*mode sample\b"),
            ({"draws_by": ""}, "sample", "same reply .*do_sample.*mode generate$"),
        ):  # fmt: skip
            with Server(**how) as server:
                at = rf"127\.0\.0\.1:{server.port}"
                with pytest.raises(TandemError, match=f"{at} .*{says}"):
                    judge(server, mode=mode).load()


class TestSample:
    def test_p_is_the_share_of_the_votes(self) -> None:
        for several in [True, False]:
            with Server(reply=lambda prompt: "votes", several=several) as server:
                [answer] = judge(server, mode="sample", votes=10).answers([question()])
                assert {request["temperature"] for request in server.seen[1:]} == {1.0}
            assert answer.prob_a == pytest.approx(round(10 * p_of(question())) / 10)
            assert answer.votes == 10
            assert len(json.loads(answer.raw)["texts"]) == 10

    def test_only_what_parsed_counts_and_half_is_a_tie(self) -> None:
        said = iter(["Summary A", "I cannot say.", "Summary B", "", "Summary A", "Summary B"])

        def reply(prompt):
            return "A" if "Which letter" in prompt else next(said)

        with Server(several=False, reply=reply) as server:
            [answer] = judge(server, mode="sample", votes=6, concurrency=1).answers([question()])
        assert (answer.outcome, answer.prob_a, answer.votes) == (Outcome.TIE, 0.5, 4)

    def test_none_that_parses_is_a_failure(self) -> None:
        failures = {"I cannot say.": "unparsed", "refusal": "refused", "": "empty"}

        def reply(prompt):
            return next((says for says in failures if says and says in prompt), "")

        with Server(reply=reply) as server:
            asked = [question(text_a=says) for says in failures]
            answers = judge(server, mode="sample", votes=3).answers(asked)
        assert [answer.failure for answer in answers] == list(failures.values())
        assert {answer.prob_a for answer in answers} == {None}

    def test_its_settings_are_in_its_name(self) -> None:
        url = "http://localhost:8000/v1"
        spec = make("openai:m", Options(mode="sample", votes=9, temperature=0.5, base_url=url)).spec
        name = "openai:m|comparative@1|sample|votes:9|temperature:0.5|at:localhost:8000"
        assert (spec.name, spec.kind) == (name, Kind.LLM)
        assert remake(spec).spec == spec


class TestGenerate:
    def test_text_is_parsed_and_gives_no_probability(self) -> None:
        reply = "Summary B. It is shorter than Summary A."
        with Server(reply=lambda prompt: reply) as server:
            [answer] = judge(server, mode="generate").answers([question()])
            assert server.seen[-1]["temperature"] == 0
        assert (answer.outcome, answer.prob_a, answer.failure) == (Outcome.B, None, "")
        assert json.loads(answer.raw) == {"text": reply, "read": [[0, 9]]}

    def test_free_text_is_read_where_that_is_asked_for(self) -> None:
        with Server(reply=lambda prompt: "I prefer Summary B over Summary A.") as server:
            [strict] = judge(server, mode="generate").answers([question()])
            lenient = judge(server, mode="generate", lenient=True)
            assert strict.failure == "unparsed"
            assert lenient.answers([question()])[0].outcome is Outcome.B
        assert "|lenient|" in lenient.spec.name

    def test_of_two_scores_the_higher_wins(self) -> None:
        """FastChat#826: it was always A."""
        for mode, votes in (("generate", 1), ("sample", 2)):
            for prompt, outcome in (("two-scores", Outcome.B), ("comparative", None)):
                with Server(reply=lambda prompt: "A: 6 / B: 9") as server:
                    asking = judge(server, mode=mode, votes=votes, prompt=PROMPTS[prompt])
                    asking.endpoint.samples = lambda *_, **__: True
                    [answer] = asking.answers([question()])
                assert (answer.outcome, answer.failure) == (outcome, "" if outcome else "unparsed")

    def test_a_reference_is_read_and_without_one_nothing_is_asked(self) -> None:
        """FastChat's pair-math-v1."""
        with Server(reply=lambda prompt: "[[A]]") as server:
            guided = judge(server, mode="generate", prompt=prompts.PROMPTS["reference-guided"])
            told, untold = guided.answers([question(references=("It is 4.",)), question()])
            asked = [str(one["messages"]) for one in server.seen if "council" in str(one)]
        assert (told.outcome, untold.failure) == (Outcome.A, "no-reference")
        [prompt] = asked
        assert "It is 4." in prompt

    def test_of_the_official_server_the_address_is_not_in_the_name(self) -> None:
        asking = make("openai:gpt-4o-mini", Options(mode="generate"))
        assert asking.spec.name == "openai:gpt-4o-mini|comparative@1|generate"
        assert asking.spec.base_url == ""
        with pytest.raises(TandemError, match=r"^OPENAI_API_KEY .*not set\b"):
            asking.load()


class TestFailures:
    def test_one_question_each_and_none_disturbs_another(self) -> None:
        """Every way to go wrong at once: each is the failure of its own comparison."""
        wrong = {
            "refusal": "refused", "filtered": "refused", "": "empty", "I cannot say.": "unparsed",
            "Summary A or Summary B": "unparsed",
        }  # fmt: skip
        for_good = {"500": "error: HTTP 500", "timeout": "timed-out", "reset": "error: the connection broke",
                    "cut": "error: the connection broke", "malformed": "error: malformed answer", "too-long": "too-long",
                    "400": "error: HTTP 400: it is 400"}  # fmt: skip
        asked = [question(i, text_a=f"says {says} .") for i, says in enumerate(wrong)]
        asked += [question(20 + i, text_a=f"meets {fault} .") for i, fault in enumerate(for_good)]
        asked += [question(40 + i, text_a=f"once {fault} .") for i, fault in enumerate(FAULTS)]
        asked += [question(60, text_a=None), question(61, text_a="", text_b="")]

        def reply(prompt):
            return next((says for says in wrong if f"says {says} ." in prompt), "Summary A")

        def faults(prompt):
            once = [fault for fault in FAULTS if f"once {fault} ." in prompt]
            return once or [fault for fault in for_good if f"meets {fault} ." in prompt] * 50

        with Server(reply=reply, faults=faults) as server:
            answers = judge(server, mode="generate", concurrency=16).answers(asked)
        expected = [*wrong.values(), *for_good.values(), *[""] * len(FAULTS), "no-text", ""]
        assert [answer.failure for answer in answers] == expected
        assert all(
            reason in FAILURES or reason.startswith("error: ") for reason in expected if reason
        )
        assert json.loads(answers[3].raw)["text"] == "I cannot say."
        assert json.loads(answers[5].raw) == {"detail": "HTTP 500: it is 500"}

    def test_a_server_that_is_not_there_is_known_at_once(self) -> None:
        with Server() as server:
            pass
        asking = make("openai:fake", Options(base_url=server.url))
        with pytest.raises(TandemError, match=rf"127\.0\.0\.1:{server.port} .*\(ConnectError"):
            asking.load()

    def test_a_probe_that_meets_a_fault_is_tried_again(self) -> None:
        with Server(faults=lambda prompt: ["429", "500", "reset"]) as server:
            judge(server).load()
            assert len(server.seen) == 4


class TestTooLong:
    def test_the_context_alone_is_shortened_and_it_is_counted(self) -> None:
        words = [f"word{i}" for i in range(400)]
        asked, hopeless = question(context=" ".join(words)), question(text_a="word " * 150)
        with Server(context=100) as server:
            [answer] = judge(server, mode="classifier").answers([asked])
            read = server.seen[-1]["messages"][0]["content"]
            [without] = judge(server, mode="classifier").answers([hopeless])
        assert answer.outcome
        assert without.failure == "too-long", "it has no context to shorten"
        left = asked.context[: len(asked.context) - json.loads(answer.raw)["context_cut"]].rstrip()
        assert asked.context.startswith(left)
        assert left.split() == words[: len(left.split())]  # cut between words
        assert read == prompts.fill(PROMPT, replace(asked, context=left))
        assert 40 <= len(left.split()) <= 85  # of about 85 there was room for


def test_labels_and_prompts_are_those_asked_for() -> None:
    mine = Prompt("mine", 2, "{a} / {b}: {label_a} or {label_b}?")
    with Server(labels=("first", "second")) as server:
        asking = judge(server, mode="classifier", prompt=mine, labels=("first", "second"))
        answer = asking.answers([question()])[0]
        filled = "one 0 / two 0: first or second?"
        assert server.seen[-1]["messages"] == [{"role": "user", "content": filled}]
    assert answer.prob_a == pytest.approx(probability(filled))
    assert asking.spec.name.startswith("openai:fake|mine@2|classifier|labels:first/second|at:")
    assert remake(asking.spec).spec == asking.spec


class TestTie:
    """A third answer: offered in the prompt, part of who the judge is, and counted."""

    def test_of_probabilities(self) -> None:
        for chances, outcome, p in [
            ({" A": 0.6, " B": 0.2, " Tie": 0.2}, Outcome.A, 0.75),
            ({" A": 0.2, " B": 0.3, " Tie": 0.5}, Outcome.TIE, 0.4),
            ({" Tie": 1.0}, Outcome.TIE, None),
        ]:
            reply = f"Answer:{max(chances, key=chances.get)}"
            told = {"reply": lambda prompt, reply=reply: reply,
                    "chances": lambda prompt, chances=chances: chances}  # fmt: skip
            with Server(**told) as server:
                asking = judge(server, mode="classifier", tie=True)
                [answer] = asking.answers([question()])
                prompt = server.seen[-1]["messages"][0]["content"]
            offered = "Answer with Summary A, Summary B or Tie."
            assert offered in prompt
            assert answer.outcome is outcome
            assert answer.prob_a == (p if p is None else pytest.approx(p))
            assert "|classifier|tie|" in asking.spec.name
            assert asking.spec.labels == (*prompts.DEFAULT_LABELS, "Tie")
            assert remake(asking.spec).spec == asking.spec

    def test_of_text_and_votes(self) -> None:
        for how, outcome, p, votes in (
            ({"mode": "generate", "tie": True}, Outcome.TIE, None, 1),
            ({"mode": "sample", "tie": True, "votes": 3}, Outcome.TIE, 0.5, 3),
            ({"mode": "generate"}, None, None, 1),  # it was not offered
        ):
            with Server(reply=lambda prompt: "Tie") as server:
                [answer] = judge(server, **how).answers([question()])
            assert (answer.outcome, answer.prob_a, answer.votes) == (outcome, p, votes)
            assert answer.failure == ("" if outcome else "unparsed")


REFUSED = (
    ({"truncation": 500}, r"^truncation 500 .*hf:NAME-OR-PATH, .*openai:m.*"),
    ({"votes": 0}, r"votes is 0\b.*\b1 and 1000"),
    ({"mode": "sample", "temperature": 0.0}, r"temperature is 0\b.*above 0 .*\b2"),
    ({"temperature": 3.0}, r"temperature is 3\b.*above 0 .*\b2"),
    ({"mode": "classifier", "temperature": 2.5}, r"temperature is 2\.5\b.*\b0 and 2"),
    ({"max_tokens": 0}, r"max tokens is 0\b.*\b1"),
    ({"extra_body": "[1]"}, r"extra body '\[1\]' .*JSON object.*\{\"reasoning_effort\": \"low\"\}"),
    ({"extra_body": '{"messages": []}'}, "extra body .*'messages'.*leave it out"),
    ({"extra_body": '{"model": null, "top_k": 1}'}, "extra body .*'model'.*leave it out"),
    ({"extra_body": '{"stream": true}'}, "extra body .*'stream'.*leave it out"),
    ({"mode": "classifier", "prompt": PROMPTS["strength"]},
     "form strength .*probability.*mode generate or sample, .*another form"),
    ({"prompt": Prompt("mine", 1, "{question}")}, ".*lacks.*"),
)  # fmt: skip


def test_settings_that_make_no_sense_are_refused() -> None:
    for options, says in REFUSED:
        with pytest.raises(TandemError) as error:
            make("openai:m", Options(**options))
        assert re.search(f"{says}$", str(error.value))


def test_nothing_asked_nothing_answered() -> None:
    with Server() as server:
        assert judge(server).answers([]) == []
        assert judge(server).answers([question(text_a=None)]) == [Answer(failure="no-text")]


def test_a_providers_habits_are_in_the_name_where_the_address_does_not_say_them() -> None:
    """They decide how a form is kept, which can change an answer."""

    def named(**options):
        return make("openai:m", Options(mode="generate", **options)).spec

    own = named(provider="vllm", base_url="http://gpu-1:8000/v1")
    assert own.name == "openai:m|comparative@1|generate|provider:vllm|at:gpu-1:8000"
    assert remake(own).spec == own
    url = "https://openrouter.ai/api/v1"
    assert named(provider="openrouter", base_url=url) == named(base_url=url)
    assert named(base_url="http://gpu-1:8000/v1").name != own.name


def thinking_server(**options):
    """A model that thinks for 400 tokens unless it is told not to, behind vLLM's reasoning parser:
    its thoughts are no content, and their tokens come back all the same.
    """

    def token(text, **top):
        likeliest = [{"token": name, "logprob": math.log(p)} for name, p in top.items()]
        return {"token": text, "logprob": -0.1, "top_logprobs": likeliest}

    def responds(request, turn):
        thinks = request.get("chat_template_kwargs", {}).get("enable_thinking", True)
        thought = [token("Okay", Okay=0.9, Hmm=0.1)] * thinks
        ended, message, tokens = "stop", {"content": "A"}, [*thought, token("A", A=0.7, B=0.3)]
        if thinks and request["max_tokens"] < 400:
            ended, message = "length", {"content": None, "reasoning_content": "Okay"}
            tokens = thought
        logprobs = {"content": tokens} if request.get("logprobs") else None
        choice = {"message": message, "finish_reason": ended, "logprobs": logprobs}
        return 200, {"choices": [choice], "usage": {"prompt_tokens": 99, "completion_tokens": 9}}

    return Server(responds=responds, **options)


class TestThinkingModels:
    """A server is asked what it can with the judge's own settings."""

    def test_probabilities_come_back_without_thoughts_or_behind_them(self) -> None:
        for settings in [
            {"extra_body": '{"chat_template_kwargs": {"enable_thinking": false}}'},
            {"max_tokens": 2048},
        ]:
            with thinking_server() as server:
                [answer] = judge(server, mode="classifier", **settings).answers([question()])
                seen = server.seen
            assert (answer.prob_a, answer.failure) == (pytest.approx(0.7), "")
            told = json.loads(settings.get("extra_body", "{}"))  # type: ignore[attr-defined]
            assert all(one.items() >= told.items() for one in seen)
        too_few = pytest.raises(TandemError, match=r"ends before.*max.tokens")
        with thinking_server() as server, too_few:
            judge(server, mode="classifier").load()


# ---- Replies that a server ends early, and verdicts that come before their reason


CONCEDES = "Summary A because Summary B is more vivid, yet wrong."


def asked(server, mode):
    asking = judge(server, mode=mode, timeout=20.0)
    return asking.answers([question(context="The council met.")])[0]


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

    def ends(prompt):
        return ended if "council" in prompt else ""

    with Server(reply=written, ends=ends, draws_by="temperature", logprobs=False) as server:
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
