"""The settings and the columns of votes and judges combined, each declared once for every door, and
sentences about them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ...labels import VOTES, join_few_names, name_these, pluralize
from ...records import Kind
from ...rendering import (
    COUNT,
    DECIMAL,
    SHARE,
    SHARE_RATING,
    STRENGTH,
    Column,
    Interval,
    Names,
    Place,
)
from ...settings import check_choices, declare, list_settings
from ...statistics import RATINGS, prediction_powered
from ..judgements import minimum
from ..judgements.judges import JUDGE, KIND, MOST_RANGED
from ..leaderboard import HOLDS, RankSettings, hold_at_looks
from ..leaderboard.rating_input import write_rating


@dataclass(frozen=True)
class EstimateSettings:
    """People whose votes are the reference, by name or kind, including raters who give scores (none
    are those of `fill_sides`); and the rating method.
    """

    people: tuple[str, ...] = declare(
        (),
        "whose votes, or scores, are the truth (default: people, else gold, else simulated)",
        label="Votes of",
        more="Whose answers are taken as right. The combined figures estimate what these people "
        "would say about all pairs. Scores count as votes: the higher wins.",
        metavar="human|simulated|gold|NAME",
    )
    method: str = declare(
        "",
        "the rating method (default: win-ratio where every system met the others about equally "
        "often, else bradley-terry)",
        choices={"": "chosen by the data"}
        | {name: RATINGS[name].label for name in prediction_powered.RATED},
    )

    def __post_init__(self) -> None:
        check_choices(self)


@dataclass(frozen=True)
class CombineSettings(EstimateSettings):
    """Settings of an estimate, plus two: whether intervals and ranks hold at one look or at every
    one, and how several judges are weighed.
    """

    resolve: str = declare(
        "",
        "ranks and intervals hold at one look or at every look (default: always while answers "
        "come in, else together)",
        choices={
            name: word
            for name, word in list_settings(RankSettings)["resolve"].choices.items()
            if name != "pairwise"
        },
    )

    weigh_judges: str = declare(
        "votes",
        "count several judges by how far they agree with votes (default), or with each other",
        label="Judges count by",
        choices={"votes": "agreement with votes", "jury": "agreement with each other"},
        more="**Agreement with votes**: each judge counts as far as it makes the estimate more "
        "certain. **Agreement with each other**: a jury, for few votes; copies gain weight.",
    )


CITES = ("angelopoulos2023ppi", "boyeau2024autoeval")
SHARE_INTERVAL, STRENGTH_INTERVAL = (
    Interval(f"95% intervals: {whose}, from items' errors.", f"{whose}, from items' errors", CITES)
    for whose in ("Wilson's", "Student's")
)
ESTIMATES = {"combined": "votes and judges", "human": "votes alone", "judge_only": "judges alone"}
"""What each estimate is called, in the order in which it is read."""
HELP = {
    "combined": "What people would say of all pairs, more certain by what judges say",
    "human": "By people's votes",
    "judge_only": "By what judges say, right or wrong",
}
JUDGES = (
    JUDGE,
    KIND,
    Column("pairs", "pairs", COUNT, "That it answered"),
    Column("unanswered", "unanswered", COUNT, "How often it gave no answer"),
    Column(
        "discrimination", "agrees with judges", DECIMAL,
        "Discrimination on the jury: 1 is the average judge, 0 a coin; one below 0 is not counted",
    ),
    Column(
        "lambda", "counts", SHARE, "How far its answers count (lambda): 0% not at all, 100% as "
        "much as votes. All judges together count at most 100%",
    ),
)  # fmt: skip
"""Columns of each judge that is combined with votes."""


TRUTH = Column(
    "truth", "known truth", SHARE_RATING,
    "The share of votes that it wins in the long run, as the simulation knows",
)  # fmt: skip


def choose_interval(method: str, resolve: str) -> Interval:
    """Choose the kind of interval for ratings by a method, for one look or for every look."""
    return hold_at_looks(SHARE_INTERVAL if RATINGS[method].share else STRENGTH_INTERVAL, resolve)


def declare_columns(
    method: str, resolve: str, *, is_whole: bool = False, with_truth: bool = False
) -> tuple[Column, ...]:
    """The columns of systems rated by a method, whose intervals hold so. Where votes are
    `is_whole`, on every pair, nobody reads how many more the judges are worth.
    """
    unit = SHARE_RATING if RATINGS[method].share else STRENGTH
    return (
        Column("system", "system"),
        *(
            Column(
                name, label, unit, HELP[name], low=f"{name}_low", high=f"{name}_high",
                interval=choose_interval(method, resolve),
            )
            for name, label in ESTIMATES.items()
        ),
        *([TRUTH] if with_truth else []),
        Column(
            "rank", "rank", COUNT,
            f"By votes and judges; 1 is best, and the ranks it may have. {HOLDS[resolve]}",
            low="rank_low", high="rank_high", place=Place.SCREEN,
        ),
        Column(
            "tied_with", "tied with", Names(noun="system"),
            f"Systems that are neither better nor worse. {HOLDS[resolve]}", place=Place.FILES,
        ),
        Column("votes", "voted pairs", COUNT, "Pairs with votes that it is in"),
        Column(
            "n_effective", "worth as many", COUNT,
            "So many votes without judges would be as certain as both together",
            place=Place.FILES if is_whole else Place.SCREEN,
        ),
    )  # fmt: skip


NOTHING_GAINED = 1.02
"""A ratio of variances that is as good as none: intervals that are 1% narrower."""


def describe_combined(
    facts: Mapping[str, Any], rows: pd.DataFrame, judges: pd.DataFrame
) -> list[str]:
    """Describe the leader and its lead, the value of the judges, the most trusted judge."""
    no_sample = (
        f"Pairs with {pluralize(facts['unsampled'], 'vote')} were not chosen at random, so figures "
        "and intervals may be wrong."
    )
    alone = "By votes alone, some" if facts["unbounded"] == "votes" else "Some"
    unbounded = (
        f"{alone} systems won or lost everything: their strengths and intervals are finite only by "
        "a weak prior."
    )
    return [
        *_leader(facts, rows),
        facts["verdict"],
        *_describe_coverage(rows),
        *([no_sample] if facts["unsampled"] else []),
        *facts["cautions"],
        *([unbounded] if facts["unbounded"] else []),
        _describe_worth(facts),
        *_describe_weights(facts, judges),
        *_describe_misrated(facts, rows),
    ]


def _describe_coverage(rows: pd.DataFrame) -> list[str]:
    if "truth" not in rows:
        return []
    known = rows.dropna(subset=["combined_low", "truth"])
    inside = known["truth"].between(known["combined_low"], known["combined_high"])
    number = pluralize(len(known), "combined interval")
    return [f"The known truth of the simulation lies in {inside.sum():,} of {number}."]


def describe_basis(facts: Mapping[str, Any]) -> str:
    """Render the data of an estimate: "120 human votes and 3 judges"; with "by these three
    annotators" where it speaks of them alone.
    """
    votes, number = pluralize(facts["voted"], name_votes(facts)), facts["annotators"] or 0
    if number > 1:
        votes = f"{votes} by {name_these(number, 'annotator')}"
    return f"{votes} and {pluralize(len(facts['judges']), 'judge')}"


def name_votes(facts: Mapping[str, Any]) -> str:
    """Return the noun of the effective number, such as "human vote"."""
    if facts["from_scores"]:
        return "derived comparison"
    if facts["gold"]:
        return "gold label"
    simulated = facts["kinds"] == [Kind.SIMULATED]
    if facts["votes"] != facts["voted"] or (Kind.SIMULATED in facts["kinds"] and not simulated):
        return "simulated verdict" if simulated else "voted pair"
    return VOTES[Kind.SIMULATED if simulated else Kind.HUMAN]


def _leader(facts: Mapping[str, Any], rows: pd.DataFrame) -> list[str]:
    known, leads = rows.dropna(subset="combined"), facts["leads"]
    if len(known) < 2:
        return ["Only one system has votes: a leader needs two."]
    missing = minimum.describe_shortfall(
        "a leader is named",
        minimum.count_ranking_answers(len(rows), facts["voted"], name_votes(facts)),
        minimum.count_items(facts["voted_items"]),
    )
    if missing:
        return [] if facts["verdict_is_own"] else [missing]
    first = known.iloc[0]
    method = RATINGS[facts["method"]].label
    if leads is None:
        names = join_few_names(list_level(known))
        each = write_rating(facts["method"], first["combined"])
        return [f"With {describe_basis(facts)}, {names} are level at {each} by {method}."]
    ends = (first["combined_low"], first["combined_high"]) if len(known) <= MOST_RANGED else ()
    score = write_rating(facts["method"], first["combined"], *ends)
    rating = "" if facts["unbounded"] == "both" else f" with {score}"
    stands = f"{first['system']} leads{rating}"
    found = [f"With {describe_basis(facts)}, {stands} by {method}."]
    if facts["unbounded"] == "both" or np.isnan(leads["low"]):
        return found
    holds = ", whenever you look" if facts["resolve"] == "always" else ""
    times = 100 if facts["share"] else 1
    by, low, high = (times * leads[name] for name in ("by", "low", "high"))
    lead = f"{by:,.0f} points (95% interval {low:,.0f} to {high:,.0f})"
    return [*found, f"It is {lead} ahead of {leads['over']}, the second{holds}."]


def list_level(rows: pd.DataFrame) -> list[str]:
    """The systems that are first with exactly the same rating."""
    alike = np.isclose(rows["combined"], rows["combined"].max(), rtol=0, atol=1e-6)
    return sorted(str(name) for name in rows.loc[alike, "system"])


def _describe_worth(facts: Mapping[str, Any]) -> str:
    if facts["voted"] == facts["pairs"]:
        return "Every pair has a vote, so there is nothing for judges to add."
    if _adds_nothing(facts):
        return "The judges add next to nothing to the votes here."
    more = max(round(facts["extra_n"]), 1)
    worth = pluralize(more, f"more {name_votes(facts)}")
    return (
        f"The judges are worth {worth}: both together are as certain as "
        f"{facts['n_effective']:,.0f} alone."
    )


def _adds_nothing(facts: Mapping[str, Any]) -> bool:
    return not facts["n_effective"] > facts["voted"] * NOTHING_GAINED


def _describe_weights(facts: Mapping[str, Any], judges: pd.DataFrame) -> list[str]:
    """Describe the weight of each judge, or of the most trusted one; nothing where they add
    nothing, as no votes then say what they should weigh.
    """
    if _adds_nothing(facts):
        return []
    best = judges.sort_values("lambda", ascending=False, kind="stable").iloc[0]
    if best["lambda"] < 0.005:
        return []
    if len(judges) == 1:
        return [f"{best['judge']} counts {best['lambda']:.0%} as much as votes do."]
    whole = judges["lambda"].sum()
    return [
        f"All judges count {whole:.0%} as much as votes do, {best['judge']} the most "
        f"({best['lambda']:.0%})."
    ]


def describe_jury(judges: pd.DataFrame) -> list[str]:
    """Caution about judges weighed by their `discrimination`."""
    contrary = judges.loc[judges["discrimination"] <= 0, "judge"].tolist()
    found = [f"{name} is not counted: the other judges say the opposite." for name in contrary]
    return [
        *found,
        "A jury believes judges that agree: those that copy each other, or share a bias, gain "
        "weight.",
    ]


def _describe_misrated(facts: Mapping[str, Any], rows: pd.DataFrame) -> list[str]:
    if facts["unbounded"] or set(facts["judges"]) <= set(facts["unusable"]):
        return []
    over, under = (
        rows["judge_only"] - rows["combined_high"],
        rows["combined_low"] - rows["judge_only"],
    )
    outside = rows[(over > 0) | (under > 0)]
    if outside.empty:
        return []
    far = (outside["judge_only"] - outside["combined"]).abs()
    row = outside.iloc[int(far.to_numpy().argmax())]
    names = facts["judges"]
    who, s = ("Judges alone", "") if len(names) > 1 else (f"{names[0]} alone", "s")
    way = f"overrate{s}" if row["judge_only"] > row["combined"] else f"underrate{s}"
    alone, both = (write_rating(facts["method"], row[name]) for name in ("judge_only", "combined"))
    return [f"{who} {way} {row['system']} the most: {alone} instead of {both}."]
