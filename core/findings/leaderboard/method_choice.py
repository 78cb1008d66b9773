"""Choose the rating method for a set of comparisons, and check whether methods agree on the
leader.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from ...labels import join_few_names, percent
from ...statistics import RATINGS, Floats, unevenness

SAME_OPPONENTS, OTHER_OPPONENTS = "win-ratio", "bradley-terry"
TOLERANCE = 0.05
"""Whom it met can move a win ratio by no more: about as much as a count of 400 leaves open."""
COUNTING = ("decisions", "probabilities")  # what a share of comparisons is a share of
LEADING = ("win-ratio", "macro-win-ratio", "bradley-terry")
"""Methods that take the same decisions, and whose leaders are held against each other."""


class MethodChoice(NamedTuple):
    """The method that suits the comparisons, why, and how unevenly their systems met (0 to 1)."""

    method: str
    because: str
    unevenness: float


def choose_method(first: Any, second: Any, *, n: int, times: Floats | None = None) -> MethodChoice:
    """Choose the win ratio if every system met every other equally often, else Bradley-Terry: a win
    ratio also says whom a system met, and Bradley-Terry allows for that.

    Equally often means that no system would have to meet others in more than TOLERANCE of its
    comparisons. `times` is the number of comparisons in each row.
    """
    value = unevenness(first, second, n=n, times=times)
    if value > TOLERANCE:
        return MethodChoice(OTHER_OPPONENTS, "systems met different opponents", value)
    return MethodChoice(SAME_OPPONENTS, "every system met the others about equally often", value)


def choose_method_by(frame: pd.DataFrame, groups: str, sides: tuple[str, str]) -> MethodChoice:
    """Choose a method for comparisons rated by group: Bradley-Terry if it suits any of the
    groups.
    """
    choices = []
    for _, group in frame.groupby(groups, sort=False):
        codes, names = pd.factorize(group[list(sides)].to_numpy().ravel())
        choices.append(choose_method(*codes.reshape(-1, 2).T, n=len(names)))
    return max(choices, key=lambda choice: choice.unevenness)


Leaders = Mapping[str, Mapping[str, Any]]
"""method -> the `systems` that lead by it, several if they are level, and their `rating`."""


def find_leaders(
    first: Any, second: Any, points: Floats, systems: Any, weights: Floats | None
) -> Leaders:
    """Find the systems that lead by each method of LEADING, ties counting half."""
    found = {}
    for method in LEADING:
        rating = RATINGS[method].rate(first, second, points, n=len(systems), weights=weights)
        best = float(np.nanmax(rating))
        level = np.flatnonzero(np.round(best - np.nan_to_num(rating, nan=-np.inf), 7) <= 0)
        found[method] = {"systems": [str(systems[place]) for place in level], "rating": best}
    return found


def have_one_leader(found: Leaders) -> bool:
    """Return whether one system leads, alone or level, by every method."""
    every = [set(leader["systems"]) for leader in found.values()]
    return not every or bool(set.intersection(*every))


def note_disagreement(found: Leaders) -> list[str]:
    """Note which methods disagree about the leader, with names and figures; empty if they agree."""
    if have_one_leader(found):
        return []
    by_systems: dict[tuple[str, ...], list[str]] = {}
    for method, leader in found.items():
        by_systems.setdefault(tuple(leader["systems"]), []).append(
            f"{RATINGS[method].label} ({write_rating(method, leader['rating'])})"
        )
    told = [f"{join_few_names(names)} by {' and '.join(by)}" for names, by in by_systems.items()]
    return [f"Methods disagree about who leads: {'; '.join(told)}."]


def note_unsuited(choice: MethodChoice, method: str) -> list[str]:
    """Note that a share of comparisons depends on the opponents, if systems met different ones."""
    how = RATINGS[method]
    if choice.method == SAME_OPPONENTS or not how.share or how.outcome not in COUNTING:
        return []
    return [
        f"Systems met different opponents, so {how.label} also says whom each one met. "
        f"{RATINGS[choice.method].label} allows for that."
    ]


def write_rating(method: str, rating: float, low: float = np.nan, high: float = np.nan) -> str:
    """A rating as sentences give it, with its interval if known: 65% (95% interval 60 to 70)."""
    if RATINGS[method].share:
        return percent(rating, low, high)
    return f"{rating:,.0f}" + f" (95% interval {low:,.0f} to {high:,.0f})" * (not np.isnan(low))


def list_facts(choice: MethodChoice, asked: str, found: Leaders | None = None) -> dict[str, Any]:
    """Return a result's facts about its method: method, because (None if it was requested), suited
    and unevenness; if there is a leader, also `leaders` (method -> systems, rating) and
    `leaders_agree`.
    """
    facts: dict[str, Any] = {
        "method": asked or choice.method,
        "because": None if asked else choice.because,
        "suited": choice.method,
        "unevenness": choice.unevenness,
    }
    return facts | ({"leaders": found, "leaders_agree": have_one_leader(found)} if found else {})
