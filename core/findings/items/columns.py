"""The columns of items that were found, each declared once for every door."""

from __future__ import annotations

from ...rendering import COUNT, DECIMAL, SHARE, Column, Place

COLUMNS = (
    Column("item", "item"),
    Column("subset", "subset", help="Its task, language or split", place=Place.SCREEN),
    Column("attribute", "attribute"),
    Column("system_1", "system 1"),
    Column("system_2", "system 2"),
    Column("candidate_1", "text 1", COUNT, "The row of its text", place=Place.FILES),
    Column("candidate_2", "text 2", COUNT, "The row of its text", place=Place.FILES),
    Column(
        "people", "people", COUNT,
        "How many people answered, or simulated annotators where no people did",
    ),
    Column("for_1", "for 1", COUNT, "How many of them prefer the text of system 1"),
    Column("for_2", "for 2", COUNT, "How many of them prefer the text of system 2"),
    Column(
        "share_1", "share for 1", SHARE,
        "The mean of what they say: 1 is for system 1, a tie is half", place=Place.SCREEN,
    ),
    Column("verdict", "judge", help="What the judge says: a system, tie, or contradicts itself"),
    Column("shown_1", "1 shown first", help="What it said where the text of system 1 came first"),
    Column("shown_2", "2 shown first", help="What it said where the text of system 2 came first"),
    Column("separability", "separability", DECIMAL, "How far the texts can be told apart"),
    Column("why", "found because", place=Place.SCREEN),
)  # fmt: skip
"""A row for each pair of texts, and attribute, where the search is about answers; for each two
systems where it is about separability; else for each item.
"""
