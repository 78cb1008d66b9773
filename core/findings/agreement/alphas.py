"""Settings of agreement, and Krippendorff's alpha: how much data a conclusive interval needs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import stdtrit

from ...labels import OVER
from ...records import Kind
from ...rendering import list_names
from ...settings import check_choices, declare
from ...statistics import agreement as agreeing
from ..judgements import minimum
from ..judgements.population import JUDGES_TO_TELL, code_families
from ..separability.applications import BinnedSettings
from .columns import ALPHAS


@dataclass(frozen=True)
class AgreementSettings(BinnedSettings):
    """Settings of agreement: docs/statistics.md, "Verdict"; docs/statistics/intervals.md,
    "Intervals".
    """

    over: str = declare(
        "",
        "what intervals generalise to; default both for groups of five judges or more",
        label="Intervals for",
        more="What the intervals speak of. **Chosen by the data**: new judges and new items "
        "for five judges or more, also for alpha.",
        choices={over: speaks for over, speaks in OVER.items() if over != "judgements"},
    )

    def __post_init__(self) -> None:
        check_choices(self)


COLUMNS = list_names(ALPHAS)
CHANCE, TENTATIVE = 0.0, 2 / 3
"""Verdicts as by chance, and the least alpha on which tentative conclusions may rest (Krippendorff
2018, ch. 12). An interval around the one that is wider than from it to the other says nothing."""
MOST = 100_000  # items or judges that are thought of


def alphas(
    frame: pd.DataFrame, units: pd.DataFrame, *, chosen: bool, settings: AgreementSettings
) -> tuple[pd.DataFrame, str | None]:
    """Compute Krippendorff's alpha over all attributes (None) and for each, in rows of COLUMNS, and
    name the kinds of judges. These are all kinds if judges were `chosen`, else the first kind with
    two judges on a pair.

    `units`: attribute and item of each unit. `needs` is 'items' or 'judges' if the interval
    contains CHANCE and is wider than from CHANCE to TENTATIVE, or is missing; `enough` is about how
    many would suffice. `needs` is '' if the interval is conclusive.
    """
    of = ["+".join(frame["kind"].unique())] if chosen else [kind.value for kind in Kind]
    for name in of:
        given = frame if chosen else frame[frame["kind"] == name]
        unit = given["unit"].to_numpy()
        counts = agreeing.tabulate_verdicts(unit, given["verdict"].to_numpy(), len(units))
        if (counts.sum(axis=1) >= 2).any():
            break
    else:
        return pd.DataFrame(columns=COLUMNS), None
    attributes = units["attribute"].to_numpy(object)
    names = [None, *dict.fromkeys(attributes)]
    every = np.ones(len(units), dtype=bool)
    rows = [
        {"attribute": attribute}
        | _alpha(given, units, every if attribute is None else attributes == attribute, settings)
        for attribute in names
    ]
    return pd.DataFrame(rows)[COLUMNS], name


def _alpha(
    frame: pd.DataFrame, units: pd.DataFrame, within: NDArray[np.bool_], settings: AgreementSettings
) -> dict[str, Any]:
    kept = frame[within[frame["unit"].to_numpy()]]
    found = agreeing.alpha(
        pd.factorize(kept["judge"])[0],
        (np.cumsum(within) - 1)[kept["unit"].to_numpy()],
        kept["verdict"].to_numpy(),
        code_families(units)[within],
        over_judges=settings.over != "items",
        over_items=settings.over != "judges",
        min_judges=JUDGES_TO_TELL,
    )
    needs, enough = _plan_larger_number(found)
    drawn = (settings.over or "both") if found.drawn else "items"
    return {**found._asdict(), "over": drawn, "needs": needs, "enough": enough}


def _plan_larger_number(found: agreeing.Alpha) -> tuple[str, int]:
    """Choose what has to grow, judges or items, and to about how many. It is the one with the
    larger part of the variance. That part shrinks with their number, and Student's t with it.
    """
    if np.isnan(found.alpha):
        return "", 0
    if np.isnan(found.low):  # without some item there is no alpha
        return "items", max(minimum.ITEMS, found.items + 1)
    if not found.low <= CHANCE <= found.high or found.high - found.low <= TENTATIVE - CHANCE:
        return "", 0
    judges = found.drawn and found.by_judges > found.by_items
    number, part = (found.judges, found.by_judges) if judges else (found.items, found.by_items)
    more = np.arange(number + 1, MOST + 1)
    half = stdtrit(more - 1.0, 0.975) * np.sqrt(part * number / more)
    narrow = half < (TENTATIVE - CHANCE) / 2
    return ("judges" if judges else "items"), int(more[narrow.argmax()])
