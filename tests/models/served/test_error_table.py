"""What errors of servers mean: bodies of every form, as they were reported."""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncIterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from email.utils import formatdate
from typing import Any

import pytest

from core.failures import FAILURES
from core.models import KEY
from core.models.respondent import Options
from core.models.served import Endpoint, rate_limits, wait_for
from core.models.served.chat_response import count_tokens, join_chunks
from core.models.served.server_errors import (
    BUSY_TRIES,
    LONGEST_WAIT,
    TRIES,
    ServerName,
    failure_of,
    fewer_tokens,
    parse_error,
    retry_after,
)
from core.models.served.token_text import AS_IDS, NAMELESS, UNLIKE, match_tokens
from core.models.served.wordings import overflow_share
from core.records import TandemError
from tests.clock import jumping
from tests.models.served.error_wordings import WORDINGS
from tests.server import Server

SERVER = ServerName("host:1", "m", "OPENAI_API_KEY", has_key=True)


def meaning(status, body):
    error = parse_error(status, body)
    return failure_of(SERVER, error, error.message)


FLAGGED = {
    # openrouter.ai/docs/errors
    "code": 403,
    "message": "model requires moderation on provider. Your input was flagged",
    "metadata": {
        "reasons": ["violence"],
        "flagged_input": "kill ...",
        "provider_name": "provider",
        "model_slug": "m",
    },
}


def test_of_one_question() -> None:
    for status, body, failure, tries in [
        (403, {"error": FLAGGED}, "refused", 1),
        # compl-ai/compl-ai#20
        (400, {"error": {"message": "The response was filtered due to the prompt triggering Azure "
                         "OpenAI's content management policy.", "code": "content_filter",
                         "innererror": {"code": "ResponsibleAIPolicyViolation"}}}, "refused", 1),
        # QwenLM/qwen-code#3145
        (400, {"error": {"message": "<400> InternalError.Algo.DataInspectionFailed: Input text"}},
         "refused", 1),
        # ggml-org/llama.cpp#15780, before and after it was HTTP 400
        (500, {"error": {"code": 500, "message": "the request exceeds the available context size",
                         "type": "exceed_context_size_error", "n_prompt_tokens": 9, "n_ctx": 5}},
         "too-long", 1),
        (422, {"error": "Input validation error: `inputs` must have less than 5 tokens. Given: 9",
               "error_type": "validation"}, "too-long", 1),
        # A router's words, with those of the provider behind it
        (400, {"error": {"code": 400, "message": "Provider returned error", "metadata": {
            "provider_name": "x", "raw": '{"error": {"message": "prompt is too long: 9 tokens > 5 '
                                         'maximum"}}'}}}, "too-long", 1),
        (404, {"error": {"code": 404, "message": "Provider returned error",
                         "metadata": {"provider_name": "x", "raw": "gone"}}}, "error: HTTP 404",
         TRIES),
        (429, {"error": {"message": "slow down"}}, "error: HTTP 429", BUSY_TRIES),
        (502, "<html><head><title>502 Bad Gateway</title></head><body>nginx", "error: HTTP 502",
         TRIES),
        (400, "Bad Request", "error: HTTP 400: Bad Request", 1),
        (400, "<h1>Bad</h1> request", "error: HTTP 400: Bad request", 1),
        (400, {"object": "error", "message": {"detail": [{"loc": ["body", "x"], "msg": "Extra"}]}},
         "error: HTTP 400: Extra", 1),
        (400, None, "error: HTTP 400: HTTP 400", 1),
    ]:  # fmt: skip
        trouble = meaning(status, body)
        assert (trouble.failure, trouble.tries) == (failure, tries)
        assert failure in FAILURES or failure.startswith("error: ")


def test_of_every_question() -> None:
    for status, body, says in [
        (403, {"error": {"message": "Country not supported"}}, r"refuses .*OPENAI_API_KEY \(HTTP 403"),
        (401, {"error": {"message": "Incorrect API key"}}, r"refuses .*OPENAI_API_KEY \(HTTP 401"),
        # MoonshotAI/Kimi-K2#5
        (403, {"error": {"message": "is not active", "type": "exceeded_current_quota_error"}},
         r"credit .*\(HTTP 403"),
        (404, {"error": {"message": "No endpoints found for m", "code": 404}}, r"no model 'm'.*\(HTTP 404"),
        (404, "<title>Not Found</title>", r"\baddress .*/v1 \(HTTP 404: Not Found\)"),
    ]:  # fmt: skip
        with pytest.raises(TandemError, match=says):
            meaning(status, body)


SENTENCES = {"no credit": r"has no credit left", "no quota": r"the quota .*used up",
             "key": r"refuses|wants a key"}  # fmt: skip


def test_as_public_issues_quote_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """Through the client: how often it asks, how long it waits, and what the answer says."""
    monkeypatch.setenv(KEY, "sk-test-0123456789")
    by_source = {wording.source: wording for wording in WORDINGS}
    assert len(by_source) == len(WORDINGS)

    def respond(request: dict[str, Any], turn: int) -> tuple[int, Any]:
        wording = by_source[request["messages"][0]["content"]]
        is_text = isinstance(wording.body, str)
        return wording.status, wording.body.encode() if is_text else wording.body

    with Server(responds=respond) as server:
        for source, wording in by_source.items():
            server.forget()
            monkeypatch.setattr(rate_limits, "_limits", {})  # nobody waits for an earlier one
            endpoint = Endpoint("fake", Options(base_url=server.url), backoff=0.0)
            endpoint._limits.clock = clock = jumping()
            asking = endpoint.complete([{"role": "user", "content": source}], max_tokens=16)
            if wording.means in SENTENCES or wording.seconds > LONGEST_WAIT:
                sentence = SENTENCES.get(wording.means, rf"wait {wording.seconds:,.0f} seconds")
                with pytest.raises(TandemError, match=sentence):
                    wait_for(asking)
                assert len(server.seen) == 1
                continue
            [choice] = wait_for(asking).choices
            tries = BUSY_TRIES if wording.means == "wait" else 1
            assert len(server.seen) == tries
            assert clock.now() == pytest.approx((tries - 1) * wording.seconds)
            failure = {"refused": "refused", "too long": "too-long"}.get(wording.means)
            assert choice.failure.startswith(failure or f"error: HTTP {wording.status}")
            share = None if wording.share is None else pytest.approx(wording.share)
            assert overflow_share(choice.detail) == share


def test_fewer_tokens_are_asked_for_where_they_fit_a_minute() -> None:
    """1,024 asked and 200 too many leave 824; 30 are too few for a reply that gives reasons."""
    error = parse_error(413, {"error": {"message": "(TPM): Limit 700, Requested 900"}})
    assert [fewer_tokens(error, asked) for asked in (1024, 264, 230, 200)] == [824, 64, None, None]
    assert fewer_tokens(None, 1024) is None


# ---- What a server tells of why a request came to nothing


NOW = 1_800_000_000.0


def test_retry_after() -> None:
    """RFC 9110, section 10.2.3: seconds or a date, and servers' fractions and milliseconds."""
    for headers, seconds in [
        ({"retry-after": "7"}, 7),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after": formatdate(NOW + 30, usegmt=True)}, 30),
        ({"retry-after": formatdate(NOW - 30, usegmt=True)}, 0),
        ({"retry-after": "soon"}, 0),
        ({"retry-after": "-3"}, 0),
        ({"retry-after": "nan"}, 0),
        ({"retry-after": "9" * 400}, 0),
        ({}, 0),
    ]:
        assert retry_after(headers, NOW) == seconds


# ---- Answers of the protocol that are none, or not as OpenAI writes them


def read(body):
    endpoint = Endpoint("m", Options(base_url="http://127.0.0.1:9/v1"))
    return endpoint.completion([], 200, body).choices[0]


def choice(content, ended="stop", **more):
    return {"choices": [{"message": {"content": content, **more}, "finish_reason": ended}]}


CALL = [{"id": "1", "type": "function", "function": {"name": "search", "arguments": "{}"}}]


def test_texts() -> None:
    for body, text in [
        # llm-mistral#38: Magistral's parts, thoughts among them
        (choice([{"type": "thinking", "thinking": [{"type": "text", "text": "B?"}]},
                 {"type": "text", "text": "Summary "}, {"type": "text", "text": "A"}]),
         "Summary A"),
        (choice([{"type": "reasoning", "text": "Summary B"}, "Summary A"]), "Summary A"),
        (choice([{"type": "output_text", "text": "Summary A"}]), "Summary A"),
        (choice({"type": "text", "text": "Summary A"}), "Summary A"),
        # vLLM's and DeepSeek's field of thoughts is no text
        (choice("Summary A", reasoning_content="Summary B"), "Summary A"),
        (choice("Summary A", tool_calls=None, refusal=None), "Summary A"),
        (choice("Summary A", tool_calls=CALL), "Summary A"),
    ]:  # fmt: skip
        found = read(body)
        assert (found.text, found.failure) == (text, "")


def test_failures() -> None:
    for body, failure, detail in [
        (choice(None), "empty", ""),
        (choice(None, "length", reasoning_content="Let me see"), "cut-off", "length"),
        (choice(None, "tool_calls", tool_calls=CALL), "tool-call", "it calls search"),
        (choice("", "stop", function_call={"name": "look_up"}), "tool-call", "it calls look_up"),
        (choice("", "tool_calls"), "tool-call", "it calls a tool"),
        (choice(None, refusal="I cannot help."), "refused", "I cannot help."),
        (choice([{"type": "refusal", "refusal": "No."}]), "refused", "No."),
        (choice("", "content_filter: SAFETY"), "refused", "content_filter: SAFETY"),
        (choice("Summary A", "content-filter"), "refused", "content-filter"),
        # docs.aws.amazon.com/bedrock: the text is that of the guardrail
        (choice("Sorry.", "guardrail_intervened"), "refused", "guardrail_intervened"),
        (choice("", "FINISH_REASON_MAX_TOKENS"), "cut-off", "FINISH_REASON_MAX_TOKENS"),
        # Gemini: nothing but why the prompt was blocked
        ({"choices": [], "promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}},
         "refused", "blocked: PROHIBITED_CONTENT"),
        # inspect_ai PR 1536: part of a text, and an error
        (choice("Summary A, but", "error"), "server-error", "finish_reason error"),
        ({"choices": [{"message": {"content": "Summary A"}, "finish_reason": None,
                       "error": {"code": 502, "message": "Upstream idle"}}]},
         "server-error", "Upstream idle"),
        (choice("Summary A") | {"error": {"message": "Overloaded"}}, "server-error", "Overloaded"),
        ({"error": {"message": "Provider returned error", "code": 502}},
         "server-error", "Provider returned error"),
        ({"error": {"message": "slow down", "code": 429}}, "error: HTTP 429", "HTTP 429: slow down"),
        ({"error": {"message": "Your prompt was flagged", "code": 403}}, "refused",
         "Your prompt was flagged"),
        ({"error": "out of memory"}, "server-error", "out of memory"),
        ({"choices": []}, "error: malformed answer", "no choices: None"),
        ({"choices": None, "id": "x"}, "error: malformed answer", "no choices: None"),
    ]:  # fmt: skip
        found = read(body)
        assert (found.failure, found.detail) == (failure, detail)
        assert failure in FAILURES or failure.startswith("error: ")


def test_tokens_are_counted_under_every_name() -> None:
    """Tokens read and written, by hand."""
    cached, details = {"cached_tokens": 5000}, {"reasoning_tokens": 60}
    for usage, tokens in [
        ({"prompt_tokens": 50, "completion_tokens": 2, "reasoning_tokens": 319}, (50, 321)),
        ({"prompt_tokens": 50, "completion_tokens": 2, "total_tokens": 369}, (50, 319)),
        # sub2api#5771, LiveBench PR 503; then reasoning within, as OpenAI counts
        ({"prompt_tokens": 50, "completion_tokens": 0, "completion_tokens_details": details}, (50, 60)),
        ({"prompt_tokens": 50, "total_tokens": 110}, (50, 60)),
        ({"prompt_tokens": 50, "completion_tokens": 60, "total_tokens": 110,
          "completion_tokens_details": {"reasoning_tokens": 40}}, (50, 60)),
        ({"prompt_tokens": 50, "total_tokens": 110, "completion_tokens_details": details}, (50, 60)),
        ({"prompt_tokens": "50", "completion_tokens": 319.0, "total_tokens": "369.0"}, (50, 319)),
        ({"prompt_tokens": 9000, "completion_tokens": 2, "total_tokens": 9002,
          "prompt_tokens_details": cached}, (9000, 2)),
        ({"prompt_tokens": 5, "completion_tokens": 2, "total_tokens": 5007,
          "prompt_tokens_details": cached}, (5005, 2)),
        # platform.claude.com/docs/en/build-with-claude/prompt-caching: what is cached is beside it
        ({"input_tokens": 50, "output_tokens": 319, "cache_read_input_tokens": 40,
          "cache_creation_input_tokens": 2}, (92, 319)),
        (None, (0, 0)),
    ]:  # fmt: skip
        assert count_tokens(usage) == tokens


def test_usage_in_a_stream_is_found_wherever_it_stands() -> None:
    """Moonshot writes it into a choice, Groq into a field of its own, others zeros after it."""
    usage = {"prompt_tokens": 50, "completion_tokens": 2}
    for last in (
        [{"choices": [{"delta": {}, "finish_reason": "stop", "usage": usage}]}],
        [{"choices": [{"delta": {}, "finish_reason": "stop"}], "x_groq": {"usage": usage}}],
        [{"choices": [], "usage": usage}, {"choices": [], "usage": dict.fromkeys(usage, 0)}],
    ):
        chunks = [{"choices": [{"delta": {"content": "A"}}]}, *last, {}]

        async def stream(chunks: Sequence[Mapping[str, Any]]) -> AsyncIterator[Mapping[str, Any]]:
            for chunk in chunks:
                yield chunk

        # In a thread, as journeys in a browser leave a loop in this one
        with ThreadPoolExecutor(1) as thread:
            whole = thread.submit(asyncio.run, join_chunks(stream(chunks))).result()
        assert whole["usage"] == usage


# ---- Tokens as servers write them, after the threads that report each notation


def token(name, top=None, told=None):
    """A token of the protocol, with its alternatives and what else is told of it."""
    others = {name: -0.1, **(top or {})}
    return {
        "token": name,
        "logprob": -0.1,
        **({"bytes": list(told)} if told is not None else {}),
        "top_logprobs": [{"token": other, "logprob": p} for other, p in others.items()],
    }


def texts(positions):
    return [position.token for position in positions]


NOTATIONS = {
    "OpenAI: as text": [token("Summary"), token(" A", {" B": -2.4})],
    "vllm#16838: the marks of a byte-level vocabulary": [token("Summary"), token("ĠA", {"ĠB": -2.4})],
    "SentencePiece's marks": [token("▁Summary"), token("▁A", {"▁B": -2.4})],
    "llama.cpp#11728: without spaces": [token("Summary"), token("A", {"B": -2.4})],
    "a mark of the end behind it": [token("Summary"), token(" A", {" B": -2.4}), token("<|eot_id|>")],
    "vllm#17637: an empty token at the end": [
        token("Summary"), token(" A", {" B": -2.4}),
        {"token": "", "logprob": -9999.0, "bytes": [], "top_logprobs": []},
    ],
    "sglang#25055: the thoughts before it": [
        token("<think>"), token("Summary"), token(" B"), token("?"), token("</think>"),
        token("\n\n"), token("Summary"), token(" A", {" B": -2.4}),
    ],
}  # fmt: skip


def test_tokens_make_up_the_text() -> None:
    for given in NOTATIONS.values():
        positions, why = match_tokens("Summary A", given)
        assert (texts(positions), why) == (["Summary", " A"], "")
        assert dict(positions[1].top) == {" A": -0.1, " B": -2.4}


def test_alternatives_without_the_space_of_their_token() -> None:
    """llama.cpp#11728: " os" was written, and "os" is told among the likeliest."""
    given = token(" os", told=b" os") | {
        "top_logprobs": [
            {"token": "os", "bytes": [111, 115], "logprob": -2.07},
            {"token": "math", "bytes": list(b"math"), "logprob": -2.2},
        ]
    }
    [_, second], _ = match_tokens("import os", [token("import"), given])
    assert dict(second.top) == {" os": -2.07, " math": -2.2}


def test_pieces_of_characters_and_of_white_space() -> None:
    for text, given, pieces in [
        # SentencePiece's byte tokens
        ("é!", [token("<0xC3>"), token("<0xA9>"), token("!")], ["", "é", "!"]),
        # A character in two tokens, told by their bytes (OpenAI)
        ("文", [token("\\xe6\\x96", told=b"\xe6\x96"), token("\\x87", told=b"\x87")], ["", "文"]),
        # GPT-2's signs for the bytes of 文
        ("文本", [token("æĸĩ"), token("æľ¬")], ["文", "本"]),
        ("A\nB", [token("A"), token("Ċ"), token("B")], ["A", "\n", "B"]),
        # The text was stripped, the tokens were not
        ("A", [token("\n\n"), token(" A"), token("\n")], ["A"]),
        ("A  b", [token("A"), token("b")], ["A", "  b"]),
        ("a a", [token("a"), token("a")], ["a", " a"]),
    ]:
        positions, why = match_tokens(text, given)
        assert (texts(positions), why) == (pieces, "")
        assert "".join(texts(positions)) == text


def test_what_cannot_be_matched_says_the_way_out() -> None:
    for given, why in [
        ([token("token_id:9370"), token("token_id:319")], AS_IDS),  # vLLM, tokens as ids
        ([token("Another"), token(" text")], UNLIKE),
        ([token("Summary"), token(" A") | {"top_logprobs": [{"token": "", "logprob": -0.1}]}],
         NAMELESS),  # ai-dynamo/dynamo#8911
        ([], ""),
        ([{"token": "Summary", "top_logprobs": []}, {"token": " A", "top_logprobs": []}], ""),
    ]:  # fmt: skip
        assert match_tokens("Summary A", given) == ((), why)

    for logprob in [math.nan, 5.0]:
        with pytest.raises(ValueError, match="a log-probability of"):
            match_tokens("A", [token("A", {"B": logprob})])
