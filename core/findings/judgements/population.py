"""Population that an interval generalises to: new items, new judges, or both."""

from __future__ import annotations

from typing import NamedTuple

import pandas as pd

from ...labels import OVER, name_these
from ...records import TandemError, option_ref
from ...statistics import ENOUGH_JUDGES, Codes

ENOUGH_ITEMS = 10
JUDGES_TO_TELL = 5
"""Fewest judges to estimate how judges differ. Intervals over fewer cover the truth in 86 to 100%
of simulated studies (tests/coverage/results.md).
"""


class Population(NamedTuple):
    """`scope` is what is resampled; `items` and `judges` (m,) are codes of the clusters, None if
    not resampled. `number` is how many judges there are, None if unknown.
    """

    scope: str
    items: Codes | None
    judges: Codes | None
    number: int | None

    def notes(self) -> list[str]:
        """Note what the intervals generalise to, and whether there is enough data."""
        whom = OVER[self.scope]
        if self.number is not None:
            whom = whom.replace("these judges only", f"{name_these(self.number, 'judge')} only")
        items = 0 if self.items is None else int(self.items.max(initial=-1)) + 1
        judges = 0 if self.judges is None else int(self.judges.max(initial=-1)) + 1
        return [f"Intervals hold for {whom}.", *note_few_items(items), *note_few_judges(judges)]


def note_few_items(items: int) -> list[str]:
    """Warn if intervals are rough because of few items."""
    if 1 < items < ENOUGH_ITEMS:
        return [f"Only {items} items: intervals of so few are rough. Ten are a start."]
    return []


def note_few_judges(judges: int) -> list[str]:
    """Warn if intervals are rough because of few judges."""
    if 0 < judges < JUDGES_TO_TELL:
        return [
            f"Only {judges} judges: they tell little about how judges differ, so intervals for new "
            "ones are rough."
        ]
    return []


def choose_over(item: pd.Series, judge: pd.Series) -> str:
    """Choose what intervals of judgements with these items and judges generalise to: `both` if at
    least half of the items have answers of JUDGES_TO_TELL judges, else `items`.
    """
    of_item = judge.groupby(item.to_numpy()).nunique()
    return "both" if len(of_item) and (of_item >= JUDGES_TO_TELL).mean() >= 0.5 else "items"


def define_population(over: str, item: pd.Series, judge: pd.Series) -> Population:
    """Define the population of judgements with these items and judges; `over` '' leaves the choice
    to `choose_over`.

    Raises TandemError where judges are to be drawn and there are fewer than three.
    """
    over = over or choose_over(item, judge)
    items, judges = pd.factorize(item)[0], pd.factorize(judge)[0]
    number = int(judges.max(initial=-1)) + 1
    if over in ("judges", "both") and number < ENOUGH_JUDGES:
        have = "is 1 judge" if number == 1 else f"are {number} judges"
        raise make_too_few_judges_error(over, f"needs three judges or more, and there {have}")
    return Population(
        over,
        items if over in ("items", "both") else None,
        judges if over in ("judges", "both") else None,
        number,
    )


def make_too_few_judges_error(over: str, because: str) -> TandemError:
    """Build the error for an `over` that resamples too few judges, with the way out."""
    return TandemError(f"{option_ref('over')} {over} {because}: use {option_ref('over')} items")
