"""Sentences about the votes still needed."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import pandas as pd

from ...labels import pluralize

UNLIKELY = 0.05
"""A chance below which nothing is expected."""
FEW = 50
"""Pairs with votes below which a plan is rough: the backtest in tests/evidence/combine.md."""


def sentences(facts: Mapping[str, Any], needed: pd.DataFrame) -> list[str]:
    """Quote the verdict, and describe what tells the ranks apart in the combined estimate, with the
    present judges, with votes alone, by judges' answers, and at the lowest cost.
    """
    rows = needed.set_index("way")
    judges = pluralize(len(facts["judges"]), "judge")
    if facts["now"] >= 1:
        enough = f"The combined estimate with {judges} needs no more votes for {_goal(facts)}."
        return [facts["verdict"], f"{enough} That is for one look."]
    found = [
        facts["verdict"],
        _votes(facts, _row(needed, "together"), f"With {judges} already run, "),
        _describe_votes_alone(_row(needed, "people")),
        *_say_every_look(_row(needed, "together")),
    ]
    return [*found, _answers(_row(needed, "judges")), *_money(rows)]


def _row(needed: pd.DataFrame, way: str) -> pd.Series:
    return needed[needed["way"] == way].iloc[0]


def _goal(facts: Mapping[str, Any]) -> str:
    whole = facts["top"] == facts["systems"] - 1
    top = facts["systems"] if whole else facts["top"]
    return f"{'rank 1' if top == 1 else f'ranks 1 to {top}'} at {facts['level']:.0%}"


def _votes(facts: Mapping[str, Any], row: pd.Series, begins: str) -> str:
    if math.isinf(row["more"]):
        return f"{begins}{_describe_unlikely_goal(row, 'more votes', _goal(facts))}."
    more = f"about {row['more']:,.0f} more votes ({_range(row['low'], row['high'])})"
    return f"{begins}the combined estimate needs {more} for {_goal(facts)}."


def _range(low: float, high: float) -> str:
    most = "far more" if math.isinf(high) else f"{high:,.0f}"
    return f"{low:,.0f} to {most} in four of five cases"


def _describe_votes_alone(row: pd.Series) -> str:
    if math.isinf(row["more"]):
        return f"With votes alone, {_describe_unlikely_goal(row, 'more votes', 'it')}."
    if row["more"] == 0:
        return "The votes alone need no more for it."
    return (
        f"With votes alone it takes about {row['more']:,.0f} ({_range(row['low'], row['high'])})."
    )


def _say_every_look(row: pd.Series) -> list[str]:
    """Describe the number needed if results are looked at any number of times."""
    if math.isinf(row["more"]):
        return []
    begins = "That is for one look, at a number fixed beforehand. To look as often as you like"
    if math.isinf(row["more_always"]):
        return [f"{begins} takes more than {row['most']:,.0f}."]
    ends = _range(row["always_low"], row["always_high"])
    return [f"{begins} takes about {row['more_always']:,.0f} ({ends})."]


def _answers(row: pd.Series) -> str:
    if math.isinf(row["more"]):
        return (
            f"Without more votes, {_describe_unlikely_goal(row, 'more answers by judges', 'it')}."
        )
    return (
        f"Without more votes, {row['more']:,.0f} more answers by judges, on new items, are "
        "expected to do."
    )


def _describe_unlikely_goal(row: pd.Series, what: str, goal: str) -> str:
    """Describe that a goal is unlikely, or its probability at the largest number examined."""
    if row["chance"] < UNLIKELY:
        return f"{what} are not expected to do for {goal}: the chance stays at {row['chance']:.0%}"
    return f"even {row['most']:,.0f} {what} do for {goal} with a chance of only {row['chance']:.0%}"


def _money(rows: pd.DataFrame) -> list[str]:
    if "mix" not in rows.index or not math.isfinite(rows["cost"]["mix"]):
        return []
    mix, votes = rows.loc["mix"], rows.loc["together"]
    what = f"{mix['votes']:,.0f} votes"
    if mix["answers"] > 0:
        what += f" and {mix['answers']:,.0f} answers by judges"
    beside = f" instead of {votes['cost']:,.2f}" if mix["answers"] > 0 else ""
    return [f"Cheapest: {what}, for {mix['cost']:,.2f}{beside}, in the currency of the prices."]


def notes(facts: Mapping[str, Any], needed: pd.DataFrame) -> list[str]:
    """Note what a reader of a plan must know."""
    found = [
        "Errors beyond these votes are assumed to shrink as among parts of them. "
        f"{facts['shrinks']:.0%} of the variance shrinks with the votes, the rest with new "
        "items."
    ]
    votes = needed.loc[needed["way"].isin(["together", "people"]), "more"]
    if ((votes + facts["voted"] > facts["pairs"]) & (votes < math.inf)).any():
        found.append(
            f"More votes than the {facts['pairs']:,} judged pairs means new items like these."
        )
    if facts["voted"] < FEW:
        found.append(
            f"Only {pluralize(facts['voted'], 'pair')} with votes: a plan from so few is rough."
        )
    if math.isnan(facts["vote_price"]) or math.isnan(facts["answer_price"]):
        found.append("There is no cost here: a price of votes or of judges' answers is not known.")
    return found
