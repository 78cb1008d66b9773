"""A streamed answer put together: its chunks become the document that comes where nothing is
streamed.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from functools import cache
from typing import Any

JOINED = ("content", "refusal", "reasoning_content", "reasoning")


class BrokenStreamError(Exception):
    """A stream ended before any text in it did."""


@cache
def chunk_stream_class() -> Any:
    """Return OpenAI's stream of chunks with `is_done`: whether "[DONE]" has come."""
    import openai
    from openai.types.chat import ChatCompletionChunk

    class ChunkStream(openai.AsyncStream[ChatCompletionChunk]):
        is_done = False

        async def _iter_events(self) -> AsyncIterator[Any]:
            async for event in super()._iter_events():
                self.is_done = self.is_done or event.data.startswith("[DONE]")
                yield event

    return ChunkStream


async def join_chunks(chunks: AsyncIterator[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the answer that chunks make up.

    A chunk that is empty says that the server has sent all it has. Raises BrokenStreamError where
    it breaks off midway.
    """
    choices: dict[int, dict[str, Any]] = {}
    document: dict[str, Any] = {"usage": None}
    is_whole = False
    async for chunk in chunks:
        is_whole = is_whole or not chunk
        parts = chunk.get("choices") or ()
        for name in ("error", "promptFeedback"):
            if chunk.get(name):
                document[name] = chunk[name]
        # Beside the choices, in one of them (Moonshot), or in a field of its own (Groq)
        for place in (chunk, chunk.get("x_groq"), *parts):
            usage = place.get("usage") if isinstance(place, Mapping) else None
            if isinstance(usage, Mapping) and any(usage.values()):
                document["usage"] = usage
        for part in parts:
            _add_part(choices.setdefault(part.get("index", 0), _new_choice()), part)
    ended = [choice for choice in choices.values() if choice["finish_reason"] or choice["error"]]
    if len(ended) < len(choices) and not is_whole and "error" not in document:
        raise BrokenStreamError("the stream ended before the text did")
    return document | {"choices": [choices[index] for index in sorted(choices)]}


def _new_choice() -> dict[str, Any]:
    return {"message": {}, "finish_reason": None, "error": None, "logprobs": {"content": []}}


def _add_part(choice: dict[str, Any], part: Mapping[str, Any]) -> None:
    delta, message = part.get("delta") or part.get("message") or {}, choice["message"]
    for name in JOINED:
        told = delta.get(name)
        if isinstance(told, str) and isinstance(message.get(name, ""), str):
            message[name] = message.get(name, "") + told
        elif isinstance(told, list):
            before = message.get(name) or []
            message[name] = [*([before] if isinstance(before, str) else before), *told]
        elif isinstance(told, str):
            message[name] = [*message[name], told]
    if delta.get("tool_calls"):
        message["tool_calls"] = [*message.get("tool_calls", ()), *delta["tool_calls"]]
    tokens = part.get("logprobs")
    if isinstance(tokens, Mapping):
        choice["logprobs"]["content"] += tokens.get("content") or ()
    for name in ("finish_reason", "native_finish_reason", "error"):
        choice[name] = part.get(name) or choice.get(name)
