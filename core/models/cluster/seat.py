"""What runs on the cluster: a respondent, made and loaded there once."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from core.models.respondent import Hardware, Respondent
from core.records import TandemError


@dataclass(frozen=True)
class Place:
    """Where a worker is: the name of its machine, and its process there."""

    machine: str
    process: int


@dataclass(frozen=True)
class Refusal:
    """Why a respondent cannot work: the sentence of its TandemError."""

    sentence: str


class Seat:
    """A worker, as Ray keeps it. `make` makes the respondent; of the `environment` it takes what
    decides how that computes.
    """

    def __init__(
        self, make: Callable[[], Respondent[Any, Any]], environment: Mapping[str, str]
    ) -> None:
        os.environ.update(environment)
        self._make = make

    def place(self) -> Place:
        """Answered as soon as the cluster has room for it, long before a model is loaded."""
        return Place(os.uname().nodename, os.getpid())

    def load(self) -> Hardware | Refusal:
        try:
            self._respondent = self._make()
            self._respondent.load()
            return self._respondent.hardware
        except TandemError as error:
            return Refusal(error.sentence)

    def answers(self, questions: Sequence[Any]) -> list[Any] | Refusal:
        """The answers, each with its share of the seconds."""
        began = time.monotonic()
        try:
            answers = self._respondent.answers(questions)
        except TandemError as error:
            return Refusal(error.sentence)
        share = (time.monotonic() - began) / len(questions)
        return [replace(answer, seconds=share) for answer in answers]
