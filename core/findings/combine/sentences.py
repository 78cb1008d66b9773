"""Sentences about the combined estimate."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from ...labels import VOTES, join_few_names, name_these, percent, pluralize
from ...records import Kind
from ...statistics import RATINGS
from ..judgements import MOST_RANGED, minimum

NOTHING_GAINED = 1.02
"""A ratio of variances that is as good as none: intervals that are 1% narrower."""


def sentences(facts: Mapping[str, Any], rows: pd.DataFrame, judges: pd.DataFrame) -> list[str]:
    """Describe the leader and its lead, the value of the judges, the most trusted judge."""
    return [
        *_leader(facts, rows),
        facts["verdict"],
        *_describe_coverage(rows),
        *_warn_of_no_sample(facts),
        *facts["cautions"],
        *_describe_unbounded(facts),
        *_worth(facts),
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


def basis(facts: Mapping[str, Any]) -> str:
    """Render the data of an estimate: "120 human votes and 3 judges"; with "by these three
    annotators" where it speaks of them alone.
    """
    votes, number = pluralize(facts["voted"], noun(facts)), facts["annotators"] or 0
    if number > 1:
        votes = f"{votes} by {name_these(number, 'annotator')}"
    return f"{votes} and {pluralize(len(facts['judges']), 'judge')}"


def noun(facts: Mapping[str, Any]) -> str:
    """Return the noun of the effective number, such as "human vote"."""
    if facts["from_scores"]:
        return "derived comparison"
    if facts["gold"]:
        return "gold label"
    simulated = facts["kinds"] == [Kind.SIMULATED]
    if facts["votes"] != facts["voted"] or (Kind.SIMULATED in facts["kinds"] and not simulated):
        return "simulated verdict" if simulated else "voted pair"
    return VOTES[Kind.SIMULATED if simulated else Kind.HUMAN]


def render_rating(
    facts: Mapping[str, Any], row: pd.Series, name: str, *, ranged: bool = True
) -> str:
    """A rating, `ranged` with its interval."""
    value, low, high = (row[each] for each in (name, f"{name}_low", f"{name}_high"))
    if not ranged:
        return _render_value(facts, value)
    if facts["share"]:
        return percent(value, low, high)
    return f"{value:,.0f} (95% interval {low:,.0f} to {high:,.0f})"


def _leader(facts: Mapping[str, Any], rows: pd.DataFrame) -> list[str]:
    known, leads = rows.dropna(subset="combined"), facts["leads"]
    if len(known) < 2:
        return ["Only one system has votes: a leader needs two."]
    missing = minimum.describe_shortfall(
        "a leader is named",
        minimum.count_ranking_answers(len(rows), facts["voted"], noun(facts)),
        minimum.count_items(facts["voted_items"]),
    )
    if missing:
        return [] if facts["verdict_is_own"] else [missing]
    first = known.iloc[0]
    method = RATINGS[facts["method"]].label
    if leads is None:
        names = join_few_names(level(known))
        each = _render_value(facts, known.iloc[0]["combined"])
        return [f"With {basis(facts)}, {names} are level at {each} by {method}."]
    score = render_rating(facts, first, "combined", ranged=len(known) <= MOST_RANGED)
    rating = "" if facts["unbounded"] == "both" else f" with {score}"
    stands = f"{first['system']} leads{rating}"
    found = [f"With {basis(facts)}, {stands} by {method}."]
    if facts["unbounded"] == "both" or np.isnan(leads["low"]):
        return found
    holds = ", whenever you look" if facts["resolve"] == "always" else ""
    return [
        *found,
        f"It is {_render_lead(facts, leads)} ahead of {leads['over']}, the second{holds}.",
    ]


def level(rows: pd.DataFrame) -> list[str]:
    """The systems that are first with exactly the same rating."""
    alike = np.isclose(rows["combined"], rows["combined"].max(), rtol=0, atol=1e-6)
    return sorted(str(name) for name in rows.loc[alike, "system"])


def _warn_of_no_sample(facts: Mapping[str, Any]) -> list[str]:
    if not facts["unsampled"]:
        return []
    return [
        f"Pairs with {pluralize(facts['unsampled'], 'vote')} were not chosen at random, so figures "
        "and intervals may be wrong."
    ]


def _describe_unbounded(facts: Mapping[str, Any]) -> list[str]:
    if not facts["unbounded"]:
        return []
    alone = "By votes alone, some" if facts["unbounded"] == "votes" else "Some"
    return [
        f"{alone} systems won or lost everything: their strengths and intervals are finite only by "
        "a weak prior."
    ]


def _render_lead(facts: Mapping[str, Any], leads: Mapping[str, Any]) -> str:
    times = 100 if facts["share"] else 1
    by, low, high = (times * leads[name] for name in ("by", "low", "high"))
    return f"{by:,.0f} points (95% interval {low:,.0f} to {high:,.0f})"


def _worth(facts: Mapping[str, Any]) -> list[str]:
    if facts["voted"] == facts["pairs"]:
        return ["Every pair has a vote, so there is nothing for judges to add."]
    if _adds_nothing(facts):
        return ["The judges add next to nothing to the votes here."]
    more = max(round(facts["extra_n"]), 1)
    return [
        f"The judges are worth {pluralize(more, f'more {noun(facts)}')}: both together are as "
        f"certain as {facts['n_effective']:,.0f} alone."
    ]


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
    alone, both = (_render_value(facts, row[name]) for name in ("judge_only", "combined"))
    return [f"{who} {way} {row['system']} the most: {alone} instead of {both}."]


def _render_value(facts: Mapping[str, Any], value: float) -> str:
    return f"{value:.0%}" if facts["share"] else f"{value:,.0f}"
