"""What an interval generalises to: new items, new judges, or both."""

from __future__ import annotations

from typing import NamedTuple, Protocol

import pandas as pd

from core.records import Kind, TandemError, setting
from core.statistics import ENOUGH_JUDGES, Codes
from core.store import Campaign, Store

OVER = ("items", "judges", "both", "judgements")
ENOUGH_ITEMS = 10
JUDGES_TO_TELL = 5
"""Of so many judges one learns how judges differ; intervals over fewer are held in 86 to 100% of
simulated studies (docs/evidence.md).
"""

_SPEAKS = {
    "items": "Intervals speak of these judges only, on new items.",
    "judges": "Intervals speak of new judges like these, on these items.",
    "both": "Intervals speak of new judges like these, on new items.",
    "judgements": "Intervals take every judgement for independent: of its item, and of its judge.",
}


class Population(NamedTuple):
    """`over` is what is drawn anew; `items` and `judges` (m,) are codes of what is, None of what is
    not.
    """

    over: str
    items: Codes | None
    judges: Codes | None
    alone: bool  # whether there is one judge

    def notes(self) -> list[str]:
        """What the intervals speak of, and whether there is enough for them."""
        speaks = _SPEAKS[self.over]
        found = [speaks.replace("these judges", "this judge") if self.alone else speaks]
        items = 0 if self.items is None else int(self.items.max(initial=-1)) + 1
        judges = 0 if self.judges is None else int(self.judges.max(initial=-1)) + 1
        return [*found, *few_items(items), *few_judges(judges)]


def few_items(items: int) -> list[str]:
    """That intervals over so few items are rough, where they are."""
    if 1 < items < ENOUGH_ITEMS:
        return [f"Only {items} items: intervals of so few are rough. Ten are a start."]
    return []


def few_judges(judges: int) -> list[str]:
    """That intervals over so few judges are rough, where they are."""
    if 0 < judges < JUDGES_TO_TELL:
        return [
            f"Only {judges} judges: they tell little about how judges differ, so intervals for new "
            "ones are rough."
        ]
    return []


def population(over: str, item: pd.Series, judge: pd.Series) -> Population:
    """Of judgements with these items and judges. `over` '' chooses: both where at least half of
    the items were answered by three judges or more, else items.

    Raises TandemError where judges are to be drawn and there are fewer than three.
    """
    items, judges = pd.factorize(item)[0], pd.factorize(judge)[0]
    of_item = pd.Series(judges).groupby(items).nunique()
    several = len(of_item) > 0 and bool((of_item >= ENOUGH_JUDGES).mean() >= 0.5)
    over = over or ("both" if several else "items")
    number = int(judges.max(initial=-1)) + 1
    if over in ("judges", "both") and number < ENOUGH_JUDGES:
        have = "is 1 judge" if number == 1 else f"are {number} judges"
        raise too_few_judges(over, f"needs three judges or more, and there {have}")
    return Population(
        over,
        items if over in ("items", "both") else None,
        judges if over in ("judges", "both") else None,
        number == 1,
    )


def too_few_judges(over: str, because: str) -> TandemError:
    """What an `over` that draws judges is refused with, and the way out."""
    return TandemError(f"{setting('over')} {over} {because}: use {setting('over')} items")


class JudgementFilter(Protocol):
    """Which judgements a figure is about."""

    @property
    def dataset(self) -> str: ...
    @property
    def attribute(self) -> str | None: ...
    @property
    def subset(self) -> str | None: ...
    @property
    def systems(self) -> tuple[str, ...]: ...
    @property
    def judges(self) -> tuple[str, ...]: ...


def exclusion_notes(store: Store, selection: JudgementFilter) -> list[str]:
    """How many votes of who is excluded this selection would have, in a sentence; nothing where
    there are none.
    """
    if not store.exclusions.kinds(selection.dataset):
        return []
    wanted = selection.judges or tuple(Kind)
    frame = store.exclusions.left_out(
        selection.dataset,
        attribute=selection.attribute,
        subset=selection.subset,
        systems=selection.systems,
    )
    frame = frame[frame["judge"].isin(wanted) | frame["kind"].isin(wanted)]
    votes, people = int(frame["votes"].sum()), len(frame)
    if not votes:
        return []
    whose = frame["judge"].iloc[0] if people == 1 else f"{people} excluded judges"
    number = "1 vote" if votes == 1 else f"{votes:,} votes"
    excluded = ", who is excluded" if people == 1 else ""
    return [f"Left out: {number} of {whose}{excluded}."]


COLLECTING = "Votes are still coming in: ranks hold only at a number of votes fixed in advance."
"""Of two equal systems, looked at every 10 votes up to 1,000, one is once called better in 34% of
studies (simulated, November 2026), where 5% are promised for a single look.
"""


def is_collecting(store: Store, dataset: str, judges: pd.DataFrame) -> bool:
    """Whether a campaign at work or an unfinished run adds to the answers of these judges (`judge`,
    `kind`). A campaign whose number was promised before its first vote is at work until that
    number. Where it stopped at another one, or when it was settled, it counts as at work, too.
    """
    people = bool((judges["kind"] == Kind.HUMAN).any()) and any(
        _is_at_work(store, campaign) for campaign in store.campaigns.of(dataset)
    )
    asked = store.runs.judges_at_work(dataset)
    return people or bool(judges["judge"].isin(asked).any())


def _is_at_work(store: Store, campaign: Campaign) -> bool:
    promised = store.promises.of(campaign.id)
    if promised and promised[0].was_made_beforehand:
        given = store.promises.count_votes(campaign.id)
        return given > 0 and not promised[-1].is_kept_at(given)
    return store.supervision.is_collecting(campaign.dataset, campaign.id)
