"""The columns of a plan, each declared once for every door."""

from __future__ import annotations

from ...rendering import COUNT, SHARE, YES_NO, Column, LabelledWords, Place, Unit

WAYS = {
    "together": "votes, with judges",
    "people": "votes alone",
    "judges": "judges' answers alone",
    "mix": "votes and judges' answers",
}
"""What is collected, in words."""
WAY = Column("way", "what is collected", LabelledWords(name=WAYS.__getitem__))
REACHED = Unit(COUNT.form, infinite="not reached")
COLUMNS = (
    WAY,
    Column("votes", "pairs with votes", COUNT),
    Column("more", "more votes", COUNT, "Beyond those there are"),
    Column("answers", "more answers", COUNT, "By judges, about new pairs"),
    Column("settled", "chance", SHARE, "That the ranks are told apart then, at one look"),
    Column(
        "settled_always", "chance at every look", SHARE,
        "That they are then, however often somebody looks",
    ),
    Column("new_items", "takes new items", YES_NO, "Whether it takes pairs that no judge answered"),
)  # fmt: skip
"""Columns of each number of votes or answers."""
NEEDED = (
    WAY,
    Column(
        "more", "more", REACHED,
        "How many votes, or answers by judges, should tell the ranks apart at one look, at a "
"number fixed beforehand. Empty where not even the most would",
        low="low", high="high", range_label="four of five cases",
    ),
    Column(
        "more_always", "more at every look", REACHED,
        "The same where somebody looks as often as they like, and stops when it suits",
        low="always_low", high="always_high", range_label="four of five cases",
    ),
    Column("votes", "votes", REACHED, "Of these, votes", place=Place.FILES),
    Column("answers", "answers by judges", REACHED, "That come with them"),
    Column("cost", "cost", REACHED, "In the currency of the prices"),
    Column(
        "chance", "chance at most", SHARE, "That the ranks are told apart with the most that was "
"looked at"
    ),
    Column("most", "most", COUNT, "The most that was looked at", place=Place.FILES),
)  # fmt: skip
"""Columns of the number that settles the ranks, by what is collected."""
