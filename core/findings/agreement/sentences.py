"""Sentences about agreement: its size, its interval, and whether there is enough data."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import pandas as pd

from ...labels import KINDS, capitalise, name_members, percent, pluralize
from ...rendering import DECIMAL
from ..judgements import Finding, find_most_extreme, minimum
from .alphas import still_unknown

HEADLINE = (
    "human-human",
    "human-llm",
    "simulated-simulated",
    "simulated-llm",
    "llm-llm",
    "human-gold",
    "llm-gold",
)


def describe_agreement(result: Finding) -> str:
    """Describe how far people agree with each other and with models, and who contradicts
    themselves.
    """
    groups = {row["group"]: row for row in result.tables["groups"].to_dict("records")}
    if not groups:
        answered = "No two judges have answered the same pair."
        nobody = answered if result.judgements else "No judge has answered."
        return " ".join(result.facts["cautions"]) or nobody
    first, *more = [group for group in HEADLINE if group in groups] or list(groups)[:3]
    told = [group for group in (first, *more) if not _explain_shortfall(result, groups[group])]
    shares = [
        f"{capitalise(name_members(group))} agree on {_share(groups[group])}." for group in told
    ]
    few = _explain_shortfall(result, groups[first])
    cautions = result.facts["cautions"] or [_describe_contradictions(result)]
    return " ".join(filter(None, [*shares, few, *cautions]))


def describe_alpha(facts: Mapping[str, Any]) -> list[str]:
    """Krippendorff's alpha, of the facts of an agreement, and how many it takes to tell."""
    if not facts["alpha_of"]:
        return []
    judges = " and ".join(KINDS[kind] for kind in str(facts["alpha_of"]).split("+"))
    of, pairs = f"Krippendorff's alpha of {judges}", pluralize(facts["units"], "pair")
    if math.isnan(facts["alpha"]):
        return [f"{of} is undefined: every verdict is a tie, on {pairs} of texts."]
    if facts["alpha_needs"]:
        return [still_unknown(facts)]
    alpha = DECIMAL.write_with_range(facts["alpha"], facts["alpha_low"], facts["alpha_high"])
    return [f"{of} is {alpha}, from {pairs} of texts with at least two verdicts."]


def _share(row: dict[Any, Any]) -> str:
    low, high = row["agreement_low"], row["agreement_high"]
    number = pluralize(row["verdicts"], "pair")
    chance = f"by chance it would be {percent(row['chance'])}"
    return f"{percent(row['agreement'], low, high)} of {number} of verdicts; {chance}"


def _explain_shortfall(result: Finding, row: dict[Any, Any]) -> str:
    items = int(result.rows.loc[result.rows["group"] == row["group"], "items"].max())
    verdicts = minimum.count_answers(row["verdicts"], "pair")
    claim = f"how often {name_members(row['group'])} agree is reported"
    return minimum.describe_shortfall(claim, verdicts, minimum.count_items(items))


def _describe_contradictions(result: Finding) -> str:
    rows = result.tables["judges"]
    told = rows[(rows["repeated"] >= minimum.OF_EACH) & (rows["contradicts"] > 0)]
    if told.empty:
        return ""
    row = find_most_extreme(told, told["contradicts"], len(told))
    share = percent(row["contradicts"], row["contradicts_low"], row["contradicts_high"])
    most = ", more often than any other judge" if len(told) > 1 else ""
    return (
        f"{row['judge']} contradicts itself on {share} of {pluralize(row['repeated'], 'pair')} it "
        f"answered twice{most}."
    )


def explain_disagreement(bins: pd.DataFrame, separable: bool, binned_by: str) -> str:
    """Describe whether agreement depends on the items. Compares the lowest and the highest bin of
    separability, or of another group's agreement.
    """
    first = name_members(binned_by)
    group = binned_by if separable else bins["group"].iloc[0]
    order = list(dict.fromkeys(bins["value"]))
    rows = bins[bins["group"] == group].set_index("value")
    if not {order[0], order[-1]} <= set(rows.index):
        return "There are too few verdicts in the first and last group to tell."
    low, high = rows.loc[order[0]], rows.loc[order[-1]]
    fewest = minimum.count_answers(int(min(low["verdicts"], high["verdicts"])), "verdict")
    if not fewest.is_enough:
        few = minimum.describe_shortfall("the items on which judges agree are reported", fewest)
        return f"In the smaller of the first and last group: {few}"
    least, most = f"where {first} agree least", "where they agree most"
    if separable:
        least, most = "where the texts are most alike", "where they differ most"
    why = "There is no evidence that disagreement depends on the items"
    if high["low"] > low["high"]:
        why = "Much of the disagreement comes from the items"
    said = [percent(end["agreement"], end["low"], end["high"]) for end in (low, high)]
    counted = [pluralize(int(end["verdicts"]), "pair") for end in (low, high)]
    return (
        f"{why}. {capitalise(name_members(group))} agree on {said[0]} of {counted[0]} of verdicts "
        f"{least}, and on {said[1]} of {counted[1]} {most}."
    )
