"""The settings and the columns of shared work, each declared once for every door."""

from __future__ import annotations

from dataclasses import dataclass

from ...pairing import Choice
from ...rendering import COUNT, DECIMAL, SHARE, YES_NO, Column, Place
from ...settings import check_choices, declare, redeclare
from ..combine import EstimateSettings
from ..judgements.judges import ATTRIBUTE, declare_estimate

LOOKS = 8
"""Looks at which a threshold holds: at FIRST_LOOK pairs with votes, twice as many, and so on."""
FIRST_LOOK = 50


@dataclass(frozen=True)
class ShareSettings:
    """Settings of shared work: of the answers that are accepted, at most `accept_error` differ from
    people's, with `confidence`, as far as `signal` tells how sure a judge is.
    """

    accept_error: float = redeclare(Choice, "accept_error")
    confidence: float = redeclare(Choice, "certainty", option="confidence")
    signal: str = redeclare(Choice, "signal")
    promise: str = declare(
        "sure",
        "the error stays below in so many studies (sure), or on average over studies (average)",
        label="The promise holds",
        choices={"sure": "as surely as chosen", "average": "on average"},
        more="**As surely as chosen**: tests in a fixed sequence (Jung et al. 2025). **On "
        "average**: conformal selection (Jin and Candès 2023). It accepts more, and about half of "
        "all studies are above it.",
    )
    looks: str = declare(
        "",
        "the promise holds at one look, or at every one of eight (default: every where a campaign "
        "asks)",
        label="Looks",
        choices={"": "chosen by the data", "one": "one look", "every": "every look"},
        more=f"At {FIRST_LOOK} pairs with votes, twice as many, and so on up to {LOOKS} times.",
    )
    against: str = declare(
        "majority",
        "people's answer about a pair: the majority's, or that of one of them at random",
        label="People's answer",
        choices={"majority": "the majority's", "person": "that of one person at random"},
        more="A tie of people differs by one half from a judge that chooses a text. A judge's tie "
        "is never accepted.",
    )
    people: tuple[str, ...] = redeclare(EstimateSettings, "people")

    def __post_init__(self) -> None:
        check_choices(self)


PEOPLE = "people"
COLUMNS = (
    Column("who", "who answers", names_people=True),
    Column("pairs", "pairs", COUNT, "A judge answers where it is trusted, people the rest"),
    Column("share", "share", SHARE, "Of all pairs"),
    declare_estimate(
        "error", "differs from people", SHARE,
        "Its accepted answers, where people voted. What is promised of all is said above",
    ),
    Column("left", "still to ask", COUNT, "Pairs without a vote"),
    Column("money", "cost", DECIMAL, "All its answers, in the currency of your prices"),
    Column("seconds", "seconds", DECIMAL, "For all its answers", place=Place.SCREEN),
)  # fmt: skip
"""Columns of who answers how many pairs."""
FRONTIER = (
    Column("way", "judge", names_people=True),
    Column("threshold", "threshold", DECIMAL, "How sure it is at least", place=Place.SCREEN),
    Column("accepted", "accepted", SHARE, "Of all pairs"),
    Column("error", "differs from people", SHARE, "The accepted with votes"),
    Column("bound", "at most", SHARE, "The bound that a test has here"),
    Column("money", "cost", DECIMAL, "What judges' answers cost for all pairs"),
    Column("is_chosen", "chosen", YES_NO, place=Place.SCREEN),
)  # fmt: skip
"""Columns of each step down to where everything is accepted, of each judge alone and of all in a
row."""
PAIRS = (
    ATTRIBUTE,
    Column("item", "item"),
    Column("system_1", "system"),
    Column("system_2", "and"),
    Column("candidate_1", "text", COUNT, place=Place.FILES),
    Column("candidate_2", "and text", COUNT, place=Place.FILES),
    Column("sure", "sure", DECIMAL, "How sure the judge is that answers, or the surest"),
    Column("by", "answered by", names_people=True),
    Column(
        "points", "points", DECIMAL, "For the first system, by who answers; empty while open",
    ),
)  # fmt: skip
"""Columns of each pair, and whose answer counts."""
TABLES = {"frontier": FRONTIER, "answers": PAIRS}
