"""The reference of a correlation and its columns, each declared once for every door, and sentences
about them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Literal

import pandas as pd

from ...frames import Schema
from ...labels import KINDS, pluralize
from ...records import Kind, choose_voting_kind, option_ref
from ...rendering import COUNT, DECIMAL, SHARE, Column, Interval, LabelledWords, Place
from ...settings import Part, check_choices, declare
from ...statistics import RATINGS, Constant
from ...store import Store
from ..judgements import minimum
from ..judgements.finding import Finding
from ..judgements.judges import (
    ASKED_ALIKE,
    ATTRIBUTE,
    MADE_OF,
    SIMULTANEOUS,
    add_judge_info,
    declare_estimate,
    find_closest,
    find_greatest,
    find_most_extreme,
    label_rows,
)

RaterRows = Annotated[pd.DataFrame, Schema({str: "rater panel kind attribute"})]


def list_raters(store: Store, dataset: str) -> RaterRows:
    """List the raters with scores here: rater, panel, kind, attribute."""
    frame = store.scores.load_all(dataset).dropna(subset="value")
    panel = frame["rater"].str.replace(r"-\d+$", "", regex=True)
    return frame.assign(panel=panel)[["rater", "panel", "kind", "attribute"]].drop_duplicates()


def choose_reference(store: Store, dataset: str) -> str:
    """Choose the rater whose scores are the reference where nobody names one, the first of
    `rank_references`; '' if nobody has scored.
    """
    return next(iter(rank_references(list_raters(store, dataset))), "")


def rank_references(scores: pd.DataFrame) -> list[str]:
    """Order the raters of `list_raters`: kinds, panels, then single raters, people before machines.
    With people of several panels, such as experts and a crowd, panels
    come first. They are pooled only on request.
    """
    ranked = scores.sort_values("kind", key=lambda kind: kind != "human", kind="stable")
    panels = [
        panel for panel in dict.fromkeys(ranked["panel"]) if panel not in set(ranked["rater"])
    ]
    kinds = [kind for kind in dict.fromkeys(ranked["kind"]) if kind not in set(ranked["rater"])]
    mixed = len(set(panels) & set(ranked.loc[ranked["kind"] == "human", "panel"])) > 1
    pools = [*panels, *kinds] if mixed else [*kinds, *panels]
    every = list(dict.fromkeys([*pools, *ranked["rater"]]))
    people = ranked.loc[ranked["kind"] == "human", ["kind", "panel", "rater"]].to_numpy()
    # A single rater may have the name of a kind.
    return sorted(every, key=lambda name: name not in people)


def find_own(store: Store, judges: Sequence[str], raters: Sequence[str]) -> dict[str, list[str]]:
    """Find the raters that are the judge itself, by name, as in `judge/marks`, or by model: judge
    -> raters. Judges with no such rater are left out.
    """
    models = add_judge_info(store, pd.DataFrame({"judge": [*judges, *raters]}))["model"].tolist()
    same = {
        judge: [
            rater
            for rater, of_rater in zip(raters, models[len(judges) :], strict=True)
            if model == of_rater or rater.startswith(f"{judge}/")
        ]
        for judge, model in zip(judges, models, strict=False)
    }
    return {judge: mine for judge, mine in same.items() if mine}


Level = Literal["item", "system", "pool"]
LEVELS: dict[str, str] = {
    "item": "within items, averaged",
    "system": "between systems",
    "pool": "between all texts",
}
UNITS = {"item": "item", "system": "system", "pool": "text"}
"""What is correlated at each level."""


WITHIN = Part(f"{option_ref('level')} item", lambda values: values["level"] == "item", "level")
BETWEEN = Part(f"{option_ref('level')} system", lambda values: values["level"] == "system", "level")


@dataclass(frozen=True)
class Reference:
    """The rater whose scores are followed (`against`, '' that of `choose_reference`), at which
    level, whether items on which a scorer is constant are left out (`constant` drop) or
    count as 0 (zero), which plays a part at
    level item alone, how many resamples of the items intervals take, and between systems with what
    the names of relatives begin (`bases`).

    Raises:
        TandemError: a level or a way to count that does not exist, or too few resamples.
    """

    against: str = declare(
        "",
        "the rater to correlate with (default: people, else the first who gave scores)",
        label="Reference scores",
        metavar="RATER",
    )
    level: Level = declare(
        "item",
        "level of correlation",
        label="Level",
        choices=LEVELS,
        more="**Within items**: whether a judge orders the texts of an item as people do, averaged "
        "over items. **Between systems**: whether it orders the systems as people do. **Between "
        "all texts**: also counts that some items get higher scores than others.",
    )
    constant: Constant = declare(
        "drop",
        "items to whose texts the scorer gives one value: left out (default), or 0",
        label="Items where a judge gives all texts the same value",
        choices={"drop": "are left out", "zero": "count as 0"},
        part=WITHIN,
        more="Where a judge gives all texts of an item the same value, there is no correlation. "
        "Left out, a judge that differs on few items can look better than it is. Some authors "
        "count 0.",
    )
    bootstrap: int = declare(200, "resamples of the items", metavar="B")
    bases: tuple[str, ...] = declare(
        (),
        "with what the names of systems begin that have one base, such as llama; default: names "
        "that begin with the same word",
        label="Systems with one base",
        metavar="WORD",
        part=BETWEEN,
        more="Systems made of one model are relatives, and tell less than as many strangers. "
        "Relatives are those whose names begin with the same word, or with one of these.",
    )

    def __post_init__(self) -> None:
        check_choices(self)
        minimum.check_resamples("bootstrap", self.bootstrap, minimum.PERCENTILES)

    def fill_rater(self, store: Store, dataset: str) -> Reference:
        """Return the reference with the usual rater of a data set, if none was named."""
        usual = self.against or choose_reference(store, dataset)
        return replace(self, against=usual or Kind.HUMAN.value)


RESAMPLED = Interval(
    "95% intervals: bootstrap over items.", "percentiles of resamples of the items"
)
TOGETHER = replace(
    SIMULTANEOUS,
    method="Student's with the variance of resamples of the items, with Bonferroni's correction "
    "for all pairs of judges",
)
FISHER = Interval(
    "95% intervals: Fisher's z over systems, with the noise of the items.",
    "by Fisher's z over systems, with the noise of the items",
)
CEILED = ("spearman", "pearson")
"""What the noise of raters bounds."""
CEILING = Column(
    "ceiling", "perfect judge", DECIMAL, "What a perfect judge would reach, as far as raters of "
    "the same texts agree. Its interval is by bootstrap over items", low="ceiling_low",
    high="ceiling_high", place=Place.SCREEN,
)  # fmt: skip
COUNTS = (
    Column("judgements", "judgements", COUNT, "Answers used", place=Place.SCREEN),
    Column("unanswered", "unanswered", COUNT, "Scores that failed", place=Place.SCREEN),
)
DIFFERENCES = (
    ATTRIBUTE,
    Column("judge_1", "judge", help="With the greatest `spearman`", names_people=True),
    Column("judge_2", "and", names_people=True),
    Column("items", "items", COUNT),
    declare_estimate(
        "difference", "ahead", DECIMAL, "By how much the first is ahead, on the same resamples of "
        "the items; between systems without an interval", ends="", interval=TOGETHER,
    ),
)  # fmt: skip
"""Columns of two judges on the same items."""


def _name_rating(of: str) -> str:
    return RATINGS[of].label if of in RATINGS else of


OF = Column(
    "of", "rating", LabelledWords(name=_name_rating),
    "How its comparisons are rated, or `scores`: its own", place=Place.SCREEN,
)  # fmt: skip


def _declare_estimates(level: str) -> tuple[Column, ...]:
    interval = FISHER if level == "system" else RESAMPLED
    return tuple(
        declare_estimate(name, label, unit, help, interval=interval)
        for name, label, unit, help in (
            ("spearman", "Spearman", DECIMAL, "Correlation of ranks with the scores"),
            ("kendall", "Kendall's tau-b", DECIMAL, "Pairs in the same order less the others"),
            ("pearson", "Pearson", DECIMAL, "Correlation of values with the scores"),
            (
                "pair_accuracy", "pairs in order", SHARE,
                "The share of `pairs` with different scores that are ordered alike, an equal "
                "rating counting half",
            ),
        )
    )  # fmt: skip


def declare_figures(level: str) -> tuple[Column, ...]:
    """Declare the columns of a correlation at a level."""
    *coefficients, pair_accuracy = _declare_estimates(level)
    unit = UNITS[level]
    items = Place.FILES if level == "item" else Place.SCREEN
    return (
        *coefficients,
        Column("n", f"{unit}s", COUNT, "Items, systems or texts that are correlated"),
        Column(
            "bases", "bases", DECIMAL,
            "As how many systems without a common base these count: names tell, that begin alike",
            place=Place.SCREEN,
        ),
        Column("items", "items", COUNT, place=items),
        Column(
            "undefined_items", "undefined", COUNT, "Items with nothing to correlate: left out",
            place=Place.SCREEN,
        ),
        Column(
            "few_items", "too few texts", COUNT,
            "Items among these with fewer than two texts that have both values", place=Place.SCREEN,
        ),
        Column(
            "constant_items", "all alike", COUNT, "Items whose texts all get one value while "
            "their scores differ: undefined, or counted as 0", place=Place.SCREEN,
        ),
        pair_accuracy,
        Column("pairs", "pairs", COUNT, "Pairs of texts with different scores", place=Place.SCREEN),
        Column(
            "missing", "missing", COUNT, "Texts that have only one of the two values",
            place=Place.SCREEN,
        ),
    )  # fmt: skip


def declare_columns(level: str) -> tuple[Column, ...]:
    """Declare all columns the rows may have at a level."""
    return (*MADE_OF, OF, ATTRIBUTE, *declare_figures(level), CEILING, *COUNTS)


def declare_averages(level: str) -> tuple[Column, ...]:
    """Declare the columns of means over the prompts of a model."""
    return (
        *ASKED_ALIKE,
        OF,
        ATTRIBUTE,
        Column("prompts", "prompts", COUNT, "The number of prompts it is the mean of"),
        *_declare_estimates(level),
        Column("n", f"{UNITS[level]}s", COUNT, "The number for the prompt that has least"),
        *COUNTS,
    )


def describe_correlation(result: Finding) -> str:
    """Name the judge with the highest correlation, among those with enough data."""
    level, against = result.facts["level"], name_rater(result.facts["against"])
    rows = label_rows(result.rows).dropna(subset="spearman")
    if rows.empty:
        return f"There are too few different values to correlate with the scores by {against}."
    single = rows[rows["judge"] != Kind.HUMAN.value]  # without the mean of people
    rows = single if len(single) else rows
    people = rows[rows["kind"] == choose_voting_kind(rows["kind"])]
    others = rows[~rows["kind"].isin([Kind.HUMAN, Kind.SIMULATED])]
    told = others if len(others) else rows
    certain = told[told.apply(_is_enough, axis=1, level=level)]
    aside = f" {_describe_closest_person(people, level)}" if len(others) and len(people) else ""
    if certain.empty:
        return f"{_still_needed(told, level)}{aside}"
    row = find_most_extreme(certain, certain["spearman"], len(certain))
    judges = certain["judge"].nunique()
    among = "models and baselines" if len(others) else "judges and raters"
    best = f", the closest of {judges} {among}" if judges > 1 else ""
    on = f" on {row['attribute']}" if rows["attribute"].nunique() > 1 else ""
    weak = row["spearman"] < minimum.FOLLOWS
    follows = "hardly follows" if weak else "follows"
    mean = "mean " if level == "item" else ""
    least = f" A judge is said to follow scores from {minimum.FOLLOWS:g} on." if weak else ""
    return (
        f"{row['judge']} {follows} the scores by {against}{on}{best}. Its {mean}Spearman "
        f"correlation {LEVELS[level].removesuffix(', averaged')} is "
        f"{_render_correlation(row, level)}.{least}"
        f"{_describe_other_attributes(certain, row)}{aside}"
        f"{_describe_lead(result.tables['differences'], row)}"
    )


def _describe_other_attributes(rows: pd.DataFrame, row: pd.Series) -> str:
    others = rows[(rows["judge"] == row["judge"]) & (rows["attribute"] != row["attribute"])]
    if others.empty:
        return ""
    low, high = others["spearman"].min() + 0.0, others["spearman"].max() + 0.0
    if len(others) == 1:
        return f" On {others['attribute'].iloc[0]} it is {low:.2f}."
    return f" On {len(others)} other attributes it is {low:.2f} to {high:.2f}."


def _render_correlation(row: pd.Series, level: str) -> str:
    """A correlation with its interval, and over how many: 0.43 (95% interval 0.38 to 0.48; 100
    items).
    """
    over = pluralize(int(row["n"]), UNITS[level])
    if pd.isna(row["spearman_low"]):
        return f"{row['spearman'] + 0.0:.2f} ({over})"
    ends = f"{row['spearman_low']:.2f} to {row['spearman_high']:.2f}"
    return f"{row['spearman'] + 0.0:.2f} (95% interval {ends}; {over})"


def _counts(row: pd.Series, level: str) -> list[minimum.Count]:
    number = int(row["n"])
    if level == "system":
        units = minimum.count_systems(number, float(row["bases"]))
    else:
        units = minimum.count_answers(number, "text")
        if level == "item":
            units = minimum.count_items(number)
    if row["of"] == "scores":
        return [units]
    noun = "human vote" if row["kind"] == Kind.HUMAN.value else "answer"
    return [minimum.count_answers(int(row["judgements"]), noun), units]


def _is_enough(row: pd.Series, level: str) -> bool:
    return minimum.is_enough(*_counts(row, level))


def _still_needed(rows: pd.DataFrame, level: str) -> str:
    row = find_greatest(rows, rows["n"])
    short = minimum.describe_shortfall("a closest one is named", *_counts(row, level))
    return f"{row['judge']} has {short}"


def _describe_lead(differences: pd.DataFrame, row: pd.Series) -> str:
    """Describe the lead of this row over the closest one, or of the leader over it, on the same
    items.
    """
    behind = differences[differences["judge_2"] == row["judge"]]
    found = find_closest(differences, row["judge"], row["attribute"])
    if found is None:
        found = find_closest(behind, attribute=row["attribute"])
    if found is None or pd.isna(found["low"]):
        return ""
    same = f" On the same {pluralize(found['items'], 'item')}, "
    first, second = found["judge_1"], found["judge_2"]
    ends = f"{found['low']:.2f} to {found['high']:.2f}"
    if found["low"] <= 0:
        apart = f"difference {found['difference']:.2f}, 95% interval {ends}"
        return f"{same}{first} and {second} cannot be told apart ({apart})."
    return f"{same}{first} is {found['difference']:.2f} ahead of {second} ({ends})."


def _describe_closest_person(people: pd.DataFrame, level: str) -> str:
    certain = people[people.apply(_is_enough, axis=1, level=level)]
    if certain.empty:
        return _still_needed(people, level)
    row = find_most_extreme(certain, certain["spearman"], len(certain))
    several_ = certain["judge"].nunique() > 1
    among = f"Among {KINDS[row['kind']]}, the closest is" if several_ else "For comparison,"
    return f"{among} {row['judge']} with {_render_correlation(row, level)}."


def describe_ceiling(rows: pd.DataFrame) -> str:
    """Describe the noise ceiling; '' if no text was scored by several people."""
    told = rows.drop_duplicates("attribute").dropna(subset=CEILING.name)
    if told.empty:
        return ""
    has_several = rows["attribute"].nunique() > 1
    parts = [
        CEILING.write_with_range(row) + (f" on {row['attribute']}" if has_several else "")
        for row in told.to_dict("records")
    ]
    return (
        f"A perfect judge would reach {', '.join(parts)}, as far as the raters agree: the upright "
        "mark."
    )


def name_rater(rater: str) -> str:
    """A kind of raters in words, a rater by name."""
    return KINDS.get(rater, rater)
