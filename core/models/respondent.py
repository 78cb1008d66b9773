"""Respondents: models, servers or rules that answer many questions on their own.

A judge answers comparisons, a scorer marks single texts, a text writer writes texts. What they have
in common is how they are fed: questions come as an iterator, answers leave as they are there, so
that a run can put them into the store at once and never holds more than it needs.

A `Member` is one way of answering: its file declares what people read about it, which `Options` it
takes, and how it is made from a name and these options.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field, fields, replace
from itertools import islice
from typing import Any, Generic, Literal, NamedTuple, TypeVar

from ..records import USUAL_SCALE, Prompt, Reply, Scale, TandemError, option_ref
from ..settings import Part, declare
from .permit import Permit

Q = TypeVar("Q")
A = TypeVar("A", bound=Reply)

BATCH_SECONDS = 1.0  # about how long a batch takes, and how far signs of life are apart
MOST = 2000  # questions at once, however fast the answers


DTYPES = ("fp32", "bf16", "fp16")
"""The precisions that a model on this machine can be read in."""

ENGINES = ("transformers", "vllm")
"""What can read a model on this machine."""


class Hardware(NamedTuple):
    """Hardware that answers: the device and the precision of its numbers. Both are '' if unknown,
    as for a server.
    """

    device: str = ""
    dtype: str = ""


class Respondent(ABC, Generic[Q, A]):
    """A model, server or rule that answers questions on its own.

    `load` gets ready what answering needs, and raises TandemError when that fails (a model is not
    there); again it does nothing. `answers` keeps order and length. No single question makes it
    raise: what cannot be answered is an answer with a failure. It raises TandemError when the
    respondent itself cannot work (its labels are unusable). `note` is a sentence for the person who
    asks, about how they will be answered where they have left it open.
    """

    note = ""
    reply_type: type[Any] = Reply
    """The class of its answers."""

    announce: Callable[[str], None] = staticmethod(lambda sentence: None)
    """Function that gets a sentence before each step of `load` that takes seconds.

    A page or command that shows these sentences replaces it with a function of its own.
    """

    sampling_ways: MutableMapping[str, int] | None = None
    """How servers draw their replies, as `load` has found before, and what it finds out now."""

    def load(self) -> None:
        """Prepare what answering needs; here nothing."""

    @property
    def hardware(self) -> Hardware:
        """Return the hardware it answers on, once it is loaded."""
        return Hardware()

    def close(self) -> None:
        """Let go of what `load` took from others; it may be loaded again."""

    @property
    def situation(self) -> str:
        """Describe in words how it goes: an obstacle despite which it goes on, or who is at work;
        '' = nothing.
        """
        return ""

    @abstractmethod
    def answers(self, questions: Sequence[Q]) -> list[A]: ...

    def stream(self, questions: Iterator[Q]) -> Iterator[list[tuple[Q, A]]]:
        """Yield answers with their questions as they are there, in lists at most a second or so
        apart, until the questions end.

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


ON_RAY = Part(f"{option_ref('on')} ray", lambda given: given["on"])


@dataclass(frozen=True)
class Options:
    """Options of a respondent besides its SPEC; each member names those it takes.

    `mode` '' is the respondent's own way, `labels` () its own words, `scale` that of marks. The
    `instruction` is a text writer's, and `base_url` '' the official server. None leaves a number to
    what suits the model or the hardware.

    The rest changes no answer: see `EXECUTION`. `batch_tokens` is about how many tokens a local
    model reads at once. `provider` says whose habits the server has.

    `permit` says which servers may be asked, and with which key. It is asked before each request,
    and is no option that somebody gives (None = any, with the key in OPENAI_API_KEY).
    """

    seed: int = declare(0, "random seed", metavar="N", least=0)
    prompt: Prompt | None = None
    mode: str = declare("", "how it answers", label="How it answers", metavar="MODE")
    labels: tuple[str, ...] = declare(
        (), 'the words that stand for the two texts (default: "Summary A" and so on)',
        label="Labels", metavar=("A", "B"),
    )  # fmt: skip
    truncation: int | None = declare(
        None, "maximum tokens of a prompt; the context is cut", metavar="N", least=16
    )
    scale: Scale = declare(
        USUAL_SCALE, "the worst and the best score (default 1 10)", metavar=("LOW", "HIGH")
    )
    votes: int = declare(
        5, "how many sampled answers", label="Sampled answers", metavar="K", least=1
    )
    temperature: float | None = declare(
        None,
        "sampling temperature (default 1 of sampled answers, else 0)",
        label="Temperature",
        more="Left empty, it is 0, or 1 where answers are sampled.",
        metavar="T",
        least=0,
    )
    tie: bool = declare(
        False,
        "allow a third answer: neither is better",
        label="It may answer that neither is better",
        more="A third answer is offered: a tie.",
    )
    base_url: str = ""
    instruction: str = ""
    lenient: bool = declare(
        False,
        "guess what a reply means that states no verdict in its form",
        label="Guess the verdict of replies that state none",
        more="Off, such a reply is unparsed: it is shown, counted and can be asked again.",
    )
    max_tokens: int | None = declare(
        None,
        "maximum tokens of a reply, thoughts included (default: what suits its form)",
        label="Most tokens of a reply",
        more="Thoughts included. Left empty, it is what suits the form of the verdict.",
        metavar="N",
        least=1,
    )
    system_prompt: str = declare(
        "",
        "what comes before the prompt, as its system",
        label="System prompt",
        more="It comes before the prompt.",
        metavar="TEXT",
    )
    stop: tuple[str, ...] = declare(
        (),
        "where a reply stops; may be repeated",
        one_by_one=True,
        label="Stop words",
        more="A reply ends before the first of them.",
        metavar="TEXT",
    )
    extra_body: str = declare(
        "",
        'further fields of a request, such as \'{"reasoning_effort": "low"}\'; null leaves '
        "something out",
        label="Extra JSON",
        more="Further fields of each request; null leaves something out.",
        metavar="JSON",
    )
    batch_tokens: int | None = None
    dtype: str = declare(
        "",
        "precision of a model on this machine (default: as published on a GPU, else by a check)",
        label="Precision",
        choices=DTYPES,
    )
    engine: str = declare(
        ENGINES[0], "what reads a model on this machine", label="Engine", choices=ENGINES
    )
    concurrency: int = declare(
        8, "requests in flight at a server", label="Requests at a time", metavar="N", least=1
    )
    rpm: int | None = declare(
        None,
        "maximum requests a minute to a server",
        label="Requests a minute",
        more="0 = no limit",
        metavar="N",
        least=1,
    )
    tpm: int | None = declare(
        None,
        "maximum tokens a minute of a server",
        label="Tokens a minute",
        more="0 = no limit",
        metavar="N",
        least=1,
    )
    timeout: float = declare(
        60.0,
        "seconds before a request times out",
        label="Timeout in seconds",
        more="For one request; it is tried three times.",
        metavar="S",
        least=0,
    )
    price_in: float = declare(
        0.0,
        "price of a million input tokens",
        label="Price per million input tokens",
        more="In any currency.",
        metavar="X",
        least=0,
    )
    price_out: float = declare(
        0.0,
        "price of a million output tokens",
        label="Price per million output tokens",
        metavar="Y",
        least=0,
    )
    provider: str = declare(
        "", "whose server it is: its address, the variable of its key, and its habits"
    )
    api_version: str = declare(
        "", "the version of Azure's interface", label="API version", metavar="DATE"
    )
    stream: bool = declare(
        False,
        "ask for replies bit by bit, as some servers give no others",
        label="Receive replies bit by bit",
        more="For servers that answer in no other way. It changes no answer.",
    )
    on: str = declare(
        "",
        "spread over the workers of a Ray cluster (default: in this process)",
        metavar="ray|ray://HOST:PORT",
    )
    workers: int | None = declare(
        None,
        "how many workers (default: one a GPU, or one for every four cores)",
        part=ON_RAY,
        metavar="N",
        least=1,
    )
    gpus_per_worker: float | None = declare(
        None,
        "GPUs of each, also a part of one (default 1 where there are any)",
        part=ON_RAY,
        metavar="G",
        least=0,
    )
    permit: Permit | None = field(default=None, compare=False, repr=False)

    @property
    def changed_options(self) -> dict[str, Any]:
        """The options that depart from their defaults."""
        every = {
            each.name: (getattr(self, each.name), each.default)
            for each in fields(self)
            if each.compare
        }
        return {name: value for name, (value, default) in every.items() if value != default}

    @property
    def execution(self) -> dict[str, Any]:
        """Return how a run is done, as it is stored with the run: the given options of
        `EXECUTION`.
        """
        return {name: value for name, value in self.changed_options.items() if name in EXECUTION}


TEXT_TOKENS = 256
"""Maximum of tokens of a generated text, by default."""

SERVING = (
    "provider",
    "api_version",
    "stream",
    "concurrency",
    "rpm",
    "tpm",
    "timeout",
    "price_in",
    "price_out",
)
"""The options of a server that change no answer."""
SPREADING = ("on", "workers", "gpus_per_worker")
"""The options of respondents on this machine: all of them can be spread over a cluster."""
EXECUTION = ("batch_tokens", "dtype", "engine", *SERVING, *SPREADING)
"""The options that change no answer: how fast and at what price, not what."""


def execution_options(stored: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of `EXECUTION` among what is stored with a run.

    Raises TandemError for a run of several servers, which Tandem asked until 2.0.0.
    """
    if stored.get("more_urls"):
        raise TandemError(
            "this run asks several servers: start it again with its first address alone "
            "(docs/scaling.md)"
        )
    return {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in stored.items()
        if name in EXECUTION
    }


Answers = Literal["comparisons", "marks", "texts"]
"""What a respondent gives, by the word a run counts them with."""


@dataclass(frozen=True)
class Family:
    """Family of respondents: the part of a SPEC before the colon. If any model may follow it,
    `model` says so in capitals, and people read `label`, `help`, an `example` and how to `choose`
    one. `fetched` are the models that Tandem itself fetches: each name is a whole SPEC.
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
    def is_served(self) -> bool:
        """Return whether a server answers, not a model on this machine."""
        return "base_url" in self.options
