"""Compare judges: measures that need no labels, and accuracy."""

from .columns import MEASURES, RIGHT, name_measure
from .compute import judges
from .sentences import describe_most, describe_unlabelled

__all__ = [
    "MEASURES",
    "RIGHT",
    "describe_most",
    "describe_unlabelled",
    "judges",
    "name_measure",
]
