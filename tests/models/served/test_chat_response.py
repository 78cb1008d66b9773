"""Answers of the protocol that are none, or not as OpenAI writes them."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from core.failures import FAILURES
from core.models.respondent import Options
from core.models.served import Endpoint
from core.models.served.chat_response import join_chunks
from core.models.served.completion import count_tokens


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
        ({"prompt_tokens": 50, "total_tokens": 110, "completion_tokens_details": details}, (50, 60)),
        ({"prompt_tokens": "50", "completion_tokens": 319.0}, (50, 319)),
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
