"""Bias: the effect of position, of length, and of self-preference."""

from . import columns
from .compute import bias
from .sentences import (
    describe_bias,
    describe_length,
    describe_position,
    describe_self_preference,
    describe_triples,
)
from .tables import compare_places
