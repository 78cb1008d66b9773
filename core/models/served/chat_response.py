"""Answers of the chat protocol, read: what a server wrote, or why that is no answer. A streamed one
is put together first.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from typing import Any

from ...failures import CUT_OFF, EMPTY, REFUSED, SERVER_ERROR, TOOL_CALL
from .completion import Completion, CompletionChoice
from .key_mask import Redactor
from .server_errors import (
    BROKEN,
    DETAIL_LENGTH,
    IN_ANSWER,
    RequestError,
    explanation,
    parse_error,
)
from .token_text import match_tokens
from .wordings import refuses_text

ENDS = ("stop", "eos", "eos_token", "end", "end_turn", "stop_sequence", "stop_token", "finished")
CUTS = ("length", "max_tokens", "max_length", "model_length", "model_context_window_exceeded")
REFUSALS = (
    "content_filter", "safety", "sensitive", "refusal", "recitation", "blocklist",
    "prohibited_content", "spii", "guardrail",
)  # fmt: skip
BREAKS = (
    "error", "abort", "aborted", "cancelled", "network_error", "server_error", "engine_error",
    "insufficient_system_resource",
)  # fmt: skip
TOOLS = ("tool_calls", "function_call", "tool_use")
"""How servers say why a text ended.

It is whole, it was cut off, it was refused, the server broke, or a tool is to be called. In a text
that ended for a further reason only a stated verdict counts, or a label and nothing else.
"""

MOST_TOKENS = 10**9  # of one request
THOUGHTS = ("thinking", "reasoning", "redacted_thinking", "reasoning_content")
"""Types of parts of a content that are no part of the text."""
ONLY_THOUGHTS = "it wrote nothing beside its thoughts"
ENDED_RUNS = ("402", "429")  # codes of an error in an answer that mean what that HTTP status does


def read_response(document: Any, redactor: Redactor) -> Completion:
    """Return the texts of an answer.

    Raises ServerError for an error inside it, and ValueError, TypeError, AttributeError or
    LookupError for what is no answer of the protocol.
    """
    if not isinstance(document, Mapping):
        raise TypeError("an answer is an object")
    of_minimax, broken = document.get("base_resp"), document.get("error")
    if not broken and isinstance(of_minimax, Mapping) and of_minimax.get("status_code"):
        broken = of_minimax
    if choices := document.get("choices"):
        read = tuple(_read_choice(choice, redactor) for choice in choices)
        if broken:
            why = redactor.redact_line(explanation(broken) or broken)[:DETAIL_LENGTH]
            read = tuple(CompletionChoice(one.text, SERVER_ERROR, detail=why) for one in read)
    elif blocked := _block_reason(document):
        read = (CompletionChoice("", REFUSED, detail=blocked),)
    elif broken:
        code = str(broken.get("code") if isinstance(broken, Mapping) else None)
        status = int(code) if code in ENDED_RUNS else IN_ANSWER
        raise parse_error(status, {"error": broken})
    else:
        raise ValueError("no choices: None")
    return Completion(read, *count_tokens(document.get("usage")))


def _block_reason(document: Mapping[str, Any]) -> str:
    """Return why Gemini has blocked a prompt: promptFeedback.blockReason instead of choices."""
    feedback = document.get("promptFeedback") or document.get("prompt_feedback")
    if not isinstance(feedback, Mapping):
        return ""
    reason = feedback.get("blockReason") or feedback.get("block_reason") or ""
    return f"blocked: {reason}"[:DETAIL_LENGTH] if reason else ""


def _read_choice(choice: Mapping[str, Any], redactor: Redactor) -> CompletionChoice:
    reason, ended = _read_ending(choice)
    message = choice.get("message") or {} if ended.startswith(REFUSALS) else choice["message"]
    refusal, told = message.get("refusal"), message.get("content")
    plain = "".join(_text_parts(told))
    text = redactor.redact(plain)
    broken = choice.get("error")
    for part in told if isinstance(told, list) else ():
        of_part = part.get("refusal") if isinstance(part, Mapping) else None
        refusal = refusal or (of_part if isinstance(of_part, str) else None)
    if refusal or ended.startswith(REFUSALS) or (broken and refuses_text(explanation(broken))):
        return CompletionChoice(
            text, REFUSED, detail=redactor.redact_line(refusal or broken or reason)
        )
    if broken or ended in BREAKS:
        why = explanation(broken) or f"finish_reason {reason}"
        return CompletionChoice(
            text, SERVER_ERROR, detail=redactor.redact_line(why)[:DETAIL_LENGTH]
        )
    if not text.strip() and (tools := _called_tools(message, ended)):
        return CompletionChoice(text, TOOL_CALL, detail=redactor.redact_line(tools))
    is_cut = bool(ended) and ended not in ENDS
    likely = choice.get("logprobs")
    tokens = (likely.get("content") if isinstance(likely, Mapping) else None) or ()
    positions, unmatched = match_tokens(plain, tokens)
    if not text.strip():
        failure = CUT_OFF if is_cut and ended in CUTS else EMPTY
        # A blank reply keeps the tokens that could have continued it; that it ended as it should
        # says nothing more.
        thought = any(message.get(name) for name in ("reasoning_content", "reasoning"))
        detail = redactor.redact_line(reason) if is_cut else ONLY_THOUGHTS if thought else ""
        return CompletionChoice(text, failure, positions, detail, is_cut)
    ending = redactor.redact_line(f"finish_reason {reason}") if is_cut and ended not in CUTS else ""
    detail = redactor.redact_line("; ".join(filter(None, (ending, unmatched))))
    positions = positions if text == plain else ()
    return CompletionChoice(text, "", positions, detail, is_cut, ending[:DETAIL_LENGTH])


def _read_ending(choice: Mapping[str, Any]) -> tuple[Any, str]:
    """Return the reason why a text ended, and the same in small letters: that of the provider
    behind a router where it is that nothing whole was written.
    """
    reasons = [choice.get(name) for name in ("native_finish_reason", "finish_reason")]
    endings = [(reason, _ENUM.sub("", str(reason or "").casefold()).replace("-", "_"))
               for reason in reasons]  # fmt: skip
    native = endings[0][1]
    return endings[0 if native in BREAKS or native.startswith(REFUSALS) else 1]


_ENUM = re.compile(r"\Afinish_?reason[._]")  # "FinishReason.STOP", as SDKs write their enums


def _text_parts(content: Any) -> Iterator[str]:
    """Yield the texts of a content: itself, or its parts of type text, but not thoughts."""
    if isinstance(content, str):
        yield content
    elif isinstance(content, (Sequence, Mapping)):
        for part in [content] if isinstance(content, Mapping) else content:
            if isinstance(part, str):
                yield part
            elif isinstance(part, Mapping) and part.get("type", "text") not in THOUGHTS:
                text = part.get("text")
                if isinstance(text, str):
                    yield text


def _called_tools(message: Mapping[str, Any], ended: str) -> str:
    """Name the tools that a model calls instead of writing, in words; '' = none."""
    calls = message.get("tool_calls") or ()
    if message.get("function_call"):
        calls = [*calls, {"function": message["function_call"]}]
    names = [
        str(call["function"].get("name", ""))
        for call in calls
        if isinstance(call, Mapping) and isinstance(call.get("function"), Mapping)
    ]
    if calls or ended in TOOLS:
        return f"it calls {', '.join(filter(None, names)) or 'a tool'}"[:DETAIL_LENGTH]
    return ""


def count_tokens(usage: Any) -> tuple[int, int]:
    """Count the tokens that were read and written, as a server's `usage` reports them.

    What `total_tokens` has beside the prompt was written, and so were tokens of reasoning that
    `completion_tokens` does not contain (xAI, Gemini). What came from a cache was read, too, also
    where `prompt_tokens` does not contain it (Anthropic).
    """
    known = {
        name: number
        for each in (usage, *(usage.values() if isinstance(usage, Mapping) else ()))
        for name, number in (each.items() if isinstance(each, Mapping) else ())
    }
    read, written, total, thought, cached, from_cache, to_cache = (
        max(_count_of(known.get(name)) for name in names) for names in _COUNTS
    )
    outside = 0 if "prompt_tokens" in known else from_cache + to_cache
    read += outside or (cached if cached > read else 0)
    written += thought if thought > written else 0
    return (read, max(written, total - read)) if read else (max(0, total - written), written)


_COUNTS = (
    ("prompt_tokens", "input_tokens"), ("completion_tokens", "output_tokens"), ("total_tokens",),
    ("reasoning_tokens",), ("cached_tokens",), ("cache_read_input_tokens",),
    ("cache_creation_input_tokens",),
)  # fmt: skip
"""Names of the tokens that were read, written, both, thought, and in a cache; in a usage or in the
details that it holds.
"""


def _count_of(tokens: Any) -> int:
    """Return a number of tokens, 0 if it is missing or impossible."""
    try:
        number = 0 if isinstance(tokens, bool) else int(float(tokens))
    except (TypeError, ValueError, OverflowError):
        return 0
    return number if 0 <= number < MOST_TOKENS else 0


JOINED = ("content", "refusal", "reasoning_content", "reasoning")


async def join_chunks(chunks: AsyncIterator[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the answer that chunks make up.

    A chunk that is empty says that the server has sent all it has. Raises RequestError where it
    breaks off midway.
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
            new: dict[str, Any] = {
                "message": {},
                "finish_reason": None,
                "error": None,
                "logprobs": {"content": []},
            }
            _add_part(choices.setdefault(part.get("index", 0), new), part)
    ended = [choice for choice in choices.values() if choice["finish_reason"] or choice["error"]]
    if len(ended) < len(choices) and not is_whole and "error" not in document:
        raise RequestError(BROKEN, "the stream ended before the text did")
    return document | {"choices": [choices[index] for index in sorted(choices)]}


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
