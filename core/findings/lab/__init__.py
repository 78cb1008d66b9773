"""The lab: which judge is best on the same pairs, and whether that can be believed."""

from .card import check_card, make_card, read_card
from .columns import BY, COLUMNS, TABLES
from .compute import lab
from .failures import list_failures
from .settings import (
    DEVELOPMENT,
    LabSettings,
    is_open,
    list_openings,
    open_test,
    split_items,
)  # fmt: skip
