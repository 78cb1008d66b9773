"""How a model writes: what makes another system of the same model."""

from __future__ import annotations

from dataclasses import dataclass

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
        if CONTEXT in self.instruction:
            return self.instruction.replace(CONTEXT, context)
        return f"{self.instruction}\n\n{context}".strip()
