"""Bias: the effect of position, of length, and of self-preference."""

from core.findings.bias import columns
from core.findings.bias.compute import bias
from core.findings.bias.sentences import (
    describe_bias,
    describe_length,
    describe_position,
    describe_self_preference,
    describe_triples,
)
from core.findings.bias.settings import BiasSettings
from core.findings.bias.system_by_position import compare_places

__all__ = [
    "BiasSettings",
    "bias",
    "columns",
    "compare_places",
    "describe_bias",
    "describe_length",
    "describe_position",
    "describe_self_preference",
    "describe_triples",
]
