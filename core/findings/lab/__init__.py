"""The lab: which judge is best on the same pairs, and whether that can be believed."""

from .card import check_card, list_failures, make_card, read_card
from .compute import lab
from .search import SearchSettings, find_other_prompts, plan_rounds, search_prompts
from .settings import (
    BY,
    COLUMNS,
    TABLES,
    LabSettings,
    is_open,
    list_openings,
    open_test,
    split_items,
)
