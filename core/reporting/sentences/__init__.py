"""Sentences on results, in the words that pages and reports share."""

from .decisions import action, decision
from .restoration import (
    left_behind,
    people_of_backup,
    restoration,
    restoration_table,
)

__all__ = [
    "action",
    "decision",
    "left_behind",
    "people_of_backup",
    "restoration",
    "restoration_table",
]
