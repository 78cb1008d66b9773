"""The columns that say whose figures a row has, declared once for all findings about judges."""

from __future__ import annotations

from dataclasses import replace

from ...labels import INTERVALS
from ...rendering import Column, Interval, Place

WILSON = Interval(
    INTERVALS["share"],
    "Wilson's, at the effective number of answers",
    ("wilson1927probable", "korn1998confidence"),
)
"""Interval of shares: answers about one item are correlated."""
JUDGE = Column("judge", "judge", names_people=True)
ATTRIBUTE = Column("attribute", "attribute", needs_several=True)
MODEL = Column(
    "model", "model", help="Its SPEC, else its name", place=Place.FILES, names_people=True
)
KIND = Column("kind", "kind", place=Place.FILES)
PROMPT = Column("prompt", "prompt", help="Name and version", place=Place.SCREEN)
MADE_OF = (
    JUDGE,
    MODEL,
    KIND,
    Column("mode", "mode", help="How a model was asked", place=Place.FILES),
    PROMPT,
)
"""A judge, and what it is made of."""
ASKED_ALIKE = (
    replace(MODEL, place=Place.PAPER),
    Column("mode", "mode"),
    Column("settings", "settings"),
)
"""A model that was asked in one way, with several prompts."""
