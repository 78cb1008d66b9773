"""Settings of a search for items."""

from __future__ import annotations

from dataclasses import dataclass

from ...pairing import Choice
from ...records import TandemError, option_ref
from ...settings import Part, StoredChanges, check_choices, declare, redeclare
from ...similarity import METRICS

OF_JUDGE = Part(f"{option_ref('judge')} NAME", lambda values: values["judge"])
MEASURED = Part(f"{option_ref('separability')} METRIC", lambda values: values["separability"])


@dataclass(frozen=True)
class ItemSearch(StoredChanges):
    """Search terms for items. Items must match all of them; without terms all items match."""

    split: bool = declare(
        False, "people are split: each of two texts is preferred by somebody",
        label="People are split",
        more="Somebody prefers the one text, and somebody the other.",
    )  # fmt: skip
    judge: str = declare(
        "", "this judge has answered; its answers are beside people's",
        metavar="NAME", label="Judge", more="What it has answered, beside people's answers.",
    )  # fmt: skip
    contradicts: bool = declare(
        False, "this judge contradicts itself: its answers about two texts are evenly split",
        label="It contradicts itself", part=OF_JUDGE,
        more="Its answers about two texts are evenly split, as when it always takes the text "
"it reads first.",
    )  # fmt: skip
    differs: bool = declare(
        False, "this judge and most people differ", label="It differs from most people",
        part=OF_JUDGE, more="Most people prefer another text than it does.",
    )  # fmt: skip
    unanswered: bool = declare(
        False, "no person has answered anything about the item", label="Nobody has answered",
        more="No person has answered anything about the item; judges may have.",
    )  # fmt: skip
    text: str = declare(
        "", "the item's name, its context or a text has these words", metavar="WORDS",
        label="Words", more="In the item's name, its context or a text, in upper or lower case.",
    )  # fmt: skip
    separability: str = redeclare(
        Choice, "separability", help="its texts can be told apart by this metric, measured before",
        label="Separability by", more="Measured on the Separability page before.",
        list_choices=lambda: {name: metric.label for name, metric in METRICS.items()},
    )  # fmt: skip
    encoder: str = redeclare(Choice, "encoder", part=MEASURED)
    low: float = redeclare(Choice, "low", part=MEASURED)
    high: float = redeclare(Choice, "high", part=MEASURED)

    def __post_init__(self) -> None:
        check_choices(self)
        if (self.contradicts or self.differs) and not self.judge:
            wanted = option_ref("contradicts" if self.contradicts else "differs")
            raise TandemError(f"{wanted} is about a judge: name it with {option_ref('judge')}")
        if not -1 <= self.low <= self.high <= 1:
            raise TandemError(
                f"separability from {self.low:g} to {self.high:g} is not a range within -1 to 1"
            )

    @property
    def reads_answers(self) -> bool:
        """Return whether answers decide which items are found. Figures on them then do not
        generalise to other items.
        """
        return self.split or self.contradicts or self.differs
