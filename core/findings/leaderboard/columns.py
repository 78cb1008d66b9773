"""The columns of a leaderboard, each declared once for every door."""

from __future__ import annotations

from dataclasses import replace

from ...rendering import (
    CHANGE,
    COUNT,
    DECIMAL,
    POINTS,
    SHARE,
    SHARE_RATING,
    STRENGTH,
    YES_NO,
    Column,
    Interval,
    Names,
    Place,
)
from ...statistics import RATINGS
from ..judgements.judges import ATTRIBUTE, JUDGE, WILSON, declare_estimate

SHARE_INTERVAL, STRENGTH_INTERVAL = (
    Interval(
        f"95% intervals: {whose}, with the variance of resamples.",
        f"{whose} for {what}",
        (*works, "rubin1981bayesian"),
    )
    for whose, what, works in (("Wilson's", "shares", WILSON.cites), ("Student's", "strengths", ()))
)
HOLDS = {
    "together": "Holds for all systems together with 95% confidence.",
    "pairwise": "Each two systems by themselves: among many, some are told apart by chance.",
    "always": "Holds for all systems together with 95% confidence, whenever you look.",
}
"""What ranks say, by how they were resolved."""
ELO = Column("elo", "Elo", STRENGTH, "From the same judgements, without separability")
UNCONTROLLED = Column(
    "uncontrolled", "as written", STRENGTH, "From the same judgements, at any length and style"
)
KEYS = (
    Column("attribute", "attribute", help="Nothing where all attributes are together"),
    Column("subset", "subset", help="Where each subset has a leaderboard"),
    Column("item", "item", help="Where the texts of each item have a leaderboard"),
    Column("system", "system"),
    Column("sample", "sample", COUNT, "Which of its texts"),
    Column("generation", "text", help="The text's number in the store", place=Place.FILES),
)
"""What a row is about."""
OVER_TIME = (
    Column("votes", "votes", COUNT, "So many so far"),
    Column("system", "system"),
    Column("rating", "rating", STRENGTH),
    Column("at", "at", help="When the last of so many votes was given, in UTC"),
)
"""Columns of Elo after so many votes."""
AT_EVERY_LOOK = ("howard2021time", "waudbysmith2024time")
"""Works on confidence sequences."""
COUNTS = (
    Column("wins", "wins", COUNT, "Answers that chose it"),
    Column("losses", "losses", COUNT, "Answers that chose the other"),
    Column("ties", "ties", COUNT, "Answers that chose neither"),
    Column(
        "judgements",
        "judgements",
        COUNT,
        "Answers about it; after swap, pairs; of pairs, the answers that the sorts used",
    ),
)
BESIDE = (
    Column(
        "regularised", "regularised", STRENGTH, "As if each system had also won half a comparison "
        "and lost half. It is finite for who never lost or never won, and drawn towards the mean "
        "(Mease 2003).",
    ),
    ELO,
    UNCONTROLLED,
    declare_estimate(
        "change", "change", CHANGE, "The rating less the column before", interval=STRENGTH_INTERVAL,
    ),
    Column("why", "why", help="What separability changes, in a sentence", place=Place.FILES),
)  # fmt: skip
"""What methods and settings bring along."""
OF_SHARES = {"uncontrolled": SHARE_RATING, "change": POINTS}
"""Units of BESIDE where ratings are shares."""
BOTH_BAD = (
    Column(
        "both_bad", "called both bad", COUNT, "Answers that called both texts bad",
        place=Place.FILES,
    ),
    Column("both_bad_n", "of", COUNT, "The number of answers counted", place=Place.FILES),
    Column(
        "both_bad_share", "both bad", SHARE, "Share of all its comparisons in which both texts "
        "were called bad, with the 95% interval over items. Empty where nobody answered so: "
        "perhaps it was not offered.", low="both_bad_low", high="both_bad_high",
    ),
)  # fmt: skip

TABLES = {
    "deciding": (
        Column("item", "item"),
        ATTRIBUTE,
        Column("system_a", "shown first"),
        Column("system_b", "shown second"),
        Column("better", "chosen", help="The system that the vote chose"),
        JUDGE,
        Column("votes", "votes", COUNT, "How many are alike", needs_several=True),
        Column("judgement", "judgement", help="Its number in the store", place=Place.FILES),
        Column("generation_a", "first text", help="Its number in the store", place=Place.FILES),
        Column("generation_b", "second text", help="Its number in the store", place=Place.FILES),
    ),
    "controls": (
        Column("control", "held equal"),
        declare_estimate(
            "effect", "effect", CHANGE, "Points for one standard deviation more of it", ends="",
            interval=STRENGTH_INTERVAL,
        ),
        Column("spread", "standard deviation", DECIMAL, "What one is"),
        Column("differ", "differ", COUNT, "Comparisons whose texts differ in it"),
    ),
}  # fmt: skip
"""Further tables: the votes without which another leads, and what controls do to answers."""


def declare_neighbours(method: str) -> tuple[Column, ...]:
    """Declare the columns of each two neighbours in the order, rated by a method."""
    unit = POINTS if RATINGS[method].share else STRENGTH
    return (
        ATTRIBUTE,
        Column("better", "better"),
        Column("worse", "worse"),
        Column("diff", "gap", unit, "Between their ratings, in points"),
        Column("is_apart", "told apart", YES_NO, "With 95% confidence, whenever you look"),
    )  # fmt: skip


SETTLED = (
    Column("attribute", "attribute", help="Empty for all together"),
    Column("leader", "ahead"),
    Column("leader_settled", "leader settled", YES_NO),
    Column("settled", "all ranks settled", YES_NO),
    Column("systems", "systems", COUNT, place=Place.FILES),
    Column("votes", "votes", COUNT),
    Column(
        "leader_missing", "missing for the leader", COUNT,
        "How many more votes should settle who leads", low="leader_missing_low",
        high="leader_missing_high", range_label="four of five cases",
    ),
    Column(
        "missing", "missing for all ranks", COUNT, "How many more votes should settle them",
        low="missing_low", high="missing_high", range_label="four of five cases",
    ),
    Column("planned", "planned", COUNT, "Votes that open campaigns still ask for"),
    Column("planned_settle", "enough", SHARE, "The chance that these settle all ranks"),
)  # fmt: skip
"""Columns of the verdict on each attribute."""


def choose_interval(method: str, resolve: str | None = None) -> Interval:
    """Choose the kind of interval for ratings by a method, for one look or for every look."""
    return hold_at_looks(SHARE_INTERVAL if RATINGS[method].share else STRENGTH_INTERVAL, resolve)


def hold_at_looks(once: Interval, resolve: str | None) -> Interval:
    """An interval of one look, or of every look where ranks hold so (`resolve` always)."""
    if resolve != "always":
        return once
    return Interval(
        once.caption.replace("intervals:", "intervals that hold whenever you look:"),
        f"{once.method}, at the tails of a confidence sequence, so that they hold at every look",
        (*once.cites, *AT_EVERY_LOOK),
    )


def choose_columns(method: str, *names: str) -> list[Column]:
    """Choose the columns with these names from those of a leaderboard by a method."""
    declared = {column.name: column for column in declare_columns(method, None)}
    return [declared[name] for name in names]


def declare_rating(method: str, resolve: str | None = None) -> Column:
    """The column of ratings by a method."""
    return declare_estimate(
        "rating", "rating", SHARE_RATING if RATINGS[method].share else STRENGTH,
        RATINGS[method].help[:1].upper() + RATINGS[method].help[1:], ends="",
        range_label="95% interval", interval=choose_interval(method, resolve),
    )  # fmt: skip


def declare_columns(method: str, resolve: str | None) -> tuple[Column, ...]:
    """Declare all columns of a leaderboard by a method, in reading order. `resolve` says what its
    ranks hold for.
    """
    holds = HOLDS.get(resolve or "", "")
    units = OF_SHARES if RATINGS[method].share else {}
    return (
        *KEYS,
        Column(
            "rank", "rank", COUNT, "1 is best", low="rank_low", high="rank_high",
            range_label="95% ranks", range_help=f"The ranks it may have. {holds}".strip(),
        ),
        declare_rating(method, resolve),
        *(
            replace(
                column,
                unit=units.get(column.name, column.unit),
                interval=hold_at_looks(STRENGTH_INTERVAL, resolve) if column.interval else None,
            )
            for column in BESIDE
        ),
        *COUNTS,
        *BOTH_BAD,
        Column(
            "tied_with", "tied with", Names(noun="system"),
            f"Systems that are neither better nor worse at the 95% level. {holds}".strip(),
            place=Place.SCREEN,
        ),
    )  # fmt: skip
