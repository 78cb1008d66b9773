"""The columns of agreement, each declared once for every door, and sentences about them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pandas as pd

from ...labels import KINDS, capitalise, name_group, name_members, percent, pluralize
from ...rendering import COUNT, DECIMAL, SHARE, Column, Interval, LabelledWords, Place
from ..judgements import minimum
from ..judgements.finding import Finding
from ..judgements.judges import JUDGE, KIND, declare_estimate, find_most_extreme

LEFT_OUT = Interval(
    "95% intervals: Student's of the logit, from items and judges left out in turn.",
    "Student's of the logit, with the variance of leaving out one item, or judge",
)
GROUP = Column("group", "between", LabelledWords(name=name_group))
VERDICTS = Column("verdicts", "verdicts", COUNT, "Pairs of verdicts on the same two texts")
SAME = declare_estimate(
    "agreement", "same verdict", SHARE,
    "Share of the pairs of texts both judged that have the same verdict",
)  # fmt: skip
CHANCE = Column(
    "chance",
    "by chance",
    SHARE,
    "Share of equal verdicts of two who tie as often and know nothing of each other",
)
KAPPA = declare_estimate(
    "kappa", "kappa", DECIMAL, "Agreement beyond chance: 1 is always, 0 as by chance", ends="",
    interval=LEFT_OUT,
)  # fmt: skip
COHEN = replace(KAPPA, label="Cohen's kappa")
RIGHT = declare_estimate(
    "accuracy", "right", SHARE,
    "Single answers that prefer what most annotators prefer, a tie being half right",
    place=Place.SCREEN,
)  # fmt: skip
PAIRS = (
    Column("judge_1", "judge", names_people=True),
    Column("judge_2", "and", names_people=True),
    Column("group", "between", LabelledWords(name=name_group), place=Place.FILES),
    Column("items", "items", COUNT, place=Place.SCREEN),
    VERDICTS,
    SAME,
    CHANCE,
    COHEN,
)
"""Columns of each pair of judges."""
GROUPS = (
    GROUP,
    Column("pairs", "pairs", COUNT, "Of judges", place=Place.SCREEN),
    VERDICTS,
    SAME,
    CHANCE,
    KAPPA,
    Column(
        "kappa_by", "kappa by", LabelledWords(name=str.capitalize),
        "Cohen's of two judges, or kinds; Fleiss' of several judges of one kind",
    ),
    Column("over", "over", help="What intervals generalise to", place=Place.SCREEN),
)  # fmt: skip
"""Columns of each pair of kinds of judges."""
AGAINST_MOST = (
    JUDGE,
    KIND,
    VERDICTS,
    SAME,
    CHANCE,
    COHEN,
    Column("answers", "answers", COUNT, place=Place.SCREEN),
    RIGHT,
)
"""Columns of each judge against the majority of people."""
JUDGES = (
    JUDGE,
    KIND,
    Column("pairs", "pairs", COUNT, "Pairs of texts with a verdict"),
    declare_estimate("ties", "ties", SHARE, "Pairs on which the judge never preferred either text"),
    Column("repeated", "answered twice", COUNT, "Such as in both orders"),
    declare_estimate(
        "contradicts", "contradicts itself", SHARE,
        "Share of these with as many answers for the one text as for the other",
    ),
)  # fmt: skip
"""Columns of each judge."""
ALPHAS = (
    Column("attribute", "attribute", help="Nothing where all are together"),
    declare_estimate("alpha", "alpha", DECIMAL, ends="", interval=LEFT_OUT),
    Column("units", "pairs of texts", COUNT),
    Column("items", "items", COUNT, place=Place.SCREEN),
    Column("judges", "judges", COUNT, place=Place.SCREEN),
    Column("over", "over", help="What its interval generalises to", place=Place.SCREEN),
    Column("needs", "needs", help="The data that are too few", place=Place.SCREEN),
    Column("enough", "enough", COUNT, "Roughly how many are enough", place=Place.SCREEN),
)
CONFUSION = (
    GROUP,
    Column("verdict_1", "verdict"),
    Column("verdict_2", "and"),
    Column("verdicts", "verdicts", COUNT),
)
BY = (
    Column("by", "by"),
    Column("value", "value"),
    GROUP,
    declare_estimate("agreement", "same verdict", SHARE, ends=""),
    VERDICTS,
)  # fmt: skip


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
    shares = []
    for group in told:
        row = groups[group]
        share = percent(row["agreement"], row["agreement_low"], row["agreement_high"])
        shares.append(
            f"{capitalise(name_members(group))} agree on {share} of "
            f"{pluralize(row['verdicts'], 'pair')} of verdicts; by chance it would be "
            f"{percent(row['chance'])}."
        )
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


def explain_disagreement(bins: pd.DataFrame) -> str:
    """Describe whether agreement depends on the items: compares the lowest and the highest bin of
    separability, of the first group with verdicts.
    """
    group, order = str(bins["group"].iloc[0]), list(dict.fromkeys(bins["value"]))
    rows = bins[bins["group"] == group].set_index("value")
    if not {order[0], order[-1]} <= set(rows.index):
        return "There are too few verdicts in the first and last group to tell."
    low, high = rows.loc[order[0]], rows.loc[order[-1]]
    fewest = minimum.count_answers(int(min(low["verdicts"], high["verdicts"])), "verdict")
    if not fewest.is_enough:
        few = minimum.describe_shortfall("the items on which judges agree are reported", fewest)
        return f"In the smaller of the first and last group: {few}"
    why = "There is no evidence that disagreement depends on the items"
    if high["low"] > low["high"]:
        why = "Much of the disagreement comes from the items"
    said = [percent(end["agreement"], end["low"], end["high"]) for end in (low, high)]
    counted = [pluralize(int(end["verdicts"]), "pair") for end in (low, high)]
    return (
        f"{why}. {capitalise(name_members(group))} agree on {said[0]} of {counted[0]} of verdicts "
        f"where the texts are most alike. Where they differ most, they agree on {said[1]} of "
        f"{counted[1]}."
    )


def still_unknown(facts: Mapping[str, Any]) -> str:
    """Explain why there is no meaningful alpha, and how much data it would take. `facts` are those
    of an agreement.
    """
    needs = str(facts["alpha_needs"])
    there = pluralize(int(facts[f"alpha_{needs}"]), needs.removesuffix("s"))
    enough = pluralize(int(facts["alpha_enough"]), needs.removesuffix("s"))
    low, high = facts["alpha_low"], facts["alpha_high"]
    anywhere = f": it may be anything from {low:.2f} to {high:.2f}, and 0 is chance"
    if math.isnan(low):
        anywhere = ""
    alone = ", or choose intervals for these judges only" if needs == "judges" else ""
    told = f"About {enough} would do{alone}."
    return f"{there[0].upper()}{there[1:]} are too few for Krippendorff's alpha{anywhere}. {told}"
