"""Settings and columns of the lab, what judges were asked alike, the two sides of the items, and
who opened the shut one.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, NamedTuple

import numpy as np
import pandas as pd

from ... import seeds
from ...frames import Schema
from ...records import TandemError, option_ref
from ...rendering import COUNT, DECIMAL, SHARE, Column, Interval, LabelledWords, Place
from ...settings import check_choices, declare, redeclare
from ...store import Store
from ..accuracy import ACCURACY, AccuracySettings
from ..agreement.columns import KAPPA
from ..bias.columns import P_FIRST
from ..correlation.columns import FISHER
from ..judgements import debiasing, minimum
from ..judgements.answers import JUDGING, list_comparers, select_judgements
from ..judgements.debiasing import DEBIASING
from ..judgements.judges import ATTRIBUTE, JUDGE, MADE_OF, TESTED_DIFFERENCES, declare_estimate
from ..judgements.selection import Selection, add_families
from ..separability.applications import BinnedSettings

CORRECTIONS = {"none": "as it is", "swap": "both orders averaged", "threshold": "threshold moved"}
RESAMPLED = Interval(
    "95% intervals of decisiveness and of Spearman: percentiles over resamples of the items.",
    "percentiles over resamples of the items",
)  # fmt: skip
CORRECTION = Column(
    "correction", "correction", LabelledWords(name=CORRECTIONS.__getitem__),
    "For the position of a text", needs_several=True,
)  # fmt: skip
FAIRNESS = declare_estimate(
    "fairness", "fairness", SHARE, "1 if the first text is preferred half of the time, 0 if always "
    "or never",
)  # fmt: skip
CONSISTENT = declare_estimate(
    "consistent", "same in both orders", SHARE, "Pairs with the same verdict in both orders",
)  # fmt: skip
REPEATS = declare_estimate(
    "repeats", "same again", SHARE, "Two answers to the same comparison that are alike",
    place=Place.SCREEN,
)  # fmt: skip
PEERS = declare_estimate(
    "peers", "agrees with judges", SHARE,
    "The share of the other judges with a verdict that have its own",
)  # fmt: skip
UNLABELLED = (FAIRNESS, CONSISTENT, REPEATS, PEERS)
"""Figures of a judge that need no votes: the more, the better."""
LABELS = {column.name: column.label for column in UNLABELLED}
MONEY = Column(
    "money", "cost", DECIMAL, "A thousand comparisons, in the currency of your prices",
    place=Place.SCREEN,
)  # fmt: skip
COLUMNS = (
    *MADE_OF,
    ATTRIBUTE,
    CORRECTION,
    declare_estimate(
        "accuracy", "accuracy", SHARE, ACCURACY.help, interval=ACCURACY.interval,
    ),
    Column("answers", "answers", COUNT, "About pairs with a better text", place=Place.SCREEN),
    declare_estimate(
        "kappa", "kappa", DECIMAL, "Agreement of verdicts with the reference, beyond chance",
        interval=KAPPA.interval,
    ),
    *UNLABELLED,
    declare_estimate("p_first", P_FIRST.label, SHARE, P_FIRST.help),
    declare_estimate(
        "longer", "chose the longer", SHARE, "Share of decisive answers", place=Place.SCREEN
    ),
    declare_estimate(
        "cyclic", "cyclic triples", SHARE, "Triples of texts with A over B over C over A",
        place=Place.SCREEN,
    ),
    declare_estimate(
        "kendall", "tau of systems", DECIMAL, "Kendall's tau-b with the reference's ranking",
        interval=FISHER, place=Place.SCREEN,
    ),
    declare_estimate(
        "decisiveness", "decisiveness", DECIMAL, "Above 1 it exaggerates the reference's win rates "
        "of systems, below 1 it levels them (Gera et al. 2024)", interval=RESAMPLED,
        place=Place.SCREEN,
    ),
    Column(
        "system_bias", "bias for systems", SHARE, "The standard deviation, over systems, of what "
        "it gives each beyond that", place=Place.SCREEN,
    ),
    Column(
        "calibration_error", "calibration error", SHARE, "The mean distance between its "
        "probabilities and votes, in ten bins", place=Place.SCREEN,
    ),
    Column(
        "error_by_chance", "by chance", SHARE, "The error that a calibrated judge would have",
        place=Place.SCREEN,
    ),
    Column("unanswered", "unanswered", SHARE, "The share of the comparisons asked"),
    MONEY,
    Column("seconds", "seconds", DECIMAL, "A comparison", place=Place.SCREEN),
)  # fmt: skip
SYSTEMS = (
    JUDGE,
    ATTRIBUTE,
    CORRECTION,
    Column("system", "system"),
    Column("bias", "bias", SHARE, "What the judge gives it beyond the reference's win rate and "
           "its own decisiveness, mean over the other systems"),
)  # fmt: skip
"""Columns of what each judge gives each system too much."""
WITHOUT_LABELS = (
    ATTRIBUTE,
    Column("figure", "figure", LabelledWords(name=LABELS.__getitem__)),
    Column("judges", "judges", COUNT),
    declare_estimate(
        "spearman", "Spearman", DECIMAL, "Rank correlation with accuracy over the judges",
        interval=RESAMPLED, ends="",
    ),
    Column("best", "best by it", help="The judge with most of it", names_people=True),
    Column("lost", "accuracy lost", SHARE, "By how much the most accurate judge is ahead of it"),
)  # fmt: skip
"""Columns of how figures that need no labels go with accuracy."""
GROUPS = {
    "attribute": "attribute",
    "subset": "subset",
    "separability": "separability",
    "longer": "better text longer by",
    "chose": "chose the text shown",
    "sure": "probability it gave",
}
BY = (
    JUDGE,
    Column("by", "by", LabelledWords(name=GROUPS.__getitem__)),
    Column("value", "value"),
    Column("answers", "answers", COUNT, "About pairs with a better text"),
    Column("wrong", "wrong", COUNT, "Answers that choose the other one"),
    declare_estimate("of_wrong", "of its errors", SHARE),
    declare_estimate("accuracy", "accuracy", SHARE, ACCURACY.help, interval=ACCURACY.interval),
)
"""Columns of answers that have something in common, by what that is."""
TABLES = {
    "differences": TESTED_DIFFERENCES,
    "without_labels": WITHOUT_LABELS,
    "systems": SYSTEMS,
}


DEVELOPMENT, TEST = "development", "test"
FEWEST = 30  # items on a side, as a t interval wants them
OPENED = "opened the test split of"
HALF = 0.5  # of the pairs of the judge with most: one with fewer would leave few pairs to all
PAIR = ["attribute", "item", "generation_1", "generation_2"]
TEST_SHARE = 0.5  # of the items: were it a setting, another one would show what is shut


@dataclass(frozen=True)
class LabSettings(BinnedSettings):
    """Settings of the lab: what is right (`against`, `rater`), corrections (`correct`), whether the
    test items are meant (`open_test`), and resamples of the items (`bootstrap`).
    """

    against: str = redeclare(AccuracySettings, "against")
    correct: tuple[str, ...] = declare(
        (),
        "also each judge with these corrections for position bias",
        choices={name: name for name in DEBIASING if name != "none"},
    )
    open_test: bool = declare(
        False, "show the test items; each opening is stored and counted", label="Test items",
        more="Shut until you have decided: the best of many tries looks better than it is.",
    )  # fmt: skip
    bootstrap: int = declare(200, "resamples of the items", metavar="B")
    rater: str = redeclare(AccuracySettings, "rater")

    def __post_init__(self) -> None:
        check_choices(self)
        minimum.check_resamples("bootstrap", self.bootstrap, minimum.PERCENTILES)

    @property
    def side(self) -> str:
        """Return the side whose items are meant."""
        return TEST if self.open_test else DEVELOPMENT

    def reference(self, debias: str = "none") -> AccuracySettings:
        """Return the settings of accuracy that say what is right, with a correction."""
        return AccuracySettings(self.against, debias, rater=self.rater)

    def fill(self, store: Store, selection: Selection) -> LabSettings:
        """Return the settings with the usual reference, where none was named."""
        filled = self.reference().fill_reference(store, selection)
        return replace(self, against=filled.against, rater=filled.rater)


SplitItems = Annotated[pd.DataFrame, Schema({str: "item family side"})]


def split_items(store: Store, dataset: str, items: Sequence[str]) -> SplitItems:
    """Put half of the items on each side, by a draw that hangs on the first name of the data set
    and on the item's family alone: items that share a prompt or a document are on one side, and
    stay there when others are added.
    """
    frame = pd.DataFrame({"item": list(items)}, dtype=str)
    rows = add_families(store, Selection(dataset), frame)
    origin = store.datasets.origin(dataset)
    drawn = {name: seeds.draw(origin, "lab", name) / 2**63 for name in rows["family"].unique()}
    is_test = rows["family"].map(drawn) < TEST_SHARE
    return rows.assign(side=np.where(is_test, TEST, DEVELOPMENT)).astype(str)


class CommonPairs(NamedTuple):
    """`pairs` of texts with the family and side of their item, that all `judges` of that side and
    attribute were asked about in both orders; and the names of all who were `asked` anything.
    """

    pairs: pd.DataFrame
    judges: Mapping[Any, tuple[str, ...]]
    asked: Sequence[str]

    def list_left_out(self, side: str) -> list[str]:
        """List who is in no figure of a side."""
        kept = {name for (of, _), names in self.judges.items() if of == side for name in names}
        return [name for name in self.asked if name not in kept]


def find_common_pairs(store: Store, selection: Selection) -> CommonPairs:
    """Find what the judges of a selection were asked alike. Raises TandemError where there are no
    pairs that were asked in both orders by all.
    """
    frame = debiasing.keep_known_order(select_judgements(store, selection)[0])
    orders = debiasing.add_pairs(frame).groupby([*PAIR, "judge"], sort=False)["reverse"].nunique()
    whole, judges, parts = orders[orders == 2].reset_index(), dict[Any, tuple[str, ...]](), []
    sides = split_items(store, selection.dataset, sorted(whole["item"].unique()))
    for key, of in whole.merge(sides, on="item").groupby(["side", "attribute"], sort=False):
        counts = of["judge"].value_counts()
        judges[key] = kept = tuple(sorted(counts[counts >= HALF * counts.max()].index))
        asked = of[of["judge"].isin(kept)].groupby([*PAIR, "family", "side"])["judge"].nunique()
        parts.append(asked[asked == len(kept)].index.to_frame(index=False))
    pairs = pd.concat(parts, ignore_index=True) if parts else pd.DataFrame()
    if pairs.empty:
        raise TandemError(
            "these judges were not all asked about a pair in both orders: use "
            f"`judge {option_ref('pairs')} symmetric`, or fewer {option_ref('judges')}"
        )
    return CommonPairs(pairs, judges, frame["judge"].unique().tolist())


def list_openings(store: Store, dataset: str) -> list[dict[str, Any]]:
    """List the openings of a data set's test items, newest first: at, who and judges."""
    log, origin = store.audit.load_all(), store.datasets.origin(dataset)
    opened = log[log["action"] == OPENED]
    rows = [
        {"at": at, "who": who, **json.loads(details)}
        for at, who, details in zip(opened["at"], opened["who"], opened["details"], strict=True)
    ]
    return [row for row in rows if row["origin"] == origin]


def open_test(store: Store, selection: Selection, *, by: str) -> None:
    """Record that somebody opens the test items for the judges of a selection, if there are none
    named for those that have answered by now; each time counts.
    """
    store.audit.add(
        by, OPENED, selection.dataset, judges=sorted(_list_judges(store, selection)),
        origin=store.datasets.origin(selection.dataset),
    )  # fmt: skip


def is_open(store: Store, selection: Selection) -> bool:
    """Return whether somebody has opened the test items for each of these judges."""
    opened = (opening["judges"] for opening in list_openings(store, selection.dataset))
    return _list_judges(store, selection) <= set().union(*opened)


def _list_judges(store: Store, selection: Selection) -> set[str]:
    every = list_comparers(store, selection.dataset)
    named = selection.judges or tuple(JUDGING)
    meant = every["judge"].isin(named) | every["kind"].isin(named)
    return {*every.loc[meant & every["kind"].isin(JUDGING), "judge"]}
