"""The columns of separability, each declared once for every door, and sentences about them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import pandas as pd

from ...labels import KINDS, pluralize
from ...rendering import COUNT, DECIMAL, NONE, SHARE, Column, Interval, LabelledWords, Place, Unit
from ..judgements.judges import ATTRIBUTE, JUDGE, KIND, WILSON, declare_estimate
from ..judgements.judges import STUDENT as STUDENT

BOUNDS = (0.2, 0.4)
"""Below the first, an item is said not to distinguish the systems; above the second, to distinguish
them plainly.
"""
SCENARIOS = {
    1: "1 · both tight, apart",
    3: "3 · one tight, one spread",
    2: "2 · both spread",
    4: "4 · all alike",
}
RESAMPLED = Interval("95% intervals: bootstrap over the texts.", "of resamples of the texts")
OF_SETS = replace(WILSON, method="Wilson's, at the effective number of rating sets")
OVER_ITEMS = Interval("95% intervals: bootstrap over items.", "of resamples of the items")


ITEM = Column("item", "item")
FAMILY = Column(
    "family", "family", help="The first item of its family: what intervals draw", place=Place.FILES
)
SYSTEM_A = Column("system_a", "system A", help="The one named first, else first by name")
SYSTEM_B = Column("system_b", "system B")
CROSS = Column(
    "cross", "cross", DECIMAL, "Cross alignment: mean similarity of A's texts with B's (eq. 2)"
)
SEPARABILITY = declare_estimate(
    "separability", "separability", DECIMAL, "How much more alike a system's own texts are than "
    "texts of both systems (Ghosh et al. 2024, eq. 3). Near 0 the two systems cannot be told "
    "apart on this item, and a preference between them means little.", ends="",
    range_label="95% interval", range_help="Bootstrap over the texts: what other samples might "
    "have given. It is too narrow where there are few. With 5 texts each it holds the truth in 85 "
    "to 89% of studies.", interval=RESAMPLED,
)  # fmt: skip
PAIR = Column("pair", "systems")
TIGHTER = Column("tighter", "self", DECIMAL, "The greater self alignment", place=Place.FILES)


def _name_scenario(number: str) -> str:
    return SCENARIOS.get(int(number), NONE)


SCENARIO = Column(
    "scenario", "scenario", LabelledWords(name=_name_scenario), "Four scenarios (Ghosh et al. "
    "2024, figure 2). **1**: each system writes much the same text each time, and not the "
    "other's. **2**: both write something else each time. **3**: one system writes much the same "
    "text each time. **4**: all texts are alike. In 1 and 3 the systems can be told apart; in 2 "
    "and 4 they cannot. Much more alike means by 0.2 or more. In 2 the cross alignment is below "
    "0.5.",
)  # fmt: skip
_SELF = "Self alignment: mean similarity of {}'s texts with each other"
_RAW = "Before normalisation"
ITEMS = (
    ITEM,
    SYSTEM_A,
    SYSTEM_B,
    Column("self_a", "self A", DECIMAL, _SELF.format("A")),
    Column("self_b", "self B", DECIMAL, _SELF.format("B")),
    CROSS,
    SEPARABILITY,
    Column("raw_self_a", "raw self A", DECIMAL, _RAW, place=Place.FILES),
    Column("raw_self_b", "raw self B", DECIMAL, _RAW, place=Place.FILES),
    Column("raw_cross", "raw cross", DECIMAL, _RAW, place=Place.FILES),
    Column("raw_separability", "raw separability", DECIMAL, _RAW, place=Place.FILES),
    Column("samples_a", "texts of A", COUNT, "How many there are", place=Place.SCREEN),
    Column("samples_b", "texts of B", COUNT, "How many there are", place=Place.SCREEN),
)
"""Columns of an item and two systems."""
DESCRIBED = (*ITEMS, PAIR, TIGHTER, SCENARIO)
"""Columns of an item whose alignments are described."""
PAIRS = (
    Column("system_a", "system"),
    Column("system_b", "and"),
    Column("items", "items", COUNT),
    Column("mean", "mean separability", DECIMAL),
    Column("below", f"items below {BOUNDS[0]}", SHARE, "Which cannot tell the two apart"),
    Column("above", f"items above {BOUNDS[1]}", SHARE, "Which plainly tell the two apart"),
)
"""Columns of two systems, over the items."""
MEAN = declare_estimate(
    "mean", "mean separability", Unit(".3f"), ends="", range_label="95% interval", interval=STUDENT,
)  # fmt: skip
CASES = Column("n", "cases", COUNT, "Items and pairs of systems")
VALUE = Column("value", "texts or pairs", COUNT, "K texts of each system, or C pairs across them")
WITH_ALL = Column(
    "spearman", "rank correlation with all", Unit(".3f"),
    "With the separability of all texts and all their pairs",
)  # fmt: skip
CURVES = (Column("of", "of", help="samples, or cross"), VALUE, MEAN, CASES, WITH_ALL)
"""Columns of smaller studies."""
TEMPERATURE = Column("temperature", "temperature", Unit(".2g"))
TEMPERATURES = (Column("base_1", "model"), Column("base_2", "and"), TEMPERATURE, MEAN, CASES)


_of_sets = partial(declare_estimate, interval=OF_SETS)
_over_items = partial(declare_estimate, interval=OVER_ITEMS)
SETS = (
    ITEM,
    FAMILY,
    JUDGE,
    ATTRIBUTE,
    SYSTEM_A,
    SYSTEM_B,
    Column("n", "pairs of texts", COUNT, "That the judge answered"),
    Column(
        "consistency", "consistency", DECIMAL, "0 where it preferred now one system and now the "
        "other, else the share of its answers without ties",
    ),
    Column(
        "strength", "strength", Unit("+.2f"),
        "How far its answers lean to one side, from -1 (always B) to 1 (always A)",
    ),
    Column("separability", "separability", DECIMAL, "By the metric that was asked for"),
)  # fmt: skip
"""Columns of rating sets: a judge, an item and two systems."""
NUMBER = Column("sets", "rating sets", COUNT, "A judge's answers about an item and two systems")
CONSISTENCY = _of_sets("mean_consistency", "mean consistency", DECIMAL, "From 0 to 1")
INCONSISTENT = _of_sets("share_inconsistent", "inconsistent", SHARE, "Consistency 0")
PERFECT = _of_sets("share_perfect", "perfectly consistent", SHARE, "Consistency 1")
STRENGTH = _of_sets("mean_strength", "mean strength", Unit("+.2f"), "Above 0 system A is preferred")
ABSOLUTE = _of_sets(
    "mean_absolute_strength", "strength of preference", DECIMAL, "Whichever system is preferred"
)
FIGURES = (NUMBER, CONSISTENCY, INCONSISTENT, PERFECT, STRENGTH, ABSOLUTE)
"""Columns of several rating sets together."""
DRAWN = (CONSISTENCY, PERFECT, INCONSISTENT, ABSOLUTE)
"""Figures from 0 to 1, which a chart shows."""
BINS = (Column("low", "separability from", DECIMAL), Column("high", "to", DECIMAL), *FIGURES)
KINDS_OF_BINS = (*BINS[:2], KIND, Column("judges", "judges", COUNT), *FIGURES)
"""Columns of the judges of a kind in a bin."""
SPEARMAN = _over_items(
    "spearman", "rank correlation of separability and consistency", DECIMAL,
    "Separability against mean consistency, over `items` (and pairs of systems)",
)  # fmt: skip
CEILING = _over_items(
    "ceiling", "a perfect prediction", DECIMAL, "What a perfect prediction would reach: the root "
    "of the judges' reliability, ICC(1,k), with `judges` a cell on average. Null with one judge",
)  # fmt: skip
DIFFERENCE = _over_items(
    "difference", "ahead", Unit("+.2f"),
    "With `--beside METRIC`: how far the first metric is ahead of it, on the same resamples",
)  # fmt: skip
BESIDE = _over_items(
    "spearman_beside", "the other metric", DECIMAL, "With `--beside METRIC`: its rank correlation"
)


def average_within_pairs(column: Column) -> Column:
    """Declare the mean of a column within pairs of systems."""
    return replace(
        column,
        name=f"{column.name}_within",
        low=f"{column.name}_within_low",
        high=f"{column.name}_within_high",
        help="The same, on average within `pairs` (two systems on one subset): differences between "
        "these do not raise it",
    )


PREDICTION = (SPEARMAN, average_within_pairs(SPEARMAN), CEILING, average_within_pairs(CEILING))
"""How well separability predicts consistency."""
AGAINST = (BESIDE, DIFFERENCE, average_within_pairs(DIFFERENCE))
"""How much better it does than another metric."""


ALIKE = 0.9  # rank correlation from which two orders are called nearly the same
DIFFERENCES = {
    0: "it is unknown whether they can be told apart",
    1: "each system writes much the same text each time, so they are easy to tell apart",
    2: "both systems vary each time, so they are hard to tell apart",
    3: "one system writes much the same text each time, so they are easy to tell apart",
    4: "all texts are alike, so the systems are hard to tell apart",
}
"""What the texts of an item are like, by scenario."""


def summarise_items(items: pd.DataFrame) -> str:
    """Describe how many items separate the systems, and which systems. `items` are described
    items.
    """
    rows = items.dropna(subset="separability")
    if rows.empty:
        return (
            "No separability yet: it needs two texts of each system on an item, and "
            "similarities that differ."
        )
    low, high = BOUNDS
    near, far = int((rows["separability"] < low).sum()), int((rows["separability"] > high).sum())
    n = len(rows)
    above = f"{far:,} {'is' if far == 1 else 'are'} above {high}"
    if rows["pair"].nunique() == 1:
        number = f"{near:,} of {n:,} items ({near / n:.0%})" if near else f"None of {n:,} items"
        if n == 1:
            number = "The only item" if near else "No item"
        return f"{number} cannot tell these two systems apart (separability below {low}); {above}."
    means = rows.groupby("pair")["separability"].mean().sort_values()
    return (
        f"In {near:,} of {n:,} cases (an item and two systems), the systems cannot be told "
        f"apart (separability below {low}); {above}. {means.index[-1]} are the easiest to tell "
        f"apart (mean {means.iloc[-1]:.2f}), {means.index[0]} the hardest ({means.iloc[0]:.2f})."
    )


def describe_item(row: pd.Series) -> str:
    """Describe the texts of an item."""
    separability = SEPARABILITY.unit.write(row["separability"])
    return f"{row['item']}: {DIFFERENCES[int(row['scenario'])]} (separability {separability})."


def compare_bins(rows: pd.DataFrame) -> str:
    """Describe whether consistency rises with separability, for each kind of judge."""
    parts = []
    for kind in sorted(set(rows["kind"]), key=list(KINDS).index):
        ends = rows[rows["kind"] == kind].sort_values("low")["mean_consistency"].tolist()
        if len(ends) < 2:
            change = f"is {ends[0]:.2f}"
        elif ends[-1] > ends[0]:
            change = f"rises from {ends[0]:.2f} to {ends[-1]:.2f}"
        else:
            change = f"does not rise ({ends[0]:.2f} to {ends[-1]:.2f})"
        parts.append(f"of {KINDS[str(kind)]} {change}")
    return f"From the least to the most separable items, consistency {', '.join(parts)}."


def describe_prediction(facts: Mapping[str, Any], other: str = "The other metric") -> list[str]:
    """Describe how well separability predicts consistency, the upper bound, and the gain over
    another metric.
    """
    if pd.isna(facts.get("spearman")):
        return []
    cases = pluralize(facts["items"], "case")
    sentences = [
        f"Rank correlation of separability and consistency over {cases}: {_write(facts, SPEARMAN)}."
    ]
    if pd.notna(facts["ceiling"]):
        sentences.append(
            f"A perfect prediction would reach {_write(facts, CEILING)}, as far as "
            f"{facts['judges']:.3g} judges a case agree."
        )
    if pd.notna(facts.get("difference")):
        sentences.append(
            f"{other} alone reaches {BESIDE.write_with_range(facts)}. "
            f"This metric is ahead by {_write(facts, DIFFERENCE)}."
        )
    return [*sentences, OVER_ITEMS.caption]


def _write(facts: Mapping[str, Any], column: Column) -> str:
    """A figure with its interval; of several pairs of systems also within them."""
    text = column.write_with_range(facts)
    if facts["pairs"] < 2:
        return text
    within = average_within_pairs(column).write_with_range(facts)
    return f"{text}, {within} within pairs of systems and subsets"


def judge_sample_size(points: pd.DataFrame) -> str:
    """Describe whether the last text of each system still changes the order of the items."""
    rows = points[points["of"] == "samples"]
    if len(rows) < 2:
        return "There are too few texts to compare with a smaller study."
    before, last = rows.iloc[-2], rows.iloc[-1]
    if pd.isna(before["spearman"]):
        return "Too few items differ in separability to say whether more texts would help."
    fewer = f"with {before['value']:.0f} texts of each system instead of {last['value']:.0f}"
    ranks = f"rank correlation {before['spearman']:.2f}"
    if before["spearman"] < ALIKE:
        return f"No: {fewer}, items are ordered differently ({ranks}). Generate more texts."
    less, everything = f"{before['mean']:.2f}", f"{last['mean']:.2f}"
    means = f"stays {everything}" if less == everything else f"is {less} instead of {everything}"
    return f"Yes: {fewer}, items are ordered almost the same ({ranks}). Mean separability {means}."
