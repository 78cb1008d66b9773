"""Decoding settings of a model: each set of them makes another system of the same model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, asdict, dataclass
from typing import Any

from ..settings import declare
from .respondent import Options, execution_options

CONTEXT = "{context}"
_LATER = ("system_prompt", "stop", "extra_body")


@dataclass(frozen=True)
class Decoding:
    """Settings by which texts are sampled; other settings make another system of the same model.

    `instruction` says what to write; the context takes the place of "{context}" in it, or follows
    it. A server also gets `system_prompt`, `stop` and `extra_body` (JSON).
    """

    model: str
    instruction: str = declare(
        MISSING, "what to write; {context} in it, or the context follows", metavar="TEXT",
    )  # fmt: skip
    temperature: float = declare(
        0.5, "0 = greedy decoding", label="Temperature", metavar="T", least=0.0, most=2.0
    )
    max_tokens: int = declare(
        256, "maximum tokens of a text", label="Most tokens", metavar="N", least=1
    )
    seed: int = 0
    base_url: str = ""
    system_prompt: str = ""
    stop: tuple[str, ...] = ()
    extra_body: str = ""

    @classmethod
    def from_settings(cls, settings: Mapping[str, Any]) -> Decoding:
        """Return the decoding that stored `settings` describe."""
        return cls(**{**settings, "stop": tuple(settings.get("stop", ()))})

    @property
    def settings(self) -> dict[str, Any]:
        """Return the settings to store. Later additions are stored only if given, so that a system
        stays the same.
        """
        return {name: value for name, value in asdict(self).items() if value or name not in _LATER}

    def prompt(self, context: str) -> str:
        """Return the words the model reads for one item."""
        return fill_context(self.instruction, context)

    def options(self, execution: Mapping[str, Any] | None = None) -> Options:
        """Return the options that the model is made with; `execution` is how the run is done."""
        own = asdict(self)
        del own["model"]
        return Options(**own, **execution_options(execution or {}))


def fill_context(instruction: str, context: str) -> str:
    """Return an instruction with the context in it."""
    if CONTEXT in instruction:
        return instruction.replace(CONTEXT, context)
    return f"{instruction}\n\n{context}".strip()
