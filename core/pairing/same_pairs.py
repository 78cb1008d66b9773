"""The pairs that people have answered, for a judge to be compared with them."""

from __future__ import annotations

from .drawn_pairs import choose_full
from .strategy import Strategy

SAME_PAIRS = Strategy(
    "same-pairs",
    "the pairs people answered, in both orders",
    "for comparing a judge with people: of each attribute, what they have answered about it",
    choose_full,
    takes=(),
    answered=True,
)
