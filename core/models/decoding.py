"""How a model writes: what makes another system of the same model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from core.models.respondent import Options, execution_options

CONTEXT = "{context}"


@dataclass(frozen=True)
class Decoding:
    """How texts are sampled: what makes another system of the same model.

    `instruction` says what to write; the context takes the place of "{context}" in it, or follows
    it.
    """

    model: str
    instruction: str
    temperature: float = 0.5
    max_tokens: int = 256
    seed: int = 0
    base_url: str = ""

    def prompt(self, context: str) -> str:
        """The words the model reads for one item."""
        return filled(self.instruction, context)

    def options(self, execution: Mapping[str, Any] | None = None) -> Options:
        """What the model is made with; `execution` is how the run is done."""
        own = asdict(self)
        del own["model"]
        return Options(**own, **execution_options(execution or {}))


def filled(instruction: str, context: str) -> str:
    """An instruction with the context in it."""
    if CONTEXT in instruction:
        return instruction.replace(CONTEXT, context)
    return f"{instruction}\n\n{context}".strip()
