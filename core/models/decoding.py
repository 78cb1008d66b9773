"""How a model writes: what makes another system of the same model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, asdict, dataclass
from typing import Any

from core.models.respondent import Options, execution_options
from core.settings import declare

CONTEXT = "{context}"
_LATER = ("system_prompt", "stop", "extra_body")


@dataclass(frozen=True)
class Decoding:
    """How texts are sampled: what makes another system of the same model.

    `instruction` says what to write; the context takes the place of "{context}" in it, or follows
    it. `system_prompt`, `stop` and `extra_body` (JSON) are what else a server is told.
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
    def stored(cls, settings: Mapping[str, Any]) -> Decoding:
        """That of stored `settings`."""
        return cls(**{**settings, "stop": tuple(settings.get("stop", ()))})

    @property
    def settings(self) -> dict[str, Any]:
        """What is stored of it: what came later only where it was given, so that a system stays
        what it was.
        """
        return {name: value for name, value in asdict(self).items() if value or name not in _LATER}

    def prompt(self, context: str) -> str:
        """The words the model reads for one item."""
        return fill_context(self.instruction, context)

    def options(self, execution: Mapping[str, Any] | None = None) -> Options:
        """What the model is made with; `execution` is how the run is done."""
        own = asdict(self)
        del own["model"]
        return Options(**own, **execution_options(execution or {}))


def fill_context(instruction: str, context: str) -> str:
    """An instruction with the context in it."""
    if CONTEXT in instruction:
        return instruction.replace(CONTEXT, context)
    return f"{instruction}\n\n{context}".strip()
