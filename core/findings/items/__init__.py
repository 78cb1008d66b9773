"""Find items worth another look, and save them as a set."""

from core.findings.items.columns import COLUMNS
from core.findings.items.compute import find_items, save_items
from core.findings.items.sentences import describe_found, describe_search
from core.findings.items.settings import ItemSearch

__all__ = [
    "COLUMNS",
    "ItemSearch",
    "describe_found",
    "describe_search",
    "find_items",
    "save_items",
]
