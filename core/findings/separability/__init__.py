"""How far two systems can be told apart on an item, and what depends on it."""

from core.findings.separability import applied, consistency, per_item, sample_size
from core.findings.separability.consistency import BINNINGS, Binning
from core.findings.separability.item_texts import likeness
from core.findings.separability.per_item import (
    NORMALISATIONS,
    SCOPES,
    Separability,
    Settings,
    check_pair,
    separabilities,
    separability,
    wanted,
)

__all__ = [
    "BINNINGS",
    "NORMALISATIONS",
    "SCOPES",
    "Binning",
    "Separability",
    "Settings",
    "applied",
    "check_pair",
    "consistency",
    "likeness",
    "per_item",
    "sample_size",
    "separabilities",
    "separability",
    "wanted",
]
