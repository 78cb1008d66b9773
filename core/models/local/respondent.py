"""Respondents that answer with a language model on this machine."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TypeVar

from ..respondent import Hardware, Options
from . import loading
from .tokens import LanguageModel

Q = TypeVar("Q")
A = TypeVar("A")


class OnThisMachine:
    """Beside a `Respondent`: its model is loaded once, by `load` or when it is first needed."""

    @property
    @abstractmethod
    def model_name(self) -> str:
        """A hub name or a folder."""

    announce: Callable[[str], None]
    """That of `Respondent`."""

    _options: Options
    """They say in which precision the model is read, and by what."""

    def load(self) -> None:
        """Load the model, if it is not loaded yet."""
        _ = self._model

    @property
    def hardware(self) -> Hardware:
        """The hardware that the model is on."""
        return self._model.hardware

    @cached_property
    def _model(self) -> LanguageModel:
        return loading.load(
            self.model_name, self.announce, self._options.dtype, self._options.engine
        )


def halve_broken(
    batch: Sequence[Q], answer: Callable[[Sequence[Q]], list[A]], broken: Callable[[Exception], A]
) -> list[A]:
    """Return the answers to a batch; one that breaks (memory) is halved, until a question breaks on
    its own.
    """
    if not batch:
        return []
    try:
        return answer(batch)
    except Exception as error:
        if len(batch) == 1:
            return [broken(error)]
    # Not within `except`: the error would hold on to all that the failed try has put into the
    # memory.
    half = len(batch) // 2
    return [
        one for part in (batch[:half], batch[half:]) for one in halve_broken(part, answer, broken)
    ]
