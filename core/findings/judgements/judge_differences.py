"""Paired comparison of two judges on the same items: the lead of one over the other, with an
interval.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from itertools import combinations
from typing import Annotated, Any

import numpy as np
import pandas as pd

from ...frames import get_schema
from ...labels import INTERVALS
from ...rendering import COUNT, DECIMAL, P_VALUE, Column, Interval, declare_rows, list_names
from ...statistics import intervals
from .judges import ATTRIBUTE, declare_estimate

STUDENT = Interval(INTERVALS["mean"], "Student's, from the items' sums")
TOGETHER = Interval(
    "95% intervals: Student's, over items, for all judges together.",
    f"{STUDENT.method}, with Bonferroni's correction for all pairs of judges",
)
CONFIDENCE = 0.95
COLUMNS = (
    ATTRIBUTE,
    Column("judge_1", "judge", help="With the greatest mean", names_people=True),
    Column("judge_2", "and", names_people=True),
    Column("items", "items", COUNT),
    Column("pairs", "pairs", COUNT, "That both answered"),
    declare_estimate(
        "difference", "ahead", DECIMAL, "By how much the first is ahead on these", ends="",
        interval=TOGETHER,
    ),
)  # fmt: skip
P = Column("p", "p", P_VALUE, "Tests for no difference, for all pairs of judges together (Holm)")
"""The column of a table whose differences are tested, too."""

DifferenceRows = Annotated[pd.DataFrame, declare_rows((*COLUMNS, P), is_part=True)]
UNIT = ("item", "candidate_1", "candidate_2")


def compare_to_best(
    rows: pd.DataFrame,
    value: str,
    *,
    unit: Sequence[str] = UNIT,
    fair: float | None = None,
    flagged: Collection[str] = (),
    is_tested: bool = False,
) -> DifferenceRows:
    """Compute, for each attribute, how far the judge with the greatest mean is ahead of each other
    one. With `fair`, the first judge is the one whose mean is farthest from `fair`. A `flagged`
    judge is first only where there is no other.

    `rows` are answers with judge, attribute, family, `unit` (of one family) and `value` (may be
    NaN). A judge's answers about one unit, a pair of texts, count once, by their mean. judge_1,
    judge_2, pairs (units with a value by both) on so many items (of a family, one), difference of
    the means over these, Student's interval low to high from the families' sums: the pairing takes
    out how hard an item is. The first was chosen for being first, so intervals hold for all pairs
    of the judges together (Bonferroni). With `is_tested` there is `p`, the p-value of no difference
    by Student's test, adjusted for all pairs (Holm): it finds what intervals do, or more.
    """
    names = list_names((*COLUMNS, P) if is_tested else COLUMNS)
    found: list[dict[str, Any]] = []
    for attribute, of in rows.dropna(subset=value).groupby("attribute", sort=False):
        table = of.pivot_table(index=["family", *unit], columns="judge", values=value, sort=False)
        means = table.mean()
        pairs = math.comb(len(means), 2)
        trusted = means.drop(list(flagged), errors="ignore")
        trusted = means if trusted.empty else trusted
        p = _test_pairs(table) if is_tested else {}
        first = (trusted if fair is None else (trusted - fair).abs()).idxmax()
        for other in [judge for judge in table.columns if judge != first]:
            both = (table[first] - table[other]).dropna()
            if both.empty:
                continue
            family = both.index.get_level_values("family")
            difference = intervals.difference(
                both.to_numpy(float), pd.factorize(family)[0],
                confidence=1 - (1 - CONFIDENCE) / pairs,
            )  # fmt: skip
            found.append(
                {
                    "attribute": attribute,
                    "judge_1": first,
                    "judge_2": other,
                    "items": family.nunique(),
                    "pairs": difference[3],
                    **intervals.spread("difference", difference, ""),
                    "p": p.get(frozenset((str(first), other))),
                }
            )
    return get_schema(DifferenceRows).read(pd.DataFrame(found, columns=names))


def _test_pairs(table: pd.DataFrame) -> dict[frozenset[str], float]:
    """The p-values of no difference between every two judges (the columns of a table of values by
    family and unit), by Student's test over families, with Holm's correction (1979) for all pairs.
    """
    pairs, alone = list(combinations(table.columns, 2)), []
    for one, other in pairs:
        both = (table[one] - table[other]).dropna()
        family = pd.factorize(both.index.get_level_values("family"))[0]
        alone.append(intervals.measure_change(both.to_numpy(float), family).p)
    together = intervals.holm(np.array(alone, dtype=float)).tolist()
    return dict(zip(map(frozenset, pairs), together, strict=True))
