"""Judges: what they are made of, the columns that say whose figures a row has, those a data set is
about, one or two of them in a sentence, and how far one is ahead of another on the same items.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Annotated, Any

import numpy as np
import pandas as pd

from ...frames import Schema, get_schema
from ...judging import list_unusual_settings
from ...labels import INTERVALS, pluralize
from ...records import Kind, choose_voting_kind
from ...rendering import (
    COUNT,
    DECIMAL,
    P_VALUE,
    SHARE,
    Column,
    Interval,
    Place,
    Unit,
    declare_rows,
    list_names,
)
from ...statistics import intervals
from ...store import Store
from . import minimum

WILSON = Interval(
    INTERVALS["share"],
    "Wilson's, at the effective number of answers",
    ("wilson1927probable", "korn1998confidence"),
)
"""Interval of shares: answers about one item are correlated."""


def declare_estimate(
    name: str,
    label: str,
    unit: Unit = SHARE,
    help: str = "",
    ends: str | None = None,
    interval: Interval | None = WILSON,
    **more: Any,
) -> Column:
    """Declare a figure with an interval, as `intervals.spread` names its ends: NAME_low and
    NAME_high, or those of another word in `ends`; low and high where that is ''.
    """
    start = f"{name if ends is None else ends}_".lstrip("_")
    return Column(name, label, unit, help, f"{start}low", f"{start}high", interval=interval, **more)


JUDGE = Column("judge", "judge", names_people=True)
ATTRIBUTE = Column("attribute", "attribute", needs_several=True)
MODEL = Column(
    "model", "model", help="Its SPEC, else its name", place=Place.FILES, names_people=True
)
KIND = Column("kind", "kind", place=Place.FILES)
PROMPT = Column("prompt", "prompt", help="Name and version", place=Place.SCREEN)
MADE_OF = (
    JUDGE,
    MODEL,
    KIND,
    Column("mode", "mode", help="How a model was asked", place=Place.FILES),
    PROMPT,
)
"""A judge, and what it is made of."""
ASKED_ALIKE = (
    replace(MODEL, place=Place.PAPER),
    Column("mode", "mode"),
    Column("settings", "settings"),
)
"""A model that was asked in one way, with several prompts."""


DescribedRows = Annotated[pd.DataFrame, Schema({str: "judge model kind mode prompt"}, is_open=True)]

ASKED = list_names(ASKED_ALIKE)
"""What does not differ where a mean over prompts is taken: what else can change an answer is not
averaged away.
"""


def add_judge_info(store: Store, rows: pd.DataFrame) -> DescribedRows:
    """Rows about a `judge` with its model (its SPEC, else its name), kind, mode, and prompt
    (name@version, None without).
    """
    about = store.judges.load_all().set_index("judge").reindex(rows["judge"]).set_index(rows.index)
    model = about["spec"].where(about["spec"].fillna("") != "", rows["judge"])
    mode, prompt = (
        about[name].astype(object).where(about[name].notna(), None) for name in ("mode", "prompt")
    )
    return rows.assign(model=model, kind=about["kind"], mode=mode.replace("", None), prompt=prompt)


def group_prompts(
    store: Store, rows: pd.DataFrame, keys: Sequence[str]
) -> Iterator[tuple[dict[str, str], pd.DataFrame]]:
    """For each model that was asked in the same way with several prompts: ASKED and the other keys,
    and its rows.
    """
    prompted = rows[rows["prompt"].notna()]
    settings = [list_unusual_settings(store.judges.spec(judge)) for judge in prompted["judge"]]
    by = prompted.assign(mode=prompted["mode"].fillna(""), settings=settings).groupby(
        [*ASKED, *keys], sort=False
    )
    for names, of_model in by:
        if of_model["prompt"].nunique() > 1:
            yield dict(zip((*ASKED, *keys), map(str, names), strict=True)), of_model


def choose_usual_judges(comparers: pd.DataFrame) -> tuple[str, ...]:
    """Choose people where there are any, else simulated voters, language models, gold labels,
    or the first baseline that does not toss coins. `comparers` have judge and kind.
    """
    kinds = set(comparers["kind"])
    for kind in (choose_voting_kind(kinds), Kind.LLM, Kind.GOLD):
        if kind in kinds:
            return (kind.value,)
    names = sorted(comparers["judge"], key=lambda name: (name.startswith("baseline:random"), name))
    return tuple(names[:1]) or (Kind.HUMAN.value,)


MOST_RANGED = 2
"""Up to so many rows a sentence gives the interval of the most extreme one. Among more it was
selected for being extreme, which its interval ignores: the 95% interval of the leader of 6 or 20
equal systems holds the truth in 87 or 56% of studies. Its differences from the others remain valid.
"""
LabelledRows = Annotated[pd.DataFrame, Schema({str: "judge attribute label"}, is_open=True)]


def label_rows(rows: pd.DataFrame) -> LabelledRows:
    """Add a `label` to each row: its judge, and its attribute if there are several."""
    several = rows["attribute"].nunique() > 1
    return rows.assign(
        label=rows["judge"] + " · " + rows["attribute"] if several else rows["judge"]
    )


def find_greatest(rows: pd.DataFrame, figures: pd.Series) -> pd.Series:
    """Return the first of the rows whose figure is greatest."""
    return rows.iloc[int(np.nanargmax(figures.to_numpy(float)))]


def find_most_extreme(rows: pd.DataFrame, figures: pd.Series, looked_at: int) -> pd.Series:
    """Return the first row whose figure is greatest. If more than MOST_RANGED rows were looked at,
    its intervals are removed.
    """
    row = find_greatest(rows, figures).copy()
    if looked_at > MOST_RANGED:
        row[[name for name in row.index if name.split("_")[-1] in ("low", "high")]] = np.nan
    return row


def name_judge(row: pd.Series) -> str:
    """The judge of a labelled row in a sentence, with its attribute where the label has it."""
    plain = row["label"] == row["judge"]
    return str(row["judge"] if plain else f"{row['judge']} ({row['attribute']})")


def describe_difference(row: pd.Series, does: str) -> str:
    """Describe which of two judges on the same items `does` something more often, or that it is
    unknown. `row` is one of a table `differences`; its p-value decides where it has one.
    """
    same = f"On the same {pluralize(row['items'], 'item')}"
    first, second = str(row["judge_1"]), str(row["judge_2"])
    points = _so_many(row["difference"])
    if pd.isna(row["low"]):
        if not row["difference"]:
            return f"{same}, {first} and {second} do not differ at all."
        return f"{same}, {first} and {second} differ by {points}; that has no interval."
    low, high = (_points(row[name]) for name in ("low", "high"))
    p = row.get("p", np.nan)
    tested = "" if pd.isna(p) else ", p < 0.001" if p < 0.001 else f", p = {p:.3f}"
    if row["low"] <= 0 <= row["high"] and not p <= intervals.ALPHA:
        apart = f"(difference {points}, 95% interval {low} to {high}{tested})"
        return f"{same}, {first} and {second} cannot be told apart {apart}."
    if row["difference"] < 0:
        low, high = (_points(-row[name]) for name in ("high", "low"))
        points = _so_many(-row["difference"])
    often = f"{points} {'more' if row['difference'] > 0 else 'less'} often"
    return f"{same}, {first} {does} {often} than {second} ({low} to {high} points{tested})."


def _so_many(share: float) -> str:
    points = _points(share)
    return f"{points} point{'' if points in ('1', '-1') else 's'}"


def _points(share: float) -> str:
    points = 100 * share
    return f"{points:.1f}" if 0.05 <= abs(points) < 1 else f"{round(points):d}"


def find_closest(
    differences: pd.DataFrame, judge: str = "", attribute: str = ""
) -> pd.Series | None:
    """The row of a table `differences` that holds the judge farthest ahead against who comes
    closest, of those on enough items, else with an interval, if there are any; None where no two
    have answered the same items, or one only.
    """
    rows = differences[differences["difference"].notna() & (differences["items"] > 1)]
    for name, chosen in (("judge_1", judge), ("attribute", attribute)):
        rows = rows[rows[name] == chosen] if chosen else rows
    known = rows.dropna(subset="low")
    enough = known[known["items"] >= minimum.ITEMS]
    rows = enough if len(enough) else known if len(known) else rows
    return None if rows.empty else find_greatest(rows, -rows["difference"].abs())


STUDENT = Interval(INTERVALS["mean"], "Student's, from the items' sums")
SIMULTANEOUS = Interval(
    "95% intervals: Student's, over items, for all judges together.",
    f"{STUDENT.method}, with Bonferroni's correction for all pairs of judges",
)
CONFIDENCE = 0.95
JUDGE_DIFFERENCES = (
    ATTRIBUTE,
    Column("judge_1", "judge", help="With the greatest mean", names_people=True),
    Column("judge_2", "and", names_people=True),
    Column("items", "items", COUNT),
    Column("pairs", "pairs", COUNT, "That both answered"),
    declare_estimate(
        "difference", "ahead", DECIMAL, "By how much the first is ahead on these", ends="",
        interval=SIMULTANEOUS,
    ),
)  # fmt: skip
TESTED_DIFFERENCES = (
    *JUDGE_DIFFERENCES,
    Column("p", "p", P_VALUE, "Tests for no difference, for all pairs of judges together (Holm)"),
)
"""Those of a table whose differences are tested, too."""

DifferenceRows = Annotated[pd.DataFrame, declare_rows(TESTED_DIFFERENCES, is_part=True)]
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
    names = list_names(TESTED_DIFFERENCES if is_tested else JUDGE_DIFFERENCES)
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
