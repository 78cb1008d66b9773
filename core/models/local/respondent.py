"""A respondent that answers with a language model on this machine."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from functools import cached_property

from ..respondent import Hardware, Options
from . import loading
from .tokens import LanguageModel


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
