"""Sentences about the replays of a budget."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from ...labels import DEBIASING, capitalise
from ...pairing import STRATEGIES
from ...rendering import Amount
from ...statistics import RATINGS, replay
from ..judgements import minimum

AMOUNT = Amount()
MEASURES = {"spearman": "Spearman", "pair_accuracy": "share of pairs"}
COSTS = {"tokens": "tokens", "money": "in the currency of your prices", "minutes": "minutes"}
"""What comparisons take, and how that is called behind a number."""


def summarise_budget(facts: Mapping[str, Any], tables: Mapping[str, pd.DataFrame]) -> list[str]:
    """The least that would have done, what it would have taken, and how few candidates would."""
    least = find_cheapest(tables["needed"])
    found = [_describe_needed(facts, least)]
    if not minimum.is_enough(*_list_counts(facts)):
        return found
    if least is not None and not explain_obstacle(facts) and least["needed"] < facts["asked"]:
        found.append(_describe_costs(facts, least))
    return [
        *found,
        *_compare_with_people(facts, tables["all"]),
        *_describe_fewer(facts, tables["fewer"]),
    ]


def find_cheapest(needed: pd.DataFrame) -> pd.Series | None:
    """The row that reaches the goal with the fewest comparisons; None where none does."""
    there = needed.dropna(subset="needed")
    return None if there.empty else there.sort_values("needed", kind="stable").iloc[0]


def choose_first_picture(
    rows: pd.DataFrame, needed: pd.DataFrame, methods: Sequence[str]
) -> dict[str, str]:
    """The method and correction (`debias`) that a picture shows first: those of the row that the
    sentences name; of a sort, which has neither, and where no row reaches the goal, the first
    method with its last correction.
    """
    least = find_cheapest(needed)
    if least is not None and least["method"] in methods:
        return {"method": str(least["method"]), "debias": str(least["debias"])}
    of_method = rows.loc[rows["method"] == methods[0], "debias"]
    return {"method": methods[0], "debias": str(of_method.iloc[-1]) if len(of_method) else "none"}


def describe_way(row: pd.Series) -> str:
    """A strategy and a method in words."""
    method = RATINGS[row["method"]].label
    corrected = f", {DEBIASING[row['debias']]}" if row["debias"] != "none" else ""
    by = "" if STRATEGIES[row["strategy"]].sorts else f" and {method}{corrected}"
    return f"{row['strategy']}{by}"


def _write_count(value: float) -> str:
    """A number of comparisons an item, with a digit where there are few."""
    return f"{value:,.0f}" if value >= 9.95 else f"{value:.1f}"


def _write_number(facts: Mapping[str, Any], each: float) -> str:
    """Render a number of comparisons per item; the total over all items where items hold one pair
    or less.
    """
    return f"{each * facts['units']:,.0f}" if _is_over_all(facts) else _write_count(each)


def _is_over_all(facts: Mapping[str, Any]) -> bool:
    return bool(facts["level"] == "system" and facts["asked"] <= 2)


def _list_counts(facts: Mapping[str, Any]) -> tuple[minimum.Count, minimum.Count]:
    return minimum.count_answers(facts["answers"]), minimum.count_items(facts["items"])


def explain_obstacle(facts: Mapping[str, Any]) -> str:
    """Explain why no budget is named; '' if one can be."""
    if few := minimum.describe_shortfall(
        "the number that would have done is reported", *_list_counts(facts)
    ):
        return few
    if not facts["told_apart"]:
        return (
            "All comparisons together rank nobody beyond chance, so there is no ranking to reach."
        )
    if facts["level"] == "system" and facts["systems"] < replay.FEWEST:
        return (
            "Two systems have no rank correlation but 1 and -1: a sufficient number takes "
            f"{replay.FEWEST} systems or more."
        )
    return ""


def _describe_needed(facts: Mapping[str, Any], least: pd.Series | None) -> str:
    if why := explain_obstacle(facts):
        return why
    asked, unit = _write_number(facts, facts["asked"]), "" if _is_over_all(facts) else " an item"
    goal = f"{facts['goal']:g} ({MEASURES[facts['figure']]})"
    if least is None or least["needed"] >= facts["asked"]:
        return (
            f"Only all {asked} comparisons{unit} are enough: nothing less agrees {goal} with them."
        )
    between = _write_between(facts, least)
    return (
        f"{capitalise(between)} comparisons{unit} would have been enough by {describe_way(least)}; "
        f"{asked} were asked. Enough means that the ranking agrees {goal} with that by all of them."
    )


def _write_between(facts: Mapping[str, Any], least: pd.Series) -> str:
    """A number, or where the budgets around it are far apart, these."""
    low, high = (_write_number(facts, least[f"needed_{end}"]) for end in ("low", "high"))
    if least["needed_high"] <= replay.WIDE * least["needed_low"]:
        return _write_number(facts, least["needed"])
    return f"between {low} and {high}" if least["needed_low"] else f"at most {high}"


def _describe_costs(facts: Mapping[str, Any], least: pd.Series) -> str:
    """Describe what the least budget would have cost, and what all comparisons cost."""
    words, missing = [], []
    for name, unit in COSTS.items():
        some, asked = least[name], facts[f"{name}_asked"]
        if math.isnan(some):
            missing += [name] if name == "minutes" or not facts["people"] else []
            continue
        if name == "minutes" and asked < 1:
            some, asked, unit = 60 * some, 60 * asked, "seconds"
        whose = " of people's time" if name == "minutes" and facts["people"] else ""
        words.append(f"{AMOUNT.write(some)} instead of {AMOUNT.write(asked)} {unit}{whose}")
    taken = f"It would have taken {', '.join(words)}." if words else ""
    unknown = f"Not recorded: {', '.join(missing)}." if missing else ""
    return " ".join(filter(None, (taken, unknown)))


def _compare_with_people(facts: Mapping[str, Any], by_all: pd.DataFrame) -> list[str]:
    """Describe how well all answers agree with people."""
    known = by_all.dropna(subset="human_accuracy")
    if not facts["against"] or known.empty:
        return []
    row = known.sort_values("human_accuracy", ascending=False, kind="stable").iloc[0]
    method = RATINGS[row["method"]].label
    return [
        f"All comparisons order {row['human_accuracy']:.0%} of pairs as {facts['against']} do "
        f"(by {method})."
    ]


def _describe_fewer(facts: Mapping[str, Any], fewer: pd.DataFrame) -> list[str]:
    if fewer.empty:
        return []
    row = fewer.iloc[0] if len(fewer) < 3 else fewer.iloc[len(fewer) // 2 - 1]
    of = int(fewer["candidates"].max())
    return [
        f"With {row['candidates']:.0f} of {of} candidates, {row['as_all']:.0%} of pairs are in the "
        "same order as with all."
    ]
