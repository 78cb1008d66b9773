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
from collections.abc import Callable, Iterator, MutableMapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Generic, Literal, NamedTuple, TypeVar

from ..records import Reply
from .options import Options

Q = TypeVar("Q")
A = TypeVar("A", bound=Reply)

BATCH_SECONDS = 1.0  # about how long a batch takes, and how far signs of life are apart
MOST = 2000  # questions at once, however fast the answers


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
