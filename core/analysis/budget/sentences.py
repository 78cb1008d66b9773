"""What the replays of a budget come to, in sentences."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import pandas as pd

from core.analysis.judgements import minimum
from core.labels import DEBIASING
from core.pairing import STRATEGIES
from core.statistics import RATINGS

MEASURES = {"spearman": "Spearman", "pair_accuracy": "share of pairs"}


def sentences(
    facts: Mapping[str, Any], rows: pd.DataFrame, tables: Mapping[str, pd.DataFrame]
) -> list[str]:
    """The least that would have done, what it would have taken, and how few candidates would."""
    least = cheapest(tables["needed"])
    found = [_needed(facts, least, tables["needed"])]
    if not minimum.enough(*_counts(facts)):
        return found
    if least is not None:
        found.append(_taken(facts, least))
    return [*found, *_people(facts, rows, tables["all"]), *_fewer(facts, tables["fewer"])]


def cheapest(needed: pd.DataFrame) -> pd.Series | None:
    """The row that reaches the goal with the fewest comparisons; None where none does."""
    there = needed.dropna(subset="needed")
    return None if there.empty else there.sort_values("needed", kind="stable").iloc[0]


def way(row: pd.Series) -> str:
    """A strategy and a method in words."""
    method = RATINGS[row["method"]].label
    corrected = f", {DEBIASING[row['debias']]}" if row["debias"] != "none" else ""
    by = "" if STRATEGIES[row["strategy"]].sorts else f" and {method}{corrected}"
    return f"{row['strategy']}{by}"


def amount(value: float) -> str:
    """A number of comparisons an item, with a digit where there are few."""
    return f"{value:,.0f}" if value >= 9.95 else f"{value:.1f}"


def _count(facts: Mapping[str, Any], each: float) -> str:
    """So many an item; where items hold a pair or less, of all items together."""
    return f"{each * facts['items']:,.0f}" if _together(facts) else amount(each)


def _together(facts: Mapping[str, Any]) -> bool:
    return bool(facts["level"] == "system" and facts["asked"] <= 2)


def _counts(facts: Mapping[str, Any]) -> tuple[minimum.Count, minimum.Count]:
    return minimum.answers(facts["answers"]), minimum.items(facts["items"])


def _needed(facts: Mapping[str, Any], least: pd.Series | None, needed: pd.DataFrame) -> str:
    if few := minimum.still_needed("how many would have done is told", *_counts(facts)):
        return few
    asked, unit = _count(facts, facts["asked"]), "" if _together(facts) else " an item"
    goal = f"{facts['goal']:g} ({MEASURES[facts['figure']]})"
    if least is None:
        return (
            f"Nothing short of all {asked} comparisons{unit} agrees {goal} with all of them; at "
            f"most {needed['at_most'].max():.2f} was reached."
        )
    return (
        f"This ranking needed {_count(facts, least['needed'])} comparisons{unit} to agree {goal} "
        f"with all of them, by {way(least)}; {asked} were asked."
    )


def _taken(facts: Mapping[str, Any], least: pd.Series) -> str:
    """What the least would have taken, beside what all have."""
    words = []
    for name, form in (("tokens", "{:,.0f}"), ("money", "{:,.2f}"), ("minutes", "{:,.1f}")):
        some, all_ = least[name], facts[f"{name}_asked"]
        if not math.isnan(some):
            unit = {"money": "in the currency of your prices"}.get(name, name)
            if name == "minutes" and facts["people"]:
                unit = "minutes of people's time"
            words.append(f"{form.format(some)} instead of {form.format(all_)} {unit}")
    missing = [
        name
        for name in ("tokens", "money", "minutes")
        if math.isnan(least[name]) and not (facts["people"] and name != "minutes")
    ]
    unknown = f"Not recorded: {', '.join(missing)}." if missing else ""
    return " ".join(filter(None, [f"It would have taken {', '.join(words)}." if words else "",
                                  unknown]))  # fmt: skip


def _people(facts: Mapping[str, Any], rows: pd.DataFrame, by_all: pd.DataFrame) -> list[str]:
    """What all answers reach against people, and whether fewer reach as much."""
    known = by_all.dropna(subset="human_accuracy")
    if not facts["against"] or known.empty:
        return []
    row = known.sort_values("human_accuracy", ascending=False, kind="stable").iloc[0]
    method = RATINGS[row["method"]].label
    return [
        f"All comparisons order {row['human_accuracy']:.0%} of pairs as {facts['against']} do "
        f"(by {method})."
    ]


def _fewer(facts: Mapping[str, Any], fewer: pd.DataFrame) -> list[str]:
    if fewer.empty:
        return []
    row = fewer.iloc[0] if len(fewer) < 3 else fewer.iloc[len(fewer) // 2 - 1]
    of = int(fewer["candidates"].max())
    return [
        f"Among {row['candidates']:.0f} of {of} candidates alone, {row['as_all']:.0%} of pairs are "
        "ordered as among all."
    ]
