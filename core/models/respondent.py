"""Respondents: whoever answers many questions on its own, a model, a server or a rule.

A judge answers comparisons, a scorer marks single texts, a text writer writes texts. What they have
in common is how they are fed: questions come as an iterator, answers leave as they are there, so
that a run can put them into the store at once and never holds more than it needs.

A `Member` is one way of answering: its file declares what people read about it, which `Options` it
takes, and how it is made from a name and these options.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from itertools import islice
from typing import Any, Generic, Literal, NamedTuple, TypeVar

from core.models.permit import Permit
from core.records import USUAL_SCALE, Prompt, Reply, Scale

Q = TypeVar("Q")
A = TypeVar("A", bound=Reply)

BATCH_SECONDS = 1.0  # answers leave about this long after they exist
MOST = 2000  # questions at once, however fast the answers


class Hardware(NamedTuple):
    """What answers: the device and the precision of its numbers, '' where they are not ours to
    know, as of a server.
    """

    device: str = ""
    dtype: str = ""


class Respondent(ABC, Generic[Q, A]):
    """Whoever answers questions on its own.

    `load` gets ready what answering needs, and raises TandemError when that fails (a model is not
    there); again it does nothing. `answers` keeps order and length. No single question makes it
    raise: what cannot be answered is an answer with a failure. It raises TandemError when the
    respondent itself cannot work (its labels are unusable). `note` is a sentence to whoever asks,
    about how they will be answered where they have left it open.
    """

    note = ""

    announce: Callable[[str], None] = staticmethod(lambda sentence: None)
    """Gets a sentence before each step of `load` that takes seconds. Whoever shows them to people
    puts a function of their own in its place.
    """

    def load(self) -> None:
        """Nothing to get ready."""

    @property
    def hardware(self) -> Hardware:
        """What it answers on, once it is loaded."""
        return Hardware()

    def close(self) -> None:
        """Let go of what `load` took from others; it may be loaded again."""

    @property
    def situation(self) -> str:
        """How it goes, in words, where there is something to tell: what stands in its way though it
        goes on, or who is at work; '' = nothing.
        """
        return ""

    @abstractmethod
    def answers(self, questions: Sequence[Q]) -> list[A]: ...

    def stream(self, questions: Iterator[Q]) -> Iterator[list[tuple[Q, A]]]:
        """Answers with their questions, in lists at most a second or so apart, until the questions
        end.

        Here in batches that take about that long, whose seconds their answers share. Who has
        several questions in flight at once overrides it; an empty list then says that it is still
        there.
        """
        size = 4
        while batch := list(islice(questions, size)):
            began = time.monotonic()
            answers = self.answers(batch)
            took = time.monotonic() - began
            share = took / len(batch)
            yield [
                (question, replace(answer, seconds=share))
                for question, answer in zip(batch, answers, strict=True)
            ]
            size = max(1, min(int(size * BATCH_SECONDS / max(took, 1e-3)), 4 * size, MOST))


@dataclass(frozen=True)
class Options:
    """What a respondent may be asked for besides its SPEC; each member names those it takes.

    `mode` '' is the respondent's own way, `labels` () its own words. `votes` and `temperature`
    belong to sampled answers; None is the usual temperature. `tie` lets a judge answer that neither
    is better. `scale` is that of marks. `truncation` is the most tokens of a prompt. `base_url` is
    where an OpenAI-compatible server listens ('' = the official one). `instruction` is a text
    writer's.

    A `lenient` judge guesses what a reply means that states no verdict. `max_tokens` is the most a
    model may write (None = what suits), `stop` are words at which it stops. `system_prompt` comes
    before the prompt; `extra_body` is a JSON object of what else is said to a server.

    The rest changes no answer: see `EXECUTION`. `batch_tokens` is about how many tokens a local
    model reads at once (None = what suits the hardware). `more_urls` are further servers of the
    very same model, among which the questions are spread. Of each server: `concurrency` how many
    requests are in flight, `rpm` and `tpm` the most requests and tokens a minute. `timeout` is the
    seconds until a request is given up, `price_in` and `price_out` what a million tokens read and
    written cost. `provider` says whose habits the server has, `api_version` is Azure's, `stream`
    asks for replies bit by bit, as some servers give no others.

    `on` is the cluster that answers ('' = this process alone), by how many `workers` (None = as
    many as suit it), with how many GPUs each (`gpus_per_worker`, also a part of one; None = one
    where there are any).

    `permit` says which servers may be asked, and with which key. It is asked before each request,
    and is no option that somebody gives (None = any, with the key in OPENAI_API_KEY).
    """

    seed: int = 0
    prompt: Prompt | None = None
    mode: str = ""
    labels: tuple[str, ...] = ()
    truncation: int | None = None
    scale: Scale = USUAL_SCALE
    votes: int = 5
    temperature: float | None = None
    tie: bool = False
    base_url: str = ""
    instruction: str = ""
    lenient: bool = False
    max_tokens: int | None = None
    system_prompt: str = ""
    stop: tuple[str, ...] = ()
    extra_body: str = ""
    batch_tokens: int | None = None
    more_urls: tuple[str, ...] = ()
    concurrency: int = 8
    rpm: int | None = None
    tpm: int | None = None
    timeout: float = 60.0
    price_in: float = 0.0
    price_out: float = 0.0
    provider: str = ""
    api_version: str = ""
    stream: bool = False
    on: str = ""
    workers: int | None = None
    gpus_per_worker: float | None = None
    permit: Permit | None = field(default=None, compare=False, repr=False)

    @property
    def given(self) -> dict[str, Any]:
        """The options that depart from their defaults."""
        every = {
            each.name: (getattr(self, each.name), each.default)
            for each in fields(self)
            if each.compare
        }
        return {name: value for name, (value, default) in every.items() if value != default}

    @property
    def execution(self) -> dict[str, Any]:
        """How a run is done, as it is stored with the run: the given options of `EXECUTION`."""
        return {name: value for name, value in self.given.items() if name in EXECUTION}


TEXT_TOKENS = 256
"""Tokens a generated text may have, unless told otherwise."""

SERVING = (
    "provider",
    "api_version",
    "stream",
    "more_urls",
    "concurrency",
    "rpm",
    "tpm",
    "timeout",
    "price_in",
    "price_out",
)
"""The options of a server that change no answer."""
SPREADING = ("on", "workers", "gpus_per_worker")
"""The options of whatever can be spread over a cluster: all that is answered on this machine."""
EXECUTION = ("batch_tokens", *SERVING, *SPREADING)
"""The options that change no answer: how fast and at what price, not what."""


def execution_options(stored: Mapping[str, Any]) -> dict[str, Any]:
    """The options of `EXECUTION` among what is stored with a run."""
    return {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in stored.items()
        if name in EXECUTION
    }


Answers = Literal["comparisons", "marks", "texts"]
"""What a respondent gives, by the word a run counts them with."""


@dataclass(frozen=True)
class Family:
    """What stands before the colon of a SPEC. Where any model may follow it, `model` says so in
    capitals, and people read `label`, `help`, an `example` and how to `choose` one. `fetched` are
    the models that Tandem itself fetches: each name is a whole SPEC.
    """

    name: str
    model: str = ""
    label: str = ""
    help: str = ""
    example: str = ""
    choose: str = ""
    fetched: tuple[str, ...] = ()


@dataclass(frozen=True)
class Member:
    """One way of answering, as its own file declares it.

    It is found by its family and its `name` ('' = any model), and among a family's models by its
    `mode`; the first of them answers where no mode is given. `suffix` is a pattern of what else a
    name may hold. `label` and `help` are for people, `options` the names of the `Options` it takes.
    """

    family: Family
    answers: Answers
    make: Callable[[str, Options], Any]
    name: str = ""
    mode: str = ""
    suffix: str = ""
    label: str = ""
    help: str = ""
    options: tuple[str, ...] = ()

    @property
    def spec(self) -> str:
        """Its SPEC, a model's with a word in capitals for the name: "hf:NAME-OR-PATH"."""
        return f"{self.family.name}:{self.name or self.family.model}"

    @property
    def served(self) -> bool:
        """Whether a server answers, not a model on this machine."""
        return "base_url" in self.options
