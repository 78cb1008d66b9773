"""What servers do beside OpenAI's protocol, each after a public report, and how a run then ends."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from core.models.served.sampling_ways import OPEN_QUESTION
from tests.server import Server

FLAGGED = "badger"
"""A word of one text of the study, in 4 of its 12 comparisons."""
COMPARISONS, FLAGGED_COMPARISONS = 12, 4
CONTEXT_WORDS = 400

ROWS = [
    {"item": f"i{item}", "context": f"Article {item}. " + "word " * CONTEXT_WORDS, "system": system,
     "text": f"{FLAGGED if (item, system) == (1, 'z') else 'A summary'} by {system} of {item}.",
     "score:coherence": 1}
    for item in range(2)
    for system in "xyz"
]  # fmt: skip
"""2 items, 3 systems, one attribute: rows of a table to be imported."""

Responds = Callable[[dict[str, Any], int], tuple[int, Any] | None]


@dataclass(frozen=True)
class Scenario:
    """One habit of a server (`options` of a loopback `Server`), after a `source`, and how `judge`
    with `words` ends: its exit `status`, comparisons without an answer by reason (`failed`), the
    `mode` in the judge's name, what is cut of contexts (`is_cut`), and words that are `said`.
    """

    source: str
    options: Mapping[str, Any] = field(default_factory=dict)
    words: tuple[str, ...] = ()
    status: int = 0
    failed: Mapping[str, int] = field(default_factory=dict)
    mode: str = "classifier"
    is_cut: bool = False
    said: str = ""

    def server(self) -> Server:
        """The server, to be entered."""
        return Server(**self.options)


def _prompt(request: dict[str, Any]) -> str:
    return str(request["messages"][-1]["content"])


def _of_study(request: dict[str, Any]) -> bool:
    """Whether it asks for a comparison: the server is asked other things before."""
    prompt = _prompt(request)
    return not prompt.startswith("Which letter") and prompt != OPEN_QUESTION[0]["content"]


def _always(status: int, body: Any) -> Responds:
    return lambda request, turn: (status, body)


def _flagged(status: int, body: Any) -> Responds:
    """Of the comparisons with that one text."""
    return lambda request, turn: (status, body) if FLAGGED in _prompt(request) else None


def _at_first(status: int, body: Any) -> Responds:
    """To the first request of each comparison; the second is answered."""
    return lambda request, turn: (status, body) if _of_study(request) and turn == 0 else None


def _while(has: Callable[[dict[str, Any]], bool], status: int, body: Any) -> Responds:
    return lambda request, turn: (status, body) if has(request) else None


def _too_long(words: str, status: int = 400, **more: Any) -> Responds:
    """Where a prompt has more words than half the context; the words tell how many it has."""
    limit = 300

    def responds(request: dict[str, Any], turn: int) -> tuple[int, Any] | None:
        prompt, most = len(_prompt(request).split()), request.get("max_tokens", 0)
        if prompt + most <= limit + most:
            return None
        told = words.format(
            prompt=prompt, limit=limit, most=most, total=prompt + most, both=limit + most
        )
        numbers = {"n_prompt_tokens": prompt, "n_ctx": limit} if more.get("type") else {}
        return status, {"error": {"message": told, **numbers, **more}}

    return responds


def _answer(message: Any, ended: str = "stop", **more: Any) -> dict[str, Any]:
    message = message if isinstance(message, dict) else {"content": message}
    return {"choices": [{"index": 0, "message": message, "finish_reason": ended, **more}],
            "usage": {"prompt_tokens": 9, "completion_tokens": 2}}  # fmt: skip


def _parts(request: dict[str, Any], turn: int) -> tuple[int, Any]:
    thought = {"type": "thinking", "thinking": [{"type": "text", "text": "Summary B?"}]}
    return 200, _answer({"content": [thought, {"type": "text", "text": "Summary A"}]})


def _without_spaces(tokens: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [_renamed(token, str.strip) for token in tokens]


def _byte_level(tokens: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [_renamed(token, lambda name: name.replace(" ", "Ġ")) for token in tokens]


def _thoughts_first(tokens: list[dict[str, Any]]) -> list[dict[str, Any]]:
    def plain(name: str) -> dict[str, Any]:
        return {"token": name, "logprob": 0.0, "top_logprobs": [{"token": name, "logprob": 0.0}]}

    return [*map(plain, ("<think>", "Summary", " B", "</think>", "\n")), *tokens, plain("</s>")]


def _as_ids(tokens: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [_renamed(token, lambda name: f"token_id:{sum(map(ord, name))}") for token in tokens]


def _renamed(token: dict[str, Any], name: Callable[[str], str]) -> dict[str, Any]:
    others = [
        {**other, "token": name(other["token"]), "bytes": None} for other in token["top_logprobs"]
    ]
    return {**token, "token": name(token["token"]), "bytes": None, "top_logprobs": others}


_REFUSED = {"failed": {"refused": FLAGGED_COMPARISONS}}
_MODERATED = {"error": {
    "code": 403, "message": "m requires moderation on x. Your input was flagged for \"violence\".",
    "metadata": {"reasons": ["violence"], "flagged_input": FLAGGED, "provider_name": "x"},
}}  # fmt: skip
_FILTERED = {"error": {
    "message": "The response was filtered due to the prompt triggering Azure OpenAI's content "
    "management policy.", "code": "content_filter", "status": 400,
    "innererror": {"code": "ResponsibleAIPolicyViolation"},
}}  # fmt: skip
_NO_TEMPERATURE = {"error": {
    "message": "Unsupported value: 'temperature' does not support 0 with this model. Only the "
    "default (1) value is supported.", "param": "temperature", "code": "unsupported_value",
}}  # fmt: skip
_NO_PROBABILITIES = {
    "error": {"message": "You are not allowed to request logprobs from this model"}
}
_ROUTE = {"error": {"code": 404, "message": "Provider returned error",
                    "metadata": {"provider_name": "x", "raw": "no such deployment"}}}  # fmt: skip
_CALL = {"content": None, "tool_calls": [
    {"id": "1", "type": "function", "function": {"name": "search", "arguments": "{}"}}]}  # fmt: skip

SCENARIOS: Mapping[str, Scenario] = {
    "an error ends a text": Scenario(
        "inspect_ai PR 1536", {"responds": _at_first(200, _answer("Summary B, since", "error"))}
    ),
    "an error instead of an answer, with HTTP 200": Scenario(
        "openrouter.ai/docs/errors",
        {"responds": _at_first(200, {"error": {"code": 502, "message": "Provider is down"}})},
    ),
    "a moderation flags one text": Scenario(
        "openrouter.ai/docs/errors", {"responds": _flagged(403, _MODERATED)}, **_REFUSED
    ),
    "a content filter refuses one text": Scenario(
        "compl-ai/compl-ai#20", {"responds": _flagged(400, _FILTERED)}, **_REFUSED
    ),
    "an inspection refuses one text": Scenario(
        "camel-ai/owl#432",
        {"responds": _flagged(400, {"error": {"code": "data_inspection_failed",
                                              "message": "Input data may be inappropriate."}})},
        **_REFUSED,
    ),
    "a prompt is blocked without a choice": Scenario(
        "Gemini",
        {"responds": _flagged(200, {"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}})},
        **_REFUSED,
    ),
    "the key is refused": Scenario(
        "big-AGI#352", {"responds": _always(403, {"error": {"message": "Project has no access"}})},
        status=2, said="refuses the key",
    ),
    "one route is gone": Scenario("openrouter.ai/docs/errors", {"responds": _at_first(404, _ROUTE)}),
    "probabilities are not allowed": Scenario(
        "big-AGI#352",
        {"responds": _while(lambda request: "logprobs" in request, 403, _NO_PROBABILITIES),
         "reply": lambda prompt: "votes"},
        mode="sample", said="without probabilities, which it refuses",
    ),
    "content is a list of parts": Scenario(
        "llm-mistral#38", {"responds": _parts}, ("--mode", "generate"), mode="generate"
    ),
    "a tool is called": Scenario(
        "platform.openai.com/docs/api-reference/chat",
        {"responds": _flagged(200, _answer(_CALL, "tool_calls"))}, ("--mode", "generate"),
        failed={"tool-call": FLAGGED_COMPARISONS}, mode="generate",
    ),
    "a reply is cut at the token limit": Scenario(
        "vllm#13125",
        {"responds": _flagged(200, _answer("<think>Summary B is", "length"))},
        ("--mode", "generate"), failed={"cut-off": FLAGGED_COMPARISONS}, mode="generate",
    ),
    "temperature is refused": Scenario(
        "deepeval#3015",
        {"responds": _while(lambda request: "temperature" in request, 400, _NO_TEMPERATURE)},
        said="without temperature, which it refuses",
    ),
    "only streams": Scenario("FoundationAgents/OpenManus#216", {"streams": "only"}),
    "streams break midway": Scenario("modelscope/evalscope#998", {"streams": "breaks"}, ("--stream",)),
    "tokens without spaces": Scenario("llama.cpp#11728", {"tokens": _without_spaces}),
    "tokens in a vocabulary's marks": Scenario("vllm#16838", {"tokens": _byte_level}),
    "tokens of thoughts before the text": Scenario("sglang#25055", {"tokens": _thoughts_first}),
    "tokens as ids": Scenario(
        "docs.vllm.ai, --return-tokens-as-token-ids",
        {"tokens": _as_ids, "reply": lambda prompt: "votes"}, mode="sample",
        said="--return-tokens-as-token-ids",
    ),
} | {
    f"too long, in the words of {whose}": Scenario(source, {"responds": responds}, is_cut=True)
    for whose, source, responds in (
        ("vLLM", "vllm#20409", _too_long(
            "This model's maximum context length is {both} tokens. However, you requested {total} "
            "tokens ({prompt} in the messages, {most} in the completion).")),
        ("TGI", "text-generation-inference#628", _too_long(
            "Input validation error: `inputs` tokens + `max_new_tokens` must be <= {both}. Given: "
            "{prompt} `inputs` tokens and {most} `max_new_tokens`", 422)),
        ("Gemini", "gemini-cli#4231", _too_long(
            "The input token count ({prompt}) exceeds the maximum number of tokens allowed ({limit}).")),
        ("xAI", "cline#3120", _too_long(
            "This model's maximum prompt length is {limit} but the request contains {prompt} tokens.")),
        ("DashScope", "qwen-code#98", _too_long(
            "<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, {limit}]")),
        ("Moonshot", "kimi-cli#2011", _too_long(
            "Invalid request: Your request exceeded model token limit: {limit} (requested: {prompt})")),
        ("Anthropic", "bolt.new#1748", _too_long(
            "prompt is too long: {prompt} tokens > {limit} maximum")),
        ("Mistral", "docs.mistral.ai", _too_long(
            "Prompt contains {prompt} tokens, too large for model with {limit} maximum context length")),
        ("SGLang", "Qwen3#1321", _too_long(
            "The input ({prompt} tokens) is longer than the model's context length ({limit} tokens).")),
        ("LM Studio", "lmstudio-bug-tracker#546", _too_long(
            "Trying to keep the first {prompt} tokens when context the overflows. However, the "
            "model is loaded with context length of only {limit} tokens")),
        ("Ollama", "ollama.com", _too_long(
            "prompt too long; exceeded max context length by 120 tokens")),
        ("llama.cpp", "llama.cpp#15780", _too_long(
            "the request exceeds the available context size. try increasing the context size",
            type="exceed_context_size_error")),
    )
}  # fmt: skip
