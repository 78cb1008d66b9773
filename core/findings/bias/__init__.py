"""What else than the texts decides: position, length, and whose they are."""

from core.findings.bias.compute import SHOWN, TRIPLES_SHOWN, bias
from core.findings.bias.sentences import (
    describe_length,
    describe_position,
    describe_self_preference,
    describe_triples,
)

__all__ = [
    "SHOWN",
    "TRIPLES_SHOWN",
    "bias",
    "describe_length",
    "describe_position",
    "describe_self_preference",
    "describe_triples",
]
