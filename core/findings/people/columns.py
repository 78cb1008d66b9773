"""The columns of annotator statistics, each declared once for every door."""

from __future__ import annotations

from ...rendering import (
    COUNT,
    DECIMAL,
    SHARE,
    YES_NO,
    Column,
    Interval,
    LabelledWords,
    Names,
    Place,
    Unit,
)
from ..judgements.judge_columns import ATTRIBUTE, WILSON

SIDES = {"first": "A", "tie": "neither", "second": "B"}
"""What people call the verdicts on a pair."""


def _write_minute(moment: str) -> str:
    return moment[:16].replace("T", " ")


def _write_side(word: str) -> str:
    return SIDES.get(word, word.replace("_", " "))


SECONDS = Unit(",.1f")
MINUTE = LabelledWords(name=_write_minute)
SIDE = LabelledWords(name=_write_side)
USUAL = Interval(
    "The range of infit is what is usual for votes on these pairs.",
    "between which all people lie at once in 95% of draws of the decisions on the same pairs",
)

ANNOTATORS = (
    Column("annotator", "person", names_people=True),
    Column(
        "excluded", "excluded", YES_NO, "Whether statistics leave the votes out", needs_several=True
    ),
    Column("answered", "answered", COUNT, "Live answers"),
    Column("skipped", "skipped", COUNT),
    Column("seconds", "seconds", SECONDS, "Median of an answer"),
    Column(
        "too_fast", "too fast", SHARE,
        "Share of first looks at a pair that take less time than reading both texts",
    ),
    Column(
        "timed", "first looks", COUNT, "At a pair of texts, whose time is known", place=Place.FILES
    ),
    Column(
        "p_first", "first side", SHARE, "Share of decisive answers for the text shown first",
        low="p_first_low", high="p_first_high", interval=WILSON,
    ),
    Column(
        "decisions", "decisions", COUNT, "Decisive answers whose order is known", place=Place.FILES
    ),
    Column("ties", "ties", SHARE, "Of the answers"),
    Column("both_bad", "both bad", SHARE, "Of the answers"),
    Column(
        "agreement", "agrees", SHARE, "With others, over all pairs that others judged too",
        low="agreement_low", high="agreement_high", interval=WILSON,
    ),
    Column("shared", "shared", COUNT, "Verdicts that others can be held against"),
    Column(
        "self_agreement", "with oneself", SHARE, "Second answers that say the same as the first",
        low="self_agreement_low", high="self_agreement_high", interval=WILSON,
    ),
    Column("repeated", "second answers", COUNT, place=Place.FILES),
    Column(
        "gold_passed", "gold passed", SHARE, "Gold pairs passed, of those answered",
        of="gold_answered",
    ),
    Column("gold_answered", "gold answered", COUNT, place=Place.FILES),
    Column(
        "attention_passed", "attention passed", SHARE, "Attention checks passed, of those answered",
        of="attention_answered",
    ),
    Column("attention_answered", "attention answered", COUNT, place=Place.FILES),
    Column(
        "infit", "infit", DECIMAL,
        "How badly decisions on pairs that others decided, too, fit the strengths by all votes "
        "(Wright & Masters 1982). Random clicks and inverted keys give more",
        low="usual_low", high="usual_high", range_label="usual",
        range_help="The range of infit that is usual for votes on these pairs", interval=USUAL,
    ),
    Column("outfit", "outfit", DECIMAL, "The same, each decision alike", place=Place.FILES),
    Column(
        "by_chance", "by chance", DECIMAL, "Infit of coin tosses on these pairs",
        place=Place.FILES,
    ),
    Column(
        "misfit", "misfit", YES_NO,
        "Whether infit is above what is usual, on 20 shared pairs or more", needs_several=True,
    ),
    Column(
        "worries", "worries", Names(noun="reason"),
        "Speed, one side, gold, attention, repeats, misfit: what chance alone would say of anybody "
        "in at most 5% of studies",
    ),
    Column("first_at", "first answer", MINUTE, place=Place.FILES),
    Column("last_at", "last answer", MINUTE),
    Column("days", "days", COUNT, "With an answer (UTC)", place=Place.FILES),
    Column("per_day", "a day", SECONDS, "Answers of these days", place=Place.FILES),
)  # fmt: skip
BEHIND = (
    Column("item", "item"),
    ATTRIBUTE,
    Column("chosen", "chose", LabelledWords(name=str.upper)),
    Column("others", "expected", SHARE, "How likely that choice was"),
)
"""Columns of the votes behind a person's infit."""
DISPUTES = (
    Column("attribute", "attribute"),
    Column("item", "item"),
    Column("system_1", "A"),
    Column("system_2", "B"),
    Column("candidate_1", "text A", COUNT, "Row of the text, by a coin's choice"),
    Column("candidate_2", "text B", COUNT, "Row of the other one"),
    Column("first", "for A", COUNT, "How many people prefer A"),
    Column("tie", "neither", COUNT, "How many prefer neither"),
    Column("second", "for B", COUNT, "How many prefer B"),
    Column(
        "contradicts", "for either", COUNT, "How many have answered as often for either",
        place=Place.FILES,
    ),
    Column("people", "people", COUNT, "How many judged the pair", place=Place.FILES),
    Column("decided", "decided", SIDE, "`first`, `tie` or `second`; null while it is open"),
    Column("comment", "because"),
    Column("by", "by", names_people=True),
    Column("judgement", "decision", COUNT, "Row of the decision"),
)  # fmt: skip
"""Columns of pairs on which people disagree."""
SAID = (
    Column("person", "person", names_people=True),
    Column("better", "prefers", SIDE),
    Column("shown_first", "saw first", LabelledWords(name={"1": "A", "2": "B"}.__getitem__)),
    Column("comment", "comment"),
)
"""Columns of each person's answer on a pair."""
