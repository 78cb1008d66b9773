"""The choice of a campaign: which systems and pairs of texts it asks about, and how many."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from itertools import chain
from typing import Any, NamedTuple

from ..records import TandemError, option_ref
from ..settings import check_choices, declare, encode_changes, redeclare
from ..store import Campaign, Store
from .item_draws import BySeparability
from .request import as_tuples, check_names


class Way(NamedTuple):
    """A way to choose pairs: what people call it, and a line of help."""

    label: str
    help: str


WAYS = {
    "random": Way("At random", "All pairs, or as many of each two systems in random order."),
    "separability": Way(
        "By separability", "Pairs whose texts can be told apart, by a metric that was measured."
    ),
    "active": Way(
        "Where the ranking is least certain",
        "The next pair is of the two systems whose order is most in doubt after the votes so far.",
    ),
    "uncertain": Way(
        "Where a model is unsure", "Pairs for which a judge's probability is close to one half."
    ),
    "informative": Way(
        "Where a vote tells most",
        "Pairs on which judges are unsure or disagree are likelier, by a known chance. So "
        "rankings can be re-weighted.",
    ),
    "rest": Way(
        "What judges are not trusted with",
        "Pairs that judges may not answer alone, if few enough of their answers are to differ from "
        "people's. Where a vote tells most comes first.",
    ),
}

REST = "rest"
"""The way that asks about what judges are not trusted with: see `core.findings.share`."""

SOME = ("proportional", "stratified")
"""Draws that take some of the pairs, so that it must be said how many."""

SIGNALS = {
    "probability": "its probability, over both orders",
    "repeats": "the share of its answers that say the same",
    "judges": "what all judges say on average",
    "separability": "how distinct the two systems' texts are",
    "learned": "all of these, weighed by votes",
    "annotators": "what simulated annotators say on average",
}
"""What tells how sure a judge is of its answer about a pair."""

DRAWN = ("separability", "informative")
"""Ways that draw all pairs of a campaign at once, each with its own probability."""


@dataclass(frozen=True, kw_only=True)
class Choice:
    """The pairs that a campaign asks about.

    No `attributes`, `systems`, `subset`, `item_set` means all. `against` keeps only pairs with this
    system, `pairs` only these of systems. With `samples` above 1, sample j of a system meets sample
    j of another, and one person gets all of them. `budget` is the most pairs (sets of them, with
    samples) for each attribute; None = all.

    "separability" takes the metric of `separability`, its `encoder`, and `draw`, `low`, `high` as
    in BySeparability. "uncertain" takes the pairs for which the probability by `judge`, averaged
    over orders and trials, is at most `gap` from 1/2. "informative" draws by what `judges`, names
    or kinds, said of the pairs. It takes all language models where none are named, and
    `separability`, too, if a metric is given.

    "rest" takes the pairs that `judges` are not trusted with, as `signal`, `accept_error` and
    `confidence` say, and puts `budget` of them first, a half where there is none.

    `origin` is the name of the data set before it was renamed, by which draws still go. `settled`
    are the pairs, of texts, that had votes and were not trusted when a "rest" was opened.
    """

    dataset: str
    attributes: tuple[str, ...] = declare(
        (), "what to ask about (default: all)", metavar="A", label="Attributes"
    )
    systems: tuple[str, ...] = declare((), "only these systems", metavar="SYSTEM", label="Systems")
    against: str = declare(
        "", "only pairs with this system", metavar="SYSTEM", label="Compared with",
        more="Each other, or all with one of them",
    )  # fmt: skip
    pairs: tuple[tuple[str, str], ...] = declare(
        (), "only pairs of these two systems; may be given again", option="pair", metavar="SYSTEM",
        label="Pairs of systems",
    )  # fmt: skip
    subset: str = declare(
        "", "only items of this task, language or split", metavar="S", label="Items"
    )
    samples: int = declare(
        1, "texts of each system on an item", metavar="N", least=1, label="Texts per system",
        more="Counted on each item. Above 1, one person gets sample 1 with sample 1, 2 with 2 "
"and so on: that measures consistency.",
    )  # fmt: skip
    way: str = declare(
        "random", "how pairs are chosen", option="by", label="Pairs",
        choices={name: way.label for name, way in WAYS.items()},
        more="\n".join(f"- **{way.label}**: {way.help}" for way in WAYS.values()),
    )  # fmt: skip
    budget: int | None = declare(
        None, "pairs for each attribute at most", metavar="N", least=1,
        label="Pairs per attribute", more="At most. 0: all there are.",
    )  # fmt: skip
    seed: int = declare(0, "random seed", metavar="N")
    separability: str = declare(
        "", "the metric of separability, measured before", metavar="METRIC", label="Metric",
        more="Measured on the Separability page before",
    )  # fmt: skip
    encoder: str = declare("", "encoder of the metric, where it has one", metavar="NAME")
    draw: str = redeclare(BySeparability, "how", help="how they are drawn by separability")
    low: float = declare(-1.0, "minimum separability", metavar="D", option="from", label="From")
    high: float = declare(1.0, "maximum separability", metavar="D", option="to", label="To")
    judge: str = declare(
        "", "of --by uncertain: whose probabilities count", metavar="NAME", label="Judge"
    )
    gap: float = declare(
        0.1, "their distance from 1/2", metavar="X", least=0, most=0.5,
        label="Distance from one half, at most",
        more="The distance from 0.5 of the judge's probability that the first text is better, "
"both orders averaged",
    )  # fmt: skip
    judges: tuple[str, ...] = declare(
        (), "whose judgements", metavar="human|simulated|llm|baseline|gold|NAME", label="Judges",
        more="Pairs on which these are unsure or disagree are likelier to be drawn.",
    )  # fmt: skip
    item_set: str = declare(
        "", "only the items of this set, which `items` saved", metavar="NAME", label="Item set",
        more="Items that were found and named, on the page Data. A campaign keeps its pairs.",
    )  # fmt: skip
    accept_error: float = declare(
        0.1, "share of accepted answers that may differ from people's", metavar="X", least=0.001,
        most=0.5, label="Differs from people at most",
        more="At most this share of the answers that a judge gives alone may differ from people's.",
    )  # fmt: skip
    certainty: float = declare(
        0.95, "how sure this is to hold", metavar="P", least=0.5, most=0.999, label="How sure",
        more="In this share of studies like yours the promise is kept, or more.",
    )  # fmt: skip
    signal: str = declare(
        "probability", "how sure a judge is of an answer", choices=SIGNALS,
        label="A judge is sure by",
        more="Judges are trusted where they are surest. Another signal may order pairs better.",
    )  # fmt: skip
    origin: str = ""
    settled: tuple[tuple[int, int], ...] = ()
    trusted: tuple[tuple[int, int], ...] = ()

    def __post_init__(self) -> None:
        check_choices(self)
        if self.way == "separability" and not self.separability:
            raise TandemError(
                f"by separability needs {option_ref('separability')}, such as bertscore-length, "
                "measured by `separability`"
            )
        if any(one == other for one, other in self.pairs):
            raise TandemError("a system is not compared with itself: name two different ones")
        if self.way == "separability" and self.budget is None and self.draw in SOME:
            raise TandemError(
                f"{self.draw} by separability draws some of the pairs: give {option_ref('budget')}"
            )
        if self.way == "informative" and self.budget is None:
            raise TandemError(
                f"where a vote tells most draws some of the pairs: give {option_ref('budget')}"
            )
        if self.way == REST and self.budget:
            raise TandemError(
                f"all that is left is asked: leave out {option_ref('budget')}, and close the "
                "campaign when you have enough"
            )
        if self.way == "uncertain" and not self.judge:
            raise TandemError(
                f"pairs where a model is unsure need {option_ref('judge')}: name a model that has "
                "judged here"
            )

    @classmethod
    def from_campaign(cls, campaign: Campaign) -> Choice:
        """Return the choice by which the pairs of a campaign were chosen."""
        values = {name: as_tuples(value) for name, value in campaign.choice.items()}
        return cls(dataset=campaign.dataset, **values)

    @property
    def drawn_as(self) -> str:
        """The name of the data set in every draw."""
        return self.origin or self.dataset

    def is_about_pair(self, systems: tuple[str, str]) -> bool:
        """Return whether a campaign is about pairs of these two systems."""
        if self.systems and not {*systems} <= {*self.systems, self.against}:
            return False
        if self.against and self.against not in systems:
            return False
        return not self.pairs or frozenset(systems) in map(frozenset, self.pairs)

    def validate(self, store: Store) -> Choice:
        """Return it with all attributes if none is named. Raises TandemError for unknown names."""
        named = (*self.systems, *filter(None, [self.against]), *chain(*self.pairs))
        known = check_names(store, self.dataset, self.attributes, named, self.subset)
        if self.item_set:
            store.item_sets.get(self.dataset, self.item_set)
        if len(self.systems) == 1 and self.systems != (self.against,):
            raise TandemError(
                f"{option_ref('systems')} names {self.systems[0]!r} alone: name a second system "
                "to compare it with"
            )
        if self.judge and store.judges.kind(self.judge) is None:
            raise TandemError(f"unknown judge {self.judge!r}: `describe` lists those there are")
        return dataclasses.replace(self, attributes=self.attributes or known)

    def to_stored(self) -> dict[str, Any]:
        """Return the values that a campaign stores: all but the data set."""
        values = vars(self).copy()
        del values["dataset"]
        return values

    def departures(self) -> dict[str, Any]:
        """Return the values that differ from the default, as JSON knows them.

        Data set and way are always among them; `settled` and `trusted`, which were found, never.
        """
        changed = {**encode_changes(self), "way": self.way}
        return {name: changed[name] for name in changed if name not in ("settled", "trusted")}
