"""The columns of separability and of consistency, each declared once for every door."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from ...rendering import COUNT, DECIMAL, NONE, SHARE, Column, Interval, LabelledWords, Place, Unit
from ..judgements.judge_differences import STUDENT as STUDENT
from ..judgements.judges import ATTRIBUTE, JUDGE, KIND, WILSON, declare_estimate

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


def _name_scenario(number: str) -> str:
    return SCENARIOS.get(int(number), NONE)


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
