"""How a server is asked: options that it refuses, streams, and the shape of an answer."""

from __future__ import annotations

import json
import re

import pytest

from core.__main__ import main
from core.judging import add_server
from core.judging.registry import make_writer
from core.models import Decoding
from core.models.served import AnswerShape, BatchService
from core.models.served.server_errors import TRIES
from core.records import Status, TandemError
from core.runs.execution import execute, resume
from core.runs.generate import GenerationRequest, enqueue
from core.store import Store
from tests.clock import jumping
from tests.models.served.test_endpoint import ask, served
from tests.server import Batches, Server
from tests.study import DATASET

pytestmark = pytest.mark.usefixtures("no_key")


def error(message, **more):
    return {"error": {"message": message, "type": "invalid_request_error", "code": None, **more}}


def refusing(option, body, status=400):
    """It answers once the option is gone."""
    return Server(responds=lambda request, turn: (status, body) if option in request else None)


REFUSALS = {
    # gabrii/Cursor-Azure-GPT-5#33
    "temperature, a value": ("temperature", error(
        "Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) "
        "value is supported.", param="temperature", code="unsupported_value")),
    # xuy/sgo#1 (Moonshot)
    "temperature, by its name": ("temperature", error(
        "invalid temperature: only 1 is allowed for this model")),
    # The o-series
    "stop": ("stop", error("Unsupported parameter: 'stop' is not supported with this model.",
                           param="stop")),
    # editor-code-assistant/eca#231: Mistral's words, of seed
    "seed": ("seed", {"object": "error", "message": {"detail": [
        {"type": "extra_forbidden", "loc": ["body", "seed"],
         "msg": "Extra inputs are not permitted"}]}}),
    "probabilities, of a model": ("logprobs", error(
        "You are not allowed to request logprobs from this model")),
    "probabilities, which is no matter of the key": ("logprobs", error(
        "You are not allowed to request logprobs from this model"), 403),
    # vllm-project/vllm-gaudi#1098
    "probabilities, of hardware": ("logprobs", error(
        "Gaudi doesn't support logprobs. Please remove 'logprobs'/'top_logprobs' from your request")),
    # mscraftsman/generative-ai#135: a list around the error
    "probabilities, in a list": ("top_logprobs", [
        {"error": {"code": 400, "message": "Logprobs is not enabled for models/gemini-2.5-pro",
                   "status": "INVALID_ARGUMENT"}}]),
}  # fmt: skip


class TestRefusedOptions:
    def test_are_left_out_which_is_noted(self) -> None:
        for option, *refusal in REFUSALS.values():
            with refusing(option, *refusal) as server:
                endpoint = served(server)
                how = {"seed": 3, "stop": ["END"], "top_logprobs": 5}
                assert [ask(endpoint, **how).choices[0].failure for _ in range(2)] == ["", ""]
                assert [option in request for request in server.seen] == [True, False, False]
                kept = {"temperature", "stop", "seed", "logprobs", "top_logprobs"} - {option}
                if "log" in option:
                    kept -= {"logprobs", "top_logprobs"}
                assert kept <= set(server.seen[-1])
            called = "probabilities" if "log" in option else option
            assert re.search(rf"{endpoint.address}: .*without {called}\b", endpoint.note)

    def test_a_number_of_probabilities_that_is_too_high_is_refused_as_before(self) -> None:
        """A judge then asks for fewer."""
        with Server(most_top=5) as server:
            endpoint = served(server)
            assert endpoint.trial(20).failure
            assert endpoint.trial(5).positions
        assert endpoint.note == ""

    def test_the_other_name_of_the_most_tokens(self) -> None:
        old, new = "max_tokens", "max_completion_tokens"
        for first, second, words in (
            (old, new, f"Unsupported parameter: '{old}'. Use '{new}' instead"),
            (old, new, ""),
            (new, old, ""),
        ):
            body = {"detail": [{"type": "extra_forbidden", "loc": ["body", first],
                                "msg": "Extra inputs are not permitted"}]}  # fmt: skip
            with refusing(first, error(words) if words else body) as server:
                endpoint = served(server)
                endpoint.habits.length_option = first
                assert [ask(endpoint).choices[0].failure for _ in range(2)] == ["", ""]
                assert [first in request for request in server.seen] == [True, False, False]
                assert server.seen[-1][second] == 16

    def test_as_many_tokens_as_it_allows(self) -> None:
        def responds(request, turn):
            if request["max_tokens"] > 16384:
                return 400, error("`max_tokens` must be less than or equal to `16384`")
            return None

        with Server(responds=responds) as server:
            endpoint = served(server)
            assert ask(endpoint, max_tokens=40_000).choices[0].text
            assert [request["max_tokens"] for request in server.seen] == [40_000, 16384]
        assert re.search(r"\b16384 tokens\b", endpoint.note)

    def test_what_is_about_no_option_changes_none(self) -> None:
        """The server still writes several texts to one request."""
        for fault in ["too-long", "500"]:
            with Server(
                faults=lambda prompt, fault=fault: [fault], reply=lambda prompt: "votes"
            ) as server:
                endpoint = served(server)
                ask(endpoint, n=3)
                ask(endpoint, "y", n=3)
                assert {request["n"] for request in server.seen} == {3}

    def test_what_somebody_gave_is_theirs(self) -> None:
        body = error("Unsupported value: 'temperature' does not support 0.3", param="temperature")
        with refusing("temperature", body) as server:
            found = ask(served(server), extra_body={"temperature": 0.3})
            assert len(server.seen) == 1
        assert found.choices[0].failure.startswith("error: HTTP 400: Unsupported value")


class TestExtraBody:
    def test_wins_and_takes_away(self) -> None:
        with Server() as server:
            extra = {"temperature": 0.3, "reasoning_effort": "low", "max_tokens": None}
            ask(served(server), extra_body=extra)
            ask(served(server), temperature=None)
            told, without = server.seen
        assert (told["temperature"], told["reasoning_effort"]) == (0.3, "low")
        assert "max_tokens" not in told
        assert "temperature" not in without

    def test_a_batch_has_the_same_bodies(self) -> None:
        asked = [{"role": "user", "content": "x"}]
        with Server() as server:
            endpoint = served(server)
            how = {"max_tokens": 9, "stop": ("END",), "extra_body": {"x": 1, "temperature": None}}
            ask(endpoint, **how)
            assert endpoint.bodies(asked, **how) == server.seen
            own = {"max_tokens": 5, "seed": 7, "temperature": None}
            [body] = served(server, provider="mistral").bodies(asked, **own)
        expected = {"model": "fake", "messages": asked, "max_tokens": 5, "random_seed": 7}
        assert json.loads(json.dumps(body)) == expected


class TestStreaming:
    def test_what_only_streams_is_asked_so_and_put_together(self) -> None:
        for how in [{}, {"n": 3}, {"top_logprobs": 5}]:
            with Server(streams="only") as server, Server() as plain:
                endpoint = served(server)
                streamed, whole = ask(endpoint, **how), ask(served(plain), **how)
                assert streamed.choices == whole.choices
                assert streamed.prompt_tokens == whole.prompt_tokens
                assert streamed.completion_tokens == whole.completion_tokens
                ask(endpoint, "y")
                assert ["stream" in request for request in server.seen] == [False, True, True]
                assert server.seen[1]["stream_options"] == {"include_usage": True}

    def test_a_stream_that_breaks_midway_is_asked_again(self) -> None:
        with Server(streams="breaks") as server:
            endpoint = served(server, stream=True)
            endpoint._limits.clock = jumping()
            assert ask(endpoint).choices[0].text in ("Summary A", "Summary B")
            assert len(server.seen) == 2

    def test_an_error_within_a_stream_is_one(self) -> None:
        """openrouter.ai/docs/errors: an error of the provider comes as an event."""
        broken = {"error": {"code": 502, "message": "Provider disconnected"}}
        with Server(responds=lambda request, turn: (200, broken)) as server:
            endpoint = served(server, stream=True)
            endpoint._limits.clock = jumping()
            [choice] = ask(endpoint).choices
            assert len(server.seen) == TRIES
        assert (choice.failure, choice.detail) == ("server-error", "Provider disconnected")

    def test_from_the_start_where_that_is_wanted_unless_it_refuses(self) -> None:
        """chathub-dev/chathub#1294"""
        body = error("Unsupported value: 'stream' does not support true with this model.",
                     param="stream")  # fmt: skip
        with Server() as server, refusing("stream", body) as other:
            assert ask(served(server, stream=True)).choices[0].text
            assert [request["stream"] for request in server.seen] == [True]
            endpoint = served(other, stream=True)
            assert ask(endpoint).choices[0].text
            assert "without streaming" in endpoint.note


SHAPE = AnswerShape({"type": "object"}, ("Summary A", "Summary B"))


class TestShape:
    def test_is_asked_for_as_the_provider_takes_it(self) -> None:
        for provider, shape, kept_by, asked in [
            ("", SHAPE, "json_schema", {"response_format": {"type": "json_schema", "json_schema": {
                "name": "answer", "strict": True, "schema": {"type": "object"}}}}),
            ("", AnswerShape(choices=("A", "B")), "", {}),
            ("vllm", AnswerShape(choices=("A", "B")), "choice",
             {"structured_outputs": {"choice": ["A", "B"]}}),
            ("sglang", AnswerShape(choices=("A.", "B")), "choice", {"regex": r"A\.|B"}),
            ("llamacpp", AnswerShape(choices=('say "A"', "B")), "choice",
             {"grammar": 'root ::= "say \\"A\\"" | "B"'}),
            ("tgi", SHAPE, "json_schema",
             {"response_format": {"type": "json_object", "value": {"type": "object"}}}),
            ("anthropic", SHAPE, "", {}),
        ]:  # fmt: skip
            with Server() as server:
                found = ask(served(server, provider=provider), shape=shape)
                [request] = server.seen
            assert found.kept_by == kept_by
            told = {name: request[name] for name in request.keys() - {
                "model", "messages", "max_tokens", "temperature"}}  # fmt: skip
            assert told == asked

    def test_the_next_way_where_one_is_refused_and_none_where_all_are(self) -> None:
        for provider, kept_by, asked, note in (
            ("llamacpp", "choice", 3, "^$"),
            ("", "", 3, r"127\.0\.0\.1:\d+: .*without .*shape\b"),
        ):
            with refusing("response_format", error("Unknown name: response_format")) as server:
                endpoint = served(server, provider=provider)
                assert [ask(endpoint, shape=SHAPE).kept_by for _ in range(2)] == [kept_by, kept_by]
                assert len(server.seen) == asked
            assert re.search(note, endpoint.note)

    def test_another_shape_that_somebody_asks_for(self) -> None:
        with Server() as server:
            own = {"response_format": {"type": "json_object"}}
            assert ask(served(server), shape=SHAPE, extra_body=own).kept_by == ""
            assert server.seen[0]["response_format"] == {"type": "json_object"}


def test_connections_are_closed_and_opened_again() -> None:
    with Server() as server:
        endpoint = served(server)
        ask(endpoint)
        [sdk] = endpoint.connection.sdks.values()
        endpoint.close()
        assert sdk.is_closed()
        assert ask(endpoint).choices[0].text


def test_a_line_of_results_ends_at_its_line_break_alone() -> None:
    """RFC 8259, section 7: a string may hold U+0085 and U+2028 as they are."""
    lines = ['{"custom_id": "a\u2028b"}', '{"custom_id": "c\x85d"}']
    with Server(batches=Batches(files={"out": "\n".join(lines).encode()})) as server:
        assert list(BatchService(served(server)).lines("out")) == lines


# ---- Texts sampled from a served model


INSTRUCTION = "Summarise this."


def wrote(store, server, system="fake", *, samples=5, **more):
    """A run by a server that is on the store's list."""
    add_server(store, "test", server.url, server.url)
    request = GenerationRequest(DATASET, system, decoding(server, **more), samples=samples)
    return enqueue(store, request)


def decoding(server, **more):
    return Decoding("openai:fake", INSTRUCTION, base_url=server.url, **more)


def test_k_texts_an_item_each_with_a_seed_of_its_own(study: Store) -> None:
    with Server(reply=lambda prompt: f"About: {prompt}", faults=lambda prompt: ["500"]) as server:
        run = wrote(study, server, "fake-t0.7", temperature=0.7, max_tokens=50)
        assert study.runs.get(run).served
        result = execute(study, run)
        requests = [request for request in server.seen if "seed" in request]
    assert (result.status, result.done) == (Status.DONE, 3 * 5)
    texts = study.texts.generations(DATASET).query("system == 'fake-t0.7'")
    assert sorted(zip(texts["item"], texts["sample"], strict=True)) == [
        (f"i{i}", k) for i in range(3) for k in range(5)
    ]
    contexts = study.datasets.items(DATASET)["context"]
    assert set(texts["text"]) == {f"About: {INSTRUCTION}\n\n{context}" for context in contexts}
    assert {(request["temperature"], request["max_tokens"]) for request in requests} == {(0.7, 50)}
    assert len({request["seed"] for request in requests}) == 15
    assert result.tokens == 15 * (7 + 2)


def test_what_else_a_server_is_told_makes_another_system(
    study: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    """By command line and, stopped and resumed, by the worker, which reads it out of the store."""
    with Server(reply=lambda prompt: f"About: {prompt}") as server:
        add_server(study, "test", server.url, server.url)
        at = ["--store", str(study.path)]
        command = [*at, "generate", "--dataset", DATASET, "--system", "brief", "--samples", "1", "--model",
                   "openai:fake", "--instruction", "Write.", "--base-url", server.url]  # fmt: skip
        told = ["--system-prompt", "Be brief.", "--stop", "\n\n", "--stop", "END",
                "--extra-body", '{"reasoning_effort": "low", "top_p": 0.9}']  # fmt: skip
        assert main([*command, *told, "--limit", "1"]) == 0
        [run] = study.runs.list_all(kind="run")["run"]
        resume(study, int(run))
        assert main([*at, "worker", "--once"]) == 0
        written = [one for one in server.seen if "Write." in one["messages"][-1]["content"]]
        assert len(written) == 3
        for request in written:
            assert request["messages"][0] == {"role": "system", "content": "Be brief."}
            assert request["stop"] == ["\n\n", "END"]
            assert (request["reasoning_effort"], request["top_p"]) == ("low", 0.9)
        # The same in another order of its keys is the same system; without it, another one.
        told[-1] = '{"top_p": 0.9, "reasoning_effort": "low"}'
        assert main([*command, *told]) == 0
        assert main(command) == 2
        assert re.search("system '.+' .*other settings.*another", capsys.readouterr().err)


def test_what_a_writer_is_told_is_its_endpoints() -> None:
    with Server() as server:
        writer = make_writer(
            "openai:m", decoding(server).options({"concurrency": 3, "price_in": 2.0})
        )
        assert writer.endpoint.concurrency == 3  # type: ignore[attr-defined]
        with pytest.raises(TandemError, match=r"^extra body '\[1\]' .*JSON object"):
            make_writer("openai:fake", decoding(server, extra_body="[1]").options())
        assert not server.seen


def test_what_is_not_written_is_a_failure(study: Store) -> None:
    with Server(reply=lambda prompt: {"0": "refusal", "1": ""}.get(prompt[-2], "fine")) as server:
        run = wrote(study, server, samples=1)
        assert execute(study, run).status is Status.DONE
    texts = study.texts.generations(DATASET).query("system == 'fake'").set_index("item")["text"]
    assert texts.drop("i0").to_dict().get("i2") == "fine"
    assert study.generated_texts.failures(DATASET, "fake", "", 1) == {"refused": 1, "empty": 1}


def test_a_server_whose_texts_are_all_alike_is_refused_unless_that_is_wanted(study: Store) -> None:
    with Server(draws_by="") as server:
        run = wrote(study, server, "warm", temperature=0.7)
        alike = rf"127\.0\.0\.1:{server.port} .*same reply.*sample.*temperature 0$"
        with pytest.raises(TandemError, match=alike):
            execute(study, run)
        cold = decoding(server, temperature=0.0)
        run = enqueue(study, GenerationRequest(DATASET, "cold", cold, samples=1))
        assert execute(study, run).done == 3
