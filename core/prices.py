"""Prices of served models."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Prices:
    """The prices of a million tokens, in any currency: `price_in` of those read, `price_out` of
    those written.
    """

    price_in: float = 0.0
    price_out: float = 0.0

    @classmethod
    def from_execution(cls, execution: Mapping[str, Any]) -> Prices:
        """Return the prices recorded in the execution settings of a stored run."""
        return cls(execution.get("price_in") or 0.0, execution.get("price_out") or 0.0)

    @property
    def has_any(self) -> bool:
        """True if either price is set."""
        return bool(self.price_in or self.price_out)

    def cost(self, tokens: float, completion_tokens: float) -> float:
        """Compute the cost of `tokens` read and written, `completion_tokens` of them written."""
        return (
            (tokens - completion_tokens) * self.price_in + completion_tokens * self.price_out
        ) / 1e6
