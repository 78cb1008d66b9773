"""Requests of the chat protocol: what is asked for, as one server takes it, and how it is asked
instead once it has refused something.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from .providers import Provider
from .server_errors import IN_ANSWER, ServerError

Message = Mapping[str, str]


def build_messages(system: str, prompt: str) -> list[Message]:
    """Build the messages for a chat server: the system prompt, if there is one, and the prompt."""
    before: list[Message] = [{"role": "system", "content": system}] if system.strip() else []
    return [*before, {"role": "user", "content": prompt}]


@dataclass(frozen=True)
class AnswerShape:
    """Required shape of an answer: JSON of a `schema`, or one of the `choices`. A server is asked
    to keep the first of these that it can.
    """

    schema: Mapping[str, Any] | None = None
    choices: tuple[str, ...] = ()

    @property
    def parts(self) -> Mapping[str, Any]:
        """The shape by what can keep it."""
        return {"json_schema": self.schema, "choice": self.choices}


class ShapeOption(NamedTuple):
    """One way to ask for a shape: what the answer is `kept_by`, and the options of the body that
    `build` makes of that part of the shape.
    """

    kept_by: str
    build: Callable[[Any], Mapping[str, Any]]


def _regex(choices: Sequence[str]) -> str:
    return "|".join(map(re.escape, choices))


def _gbnf(choices: Sequence[str]) -> str:
    signs = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n"})
    return "root ::= " + " | ".join(f'"{text.translate(signs)}"' for text in choices)


SHAPE_OPTIONS: Mapping[str, ShapeOption] = {
    "json_schema": ShapeOption(
        "json_schema",
        lambda schema: {
            "response_format": {
                "type": "json_schema",
                "json_schema": {"name": "answer", "strict": True, "schema": dict(schema)},
            }
        },
    ),
    "tgi-schema": ShapeOption(
        "json_schema",
        lambda schema: {"response_format": {"type": "json_object", "value": dict(schema)}},
    ),
    "vllm-choice": ShapeOption(
        "choice", lambda choices: {"structured_outputs": {"choice": list(choices)}}
    ),
    "sglang-choice": ShapeOption("choice", lambda choices: {"regex": _regex(choices)}),
    "tgi-choice": ShapeOption(
        "choice", lambda choices: {"response_format": {"type": "regex", "value": _regex(choices)}}
    ),
    "llamacpp-choice": ShapeOption("choice", lambda choices: {"grammar": _gbnf(choices)}),
}
"""Ways to ask for a shape, by the name with which a provider's row says that it takes them."""


@dataclass(frozen=True)
class ModelRequest:
    """Request to a model: `n` texts of at most `max_tokens` each, with the probabilities of
    `top_logprobs` tokens at each position. None leaves `temperature` and `seed` to the server.
    `sampling` are options that make it draw (`WAYS`), `extra_body` those that somebody
    gave. The latter win, and None takes an option away.
    """

    messages: Sequence[Message]
    max_tokens: int
    temperature: float | None = None
    n: int = 1
    top_logprobs: int = 0
    seed: int | None = None
    stop: Sequence[str] = ()
    shape: AnswerShape | None = None
    sampling: Mapping[str, Any] = field(default_factory=dict)
    extra_body: Mapping[str, Any] = field(default_factory=dict)


class ChatBody(NamedTuple):
    """A request as it is sent, what keeps the shape of its answer, and by which way."""

    sent: dict[str, Any]
    kept_by: str = ""
    shape: str = ""


class ServerHabits:
    """Habits of a server: those of its provider, and what was learned from what it has refused.

    They are its option for the most tokens, their limit, the options left out, and whether it
    streams. `shapes` are the ways to keep a shape that are left.
    """

    def __init__(self, provider: Provider, *, stream: bool = False) -> None:
        self.provider, self.stream = provider, stream
        self.length_option, self.several = provider.length_option, provider.several
        self.shapes = provider.shapes
        self.most_tokens: int | None = None
        self.left_out: set[str] = set()
        self.notes: list[str] = []

    def body(self, model: str, request: ModelRequest) -> ChatBody:
        """Return the body of a request, with its model, as the server takes it."""
        likeliest = min(request.top_logprobs, self.provider.top_logprobs)
        options = {
            "temperature": request.temperature,
            self.length_option: min(filter(None, (request.max_tokens, self.most_tokens))),
            "logprobs": True if likeliest else None,
            "top_logprobs": likeliest or None,
            self.provider.seed_option or "seed": (
                request.seed if self.provider.seed_option else None
            ),
            "stop": list(request.stop) or None,
            "n": request.n if request.n > 1 and self.several else None,
            **request.sampling,
            "stream": True if self.stream else None,
            "stream_options": {"include_usage": True} if self.stream else None,
        }
        name = kept_by = ""
        if request.shape:
            for way in self.shapes:
                if part := request.shape.parts[SHAPE_OPTIONS[way].kept_by]:
                    keeping = SHAPE_OPTIONS[way].build(part)
                    if not request.extra_body.keys() & keeping.keys():  # else it is another shape
                        name, kept_by = way, SHAPE_OPTIONS[way].kept_by
                    options |= keeping
                    break
        sent = {
            option: value
            for option, value in options.items()
            if value is not None and option not in self.left_out
        }
        body = {"model": model, "messages": list(request.messages), **sent, **request.extra_body}
        whole = {option: value for option, value in body.items() if value is not None}
        return ChatBody(whole, kept_by, name)

    def adapt_to(self, body: ChatBody, own: Mapping[str, Any], error: ServerError) -> None:
        """Ask the server in another way from now on, if its refusal of a request says how.

        `own` are the options that somebody gave, which are never changed.
        """
        any(row.adapt_to(self, body, own, error) for row in OPTION_REFUSALS)


Adaptation = Callable[[ServerHabits, ChatBody, ServerError], str | None]
STATUSES = (400, 403, 404, 422, 500, 501)  # of what may be about an option; 500: SGLang, TGI


class OptionRefusal(NamedTuple):
    """Refusal of one of the `options`. It applies if these are sent, the HTTP status is one of
    `statuses`, and the server's words have the pattern (`says`). `adapt` changes how the server
    is asked from now on. It returns a note of the change, or None if it cannot help.
    """

    options: tuple[str, ...]
    says: str
    adapt: Adaptation
    statuses: tuple[int, ...] = STATUSES

    def adapt_to(
        self, habits: ServerHabits, body: ChatBody, own: Mapping[str, Any], error: ServerError
    ) -> bool:
        """Return whether the refusal is this one, and the server is asked in another way from now
        on.
        """
        there = [name for name in self.options if name in body.sent and name not in own]
        if error.status not in self.statuses or (self.options and not there):
            return False
        note = self.adapt(habits, body, error) if error.says(self.says) else None
        habits.notes += [note] if note else []
        return note is not None


SAME = "gives the same reply each time"
HOW_TO_SAMPLE = 'with transformers serve by "do_sample": true in generation_config.json'
"""What a server does that does not draw its replies."""

OPEN_QUESTION = [{"role": "user", "content": "Write twelve random words, separated by spaces."}]
PROBES = 5  # replies to that, by which one tells whether a server draws them
PROBE_TOKENS = 24
PROBE_TEMPERATURES = (1.0, 2.0)  # the second for a model that is very sure of itself


@dataclass(frozen=True)
class SamplingWay:
    """Way to make a server draw its replies, beside the temperature. It is more `options` of the
    body, or a seed for each request if the server has a fixed one of its own.
    """

    options: Mapping[str, Any] = field(default_factory=dict)
    seeds: bool = False


WAYS = (
    SamplingWay(),
    # Started with a seed, such as llama-server --seed and Ollama's Modelfile
    SamplingWay(seeds=True),
    SamplingWay({"do_sample": True}),  # LMDeploy, Zhipu
    SamplingWay({"generation_config": json.dumps({"do_sample": True})}),  # transformers serve
)
NO_WAY = -1
"""Number of the way of a server that draws in none of WAYS."""


LENGTHS = ("max_tokens", "max_completion_tokens")
PLAIN = ("temperature", "top_p", "seed", "random_seed", "stop", "stream_options", "do_sample",
         "generation_config")  # fmt: skip
SHAPES = ("response_format", "structured_outputs", "grammar", "regex")


def _stream(habits: ServerHabits, body: ChatBody, error: ServerError) -> str | None:
    if habits.stream or "stream" in habits.left_out:
        return None
    habits.stream = True
    return ""


def _do_not_stream(habits: ServerHabits, body: ChatBody, error: ServerError) -> str:
    habits.stream = False
    habits.left_out |= {"stream", "stream_options"}
    return "it is asked without streaming, which it refuses"


def _switch_length_option(habits: ServerHabits, body: ChatBody, error: ServerError) -> str | None:
    """Take the other name for the most tokens; where that was refused, too, neither."""
    now = next(name for name in LENGTHS if name in body.sent)
    other = LENGTHS[1 - LENGTHS.index(now)]
    if not _names(now, error) or now != habits.length_option:
        return None
    habits.left_out.add(now)
    habits.length_option = other
    return _render_note("most tokens") if other in habits.left_out else ""


def _fewer_tokens(habits: ServerHabits, body: ChatBody, error: ServerError) -> str | None:
    numbers = [int(number) for number in re.findall(r"\b\d{1,9}\b", error.message)]
    now = next(body.sent[name] for name in LENGTHS if name in body.sent)
    fewer = max((number for number in numbers if 0 < number < now), default=0)
    if not fewer:
        return None
    habits.most_tokens = fewer
    return f"it is asked for {fewer} tokens at most, as it allows no more"


def _leave_out(habits: ServerHabits, body: ChatBody, error: ServerError) -> str | None:
    named = [name for name in PLAIN if name in body.sent and _names(name, error)]
    habits.left_out |= {*named}
    return _render_note(" and ".join(named)) if named else None


def _leave_out_probabilities(habits: ServerHabits, body: ChatBody, error: ServerError) -> str:
    habits.left_out |= {"logprobs", "top_logprobs"}
    return _render_note("probabilities")


def _next_shape(habits: ServerHabits, body: ChatBody, error: ServerError) -> str | None:
    if not body.shape:
        return None
    habits.shapes = tuple(name for name in habits.shapes if name != body.shape)
    return "" if habits.shapes else _render_note("the shape of an answer")


def _leave_out_shape(habits: ServerHabits, body: ChatBody, error: ServerError) -> str:
    habits.shapes = ()
    return "it is asked without the shape of an answer, as it kept to that in its thoughts alone"


def _ask_one_text(habits: ServerHabits, body: ChatBody, error: ServerError) -> str:
    habits.several = False
    return ""


def _render_note(what: str) -> str:
    return f"it is asked without {what}, which it refuses"


def _names(option: str, error: ServerError) -> bool:
    """Return whether an error names an option; "stop" is a word, too, and needs quotes."""
    if option in error.options:
        return True
    if option == "stop":
        return bool(re.search(r"""['"`]stop['"`]|\bstop[ _]sequences?\b""", error.message))
    return bool(re.search(rf"(?<!\w){option}(?!\w)", error.message, re.IGNORECASE))


SHAPED_THOUGHTS = "shaped_thoughts"
"""Kind of an answer in a shape that the server wrote as thoughts, with no text beside them."""

_UNKNOWN = (
    r"not (?:allowed|supported|enabled|available|permitted|compatible)|un(?:supported|recognized"
    r"|known|expected)|(?:does ?n.t|does not|cannot|can.t|no endpoints found that) support"
    r"|extra (?:inputs|fields)|deprecated|forbidden|not yet|remove"
)
_STREAMS_ONLY = (
    r"only supports? stream|non-streaming call|stream(?:ing)? (?:mode )?is required"
    r"|'?stream'? must be (?:set to )?true"
)
_TOO_MANY = (
    r"max(?:_completion)?_tokens.{0,80}"
    r"(?:at most|less than or equal|too large|supports|between|range|maximum)"
)

OPTION_REFUSALS = (
    # lmstudio-ai/lmstudio-bug-tracker#1698 #1773 #1971: the JSON stands in reasoning_content
    OptionRefusal(SHAPES, SHAPED_THOUGHTS, _leave_out_shape, (IN_ANSWER,)),
    # infiniflow/ragflow#5912; DashScope: "must be set to false for non-streaming calls"
    OptionRefusal((), _STREAMS_ONLY, _stream),
    # chathub-dev/chathub#1294; OpenAI: "must be verified to stream this model"
    OptionRefusal(
        ("stream",),
        r"'stream' does not support true|verified to stream|streaming is not",
        _do_not_stream,
    ),
    # gabrii/Cursor-Azure-GPT-5#33 and xuy/sgo#1: a value or the option itself
    OptionRefusal(PLAIN, "", _leave_out),
    OptionRefusal(LENGTHS, _UNKNOWN + r"|instead", _switch_length_option),
    # anomalyco/opencode#1000: "must be less than or equal to `16384`"
    OptionRefusal(LENGTHS, _TOO_MANY, _fewer_tokens),
    # "You are not allowed to request logprobs from this model"; mscraftsman/generative-ai#135;
    # vllm-project/vllm-gaudi#1098. A number that is too high is a different refusal.
    OptionRefusal(
        ("logprobs", "top_logprobs"),
        rf"log[ _]?prob.{{0,80}}(?:{_UNKNOWN})|(?:{_UNKNOWN}).{{0,80}}log[ _]?prob",
        _leave_out_probabilities,
    ),
    OptionRefusal(SHAPES, r"response[_ ]format|structured|grammar|regex|ebnf|schema", _next_shape),
    # For any message: the server may accept one text at a time.
    OptionRefusal(("n",), "", _ask_one_text, (400, 422)),
)
"""The first row that helps changes how a server is asked."""
