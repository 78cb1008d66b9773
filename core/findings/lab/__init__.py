"""The lab: which judge is best on the same pairs, and whether that can be believed."""

from .card import check_card, make_card, read_card
from .columns import BY, COLUMNS, TABLES
from .compute import lab
from .failures import list_failures
from .search import SearchSettings, find_other_prompts, plan_rounds, search_prompts
from .settings import LabSettings, is_open, list_openings, open_test, split_items
