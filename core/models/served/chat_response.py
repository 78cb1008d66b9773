"""Answers of the chat protocol, read: what a server wrote, or why that is no answer. A streamed one
is put together first.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from typing import Any

from ...failures import CUT_OFF, EMPTY, REFUSED, SERVER_ERROR, TOOL_CALL
from .completion import Completion, CompletionChoice, count_tokens
from .key_mask import Redactor
from .server_errors import DETAIL_LENGTH, IN_ANSWER, ServerError, explanation, parse_error
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

THOUGHTS = ("thinking", "reasoning", "redacted_thinking", "reasoning_content")
"""Types of parts of a content that are no part of the text."""
ONLY_THOUGHTS = "it wrote nothing beside its thoughts"
ENDED_RUNS = (402, 429)  # codes of an error in an answer that mean what the same HTTP status does


class AnswerError(Exception):
    """An answer holds an error instead of texts."""

    def __init__(self, error: ServerError) -> None:
        super().__init__(error.message)
        self.error = error


def read_response(document: Any, redactor: Redactor) -> Completion:
    """Return the texts of an answer.

    Raises AnswerError for an error inside it, and ValueError, TypeError, AttributeError or
    LookupError for what is no answer of the protocol.
    """
    if not isinstance(document, Mapping):
        raise TypeError("an answer is an object")
    choices, broken = document.get("choices"), document.get("error") or _minimax_error(document)
    if not choices:
        if blocked := _block_reason(document):
            return _with_usage(document, (CompletionChoice("", REFUSED, detail=blocked),))
        if broken:
            raise AnswerError(error_inside(broken))
        raise ValueError(f"no choices: {broken}")
    read = tuple(_read_choice(choice, redactor) for choice in choices)
    if broken:
        why = redactor.redact_line(explanation(broken) or broken)[:DETAIL_LENGTH]
        read = tuple(CompletionChoice(one.text, SERVER_ERROR, detail=why) for one in read)
    return _with_usage(document, read)


def error_inside(broken: Any) -> ServerError:
    """Return an error that came with HTTP 200: its code may say what the status would have."""
    code = broken.get("code") if isinstance(broken, Mapping) else None
    known = isinstance(code, (int, str)) and str(code) in map(str, ENDED_RUNS)
    return parse_error(int(code) if known and code is not None else IN_ANSWER, {"error": broken})


def _minimax_error(document: Mapping[str, Any]) -> Any:
    """Return an error in MiniMax's form: `base_resp` with another status than 0."""
    told = document.get("base_resp")
    return told if isinstance(told, Mapping) and told.get("status_code") else None


def _block_reason(document: Mapping[str, Any]) -> str:
    """Return why Gemini has blocked a prompt: promptFeedback.blockReason instead of choices."""
    feedback = document.get("promptFeedback") or document.get("prompt_feedback")
    if not isinstance(feedback, Mapping):
        return ""
    reason = feedback.get("blockReason") or feedback.get("block_reason") or ""
    return f"blocked: {reason}"[:DETAIL_LENGTH] if reason else ""


def _with_usage(document: Mapping[str, Any], choices: tuple[CompletionChoice, ...]) -> Completion:
    return Completion(choices, *count_tokens(document.get("usage")))


def _read_choice(choice: Mapping[str, Any], redactor: Redactor) -> CompletionChoice:
    reason, ended = _read_ending(choice)
    message = choice.get("message") or {} if ended.startswith(REFUSALS) else choice["message"]
    refusal, told = message.get("refusal"), message.get("content")
    plain = "".join(text_parts(told))
    text = redactor.redact(plain)
    broken = choice.get("error")
    refusal = refusal or _refusal_part(told)
    if refusal or ended.startswith(REFUSALS) or (broken and refuses_text(explanation(broken))):
        return CompletionChoice(
            text, REFUSED, detail=redactor.redact_line(refusal or broken or reason)
        )
    if broken or ended in BREAKS:
        why = explanation(broken) or f"finish_reason {reason}"
        return CompletionChoice(
            text, SERVER_ERROR, detail=redactor.redact_line(why)[:DETAIL_LENGTH]
        )
    if not text.strip() and _called_tools(message, ended):
        return CompletionChoice(
            text, TOOL_CALL, detail=redactor.redact_line(_called_tools(message, ended))
        )
    is_cut = bool(ended) and ended not in ENDS
    if not text.strip():
        failure = CUT_OFF if is_cut and ended in CUTS else EMPTY
        # A reply that is blank so far keeps the tokens that could have continued it.
        positions, _ = match_tokens(plain, _given_tokens(choice))
        # That a blank reply ended as it should says nothing more.
        thought = any(message.get(name) for name in ("reasoning_content", "reasoning"))
        detail = redactor.redact_line(reason) if is_cut else ONLY_THOUGHTS if thought else ""
        return CompletionChoice(text, failure, positions, detail, is_cut)
    positions, unmatched = match_tokens(plain, _given_tokens(choice))
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


def text_parts(content: Any) -> Iterator[str]:
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


def _refusal_part(content: Any) -> str:
    parts = content if isinstance(content, list) else ()
    told = (part.get("refusal") for part in parts if isinstance(part, Mapping))
    return next((one for one in told if isinstance(one, str) and one), "")


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


def _given_tokens(choice: Mapping[str, Any]) -> Sequence[dict[str, Any]]:
    told = choice.get("logprobs")
    return (told.get("content") if isinstance(told, Mapping) else None) or ()


JOINED = ("content", "refusal", "reasoning_content", "reasoning")


class BrokenStreamError(Exception):
    """A stream ended before any text in it did."""


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
            new: dict[str, Any] = {
                "message": {},
                "finish_reason": None,
                "error": None,
                "logprobs": {"content": []},
            }
            _add_part(choices.setdefault(part.get("index", 0), new), part)
    ended = [choice for choice in choices.values() if choice["finish_reason"] or choice["error"]]
    if len(ended) < len(choices) and not is_whole and "error" not in document:
        raise BrokenStreamError("the stream ended before the text did")
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
