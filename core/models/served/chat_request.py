"""Requests of the chat protocol: what is asked for, as one server takes it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from .answer_shape import AnswerShape, shape_requests
from .completion import Completion
from .provider_table import Provider
from .request_errors import RequestError

Message = Mapping[str, str]


@dataclass(frozen=True)
class ModelRequest:
    """Request to a model: `n` texts of at most `max_tokens` each, with the probabilities of
    `top_logprobs` tokens at each position. None leaves `temperature` and `seed` to the server.
    `sampling` are options that make it draw (`sampling_ways`), `extra_body` those that somebody
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


class ModelClient(Protocol):
    """Client of a model, for one protocol of one server. `complete` raises RequestError for a
    request that came to nothing, TandemError if every request will.
    """

    async def complete(self, request: ModelRequest) -> Completion:
        """Send a request, and return the model's reply or its failure."""

    def adapt_to(self, request: ModelRequest, trouble: RequestError) -> ModelRequest | None:
        """Return the request if it would now be put in another way."""
        ...


@dataclass
class ServerHabits:
    """Habits of a server, learned from what it has refused so far. They are its option for the
    most tokens, their limit, the options left out, and whether it streams. `shapes` are the ways
    to keep a shape that are left.
    """

    length_option: str
    several: bool
    shapes: tuple[str, ...]
    stream: bool = False
    most_tokens: int | None = None
    left_out: set[str] = field(default_factory=set)
    notes: list[str] = field(default_factory=list)


class ChatBody(NamedTuple):
    """A request as it is sent, what keeps the shape of its answer, and by which way."""

    sent: dict[str, Any]
    kept_by: str = ""
    shape: str = ""


def habits_of(provider: Provider, *, stream: bool = False) -> ServerHabits:
    """Return the habits with which a provider's server is asked at first."""
    return ServerHabits(provider.length_option, provider.several, provider.shapes, stream)


def chat_body(
    model: str, request: ModelRequest, provider: Provider, habits: ServerHabits
) -> ChatBody:
    """Return the body of a request, with its model, as a server takes it."""
    most = min(filter(None, (request.max_tokens, habits.most_tokens)))
    likeliest = min(request.top_logprobs, provider.top_logprobs)
    options = {
        "temperature": request.temperature,
        habits.length_option: most,
        "logprobs": True if likeliest else None,
        "top_logprobs": likeliest or None,
        provider.seed_option or "seed": request.seed if provider.seed_option else None,
        "stop": list(request.stop) or None,
        "n": request.n if request.n > 1 and habits.several else None,
        **request.sampling,
        "stream": True if habits.stream else None,
        "stream_options": {"include_usage": True} if habits.stream else None,
    }
    kept_by = name = ""
    keeping: dict[str, Any] = {}
    if request.shape:
        asked = shape_requests(request.shape, habits.shapes)
        name, kept_by, keeping = next(asked, ("", "", {}))
    if request.extra_body.keys() & keeping.keys():
        kept_by = name = ""  # somebody asks for another shape
    options |= keeping
    sent = {name: value for name, value in options.items() if value is not None}
    for option in habits.left_out:
        sent.pop(option, None)
    body = {"model": model, "messages": list(request.messages), **sent, **request.extra_body}
    return ChatBody({key: value for key, value in body.items() if value is not None}, kept_by, name)
