"""The lab: which judge is best on the same pairs, and whether that can be believed."""

from .card import check_card, list_failures, make_card, read_card
from .columns import COLUMNS, TABLES
from .compute import lab
from .settings import (
    DEVELOPMENT,
    LabSettings,
    is_open,
    list_openings,
    open_test,
    split_items,
)  # fmt: skip
