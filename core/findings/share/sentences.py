"""Sentences about shared work."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from ...labels import join_few_names, pluralize, round_up_to_two_digits, shorten_judges
from .signals import EVERY


def describe_share(facts: Mapping[str, Any]) -> list[str]:
    """Describe who answers how much and what is promised, what is still to ask, and what the
    promise is about.
    """
    if not facts["accepted"]:
        return [*_describe_none(facts), *_warn_of_no_sample(facts)]
    judges = join_few_names([shorten_judges(name) for name in facts["judges"]])
    several = len(facts["judges"]) > 1 or EVERY in facts["judges"]
    verb, alone = ("answer", "by themselves") if several else ("answers", "by itself")
    people = facts["pairs"] - facts["accepted"]
    return [
        f"Of {pluralize(facts['pairs'], 'pair')} {judges} {verb} {facts['accepted']:,} {alone} "
        f"({_promise(facts)}), people {people:,}.",
        *_describe_left(facts),
        *_warn_of_no_sample(facts),
        _describe_about(facts),
    ]


def _promise(facts: Mapping[str, Any]) -> str:
    if facts["promise"] == "average":
        return f"{facts['accept_error']:.0%} of them differ from people at most, on average"
    error, confidence = (f"{facts[name]:.0%}" for name in ("accept_error", "confidence"))
    return f"at most {error} of them differ from people, {confidence} sure"


def _describe_left(facts: Mapping[str, Any]) -> list[str]:
    if not facts["left"]:
        if facts["failed"]:
            failed = pluralize(facts["failed"], "answer")
            return [f"Every pair is answered but those of {failed} that judges failed to give."]
        return ["Every pair is answered."]
    return [f"{facts['left']:,} of these still wait for people."]


def _describe_none(facts: Mapping[str, Any]) -> list[str]:
    votes = f"votes on {pluralize(facts['sampled'], 'pair')}"
    found = [
        f"With {votes}, judges may answer nothing alone if at most {facts['accept_error']:.0%} "
        "are to differ from people."
    ]
    if not facts["decided"]:
        return ["These judges prefer no text, so people answer every pair."]
    if math.isnan(facts["least_error"]):
        found.append(
            f"It takes at least {facts['fewest']} where a judge is sure, and no mistake. Let "
            "people vote on pairs at random."
        )
    elif facts["needed"] is None:
        found.append(
            f"Even where it is surest, {facts['least_error']:.0%} differ: allow more, try another "
            "signal, or let people answer."
        )
    elif facts["next_look"] or facts["needed"] > facts["sampled"]:
        number = facts["next_look"] or round_up_to_two_digits(facts["needed"])
        found.append(f"About {number:,.0f} pairs with votes should do, if it errs as often as now.")
    else:
        found.append("It errs seldom enough so far, but votes are few: ask about some more pairs.")
    return found


def _warn_of_no_sample(facts: Mapping[str, Any]) -> list[str]:
    if not facts["unsampled"]:
        return []
    return [
        f"Pairs with {pluralize(facts['unsampled'], 'vote')} were not chosen at random, so the "
        "promise may not hold."
    ]


def _describe_about(facts: Mapping[str, Any]) -> str:
    looks = " at every look" if facts["looks"] > 1 else ""
    return (
        f"The promise holds{looks} for pairs like these, this judge as it is, and people like "
        "those who voted."
    )
