"""Find items worth another look, and save them as a set."""

from .columns import COLUMNS
from .compute import find_items, save_items
from .sentences import describe_found, describe_search
from .settings import ItemSearch

__all__ = [
    "COLUMNS",
    "ItemSearch",
    "describe_found",
    "describe_search",
    "find_items",
    "save_items",
]
