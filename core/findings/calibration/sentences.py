"""Sentences about calibration."""

from __future__ import annotations

import pandas as pd

from ...labels import pluralize
from ...settings import list_settings
from ...statistics import intervals
from .settings import CalibrateSettings

STEEP = 1.25  # a slope so far from 1 is worth a word
NOTHING = 0.1  # a slope below which a probability of 99% becomes one between 39% and 61%

MAPS = {
    "temperature": "one temperature",
    "platt": "Platt's slope and shift",
    "isotonic": "an isotonic map",
}


def describe_calibration(rows: pd.DataFrame, against: str) -> list[str]:
    """Describe how far each judge's probabilities are from the votes, and name the best calibration
    map.
    """
    groups = rows.groupby(["judge", "attribute"], sort=False)
    votes = list_settings(CalibrateSettings)["against"].choices[against]
    several_attributes = rows["attribute"].nunique() > 1
    found = []
    for (judge, attribute), of in groups:
        where = f" on {attribute}" if several_attributes else ""
        found.append(_sentence(f"{judge}{where}", of, votes))
    return found


def _sentence(who: str, of: pd.DataFrame, votes: str) -> str:
    given = of.iloc[0]
    is_shown = (of["p"] < intervals.ALPHA) & (of["brier"] < given["brier"])
    start = (
        f"{who}: its probabilities are {_points(given['calibration_error'])} off what {votes} say "
        f"({_points(given['error_by_chance'])} by chance alone), on "
        f"{pluralize(int(given['items']), 'item')}."
    )
    parts = [start, _confidence(of)]
    if given["p"] >= intervals.ALPHA:
        parts.insert(1, "Chance may explain that.")
    if not is_shown.any():
        parts.append("No map is shown to bring them closer on items it has not seen.")
    else:
        best = of[is_shown].sort_values("brier").iloc[0]
        parts.append(
            f"Corrected by {MAPS[best['map']]}, they are {_points(best['calibration_error'])} off; "
            f"the Brier score falls from {given['brier']:.3f} to {best['brier']:.3f}."
        )
    return " ".join(filter(None, parts))


def _confidence(of: pd.DataFrame) -> str:
    """Describe overconfidence or underconfidence by the slope of a map and its interval; '' if
    neither is shown, where chance may explain the errors, or without a slope.
    """
    slopes = of.dropna(subset="slope_low")
    if slopes.empty:
        return ""
    slope, low, high = (
        float(slopes[name].iloc[0]) for name in ("slope", "slope_low", "slope_high")
    )
    if low > -NOTHING and high < NOTHING:
        return "They say next to nothing about what is preferred."
    if high < 0:
        return "It prefers what is rejected."
    if low <= 0:
        return "Whether they say anything about preferences is unknown."
    if of["p"].iloc[0] >= intervals.ALPHA:
        return ""
    times = f"its log-odds should be {slope:.2f} times as large ({low:.2f} to {high:.2f})."
    if high < 1 and slope < 1 / STEEP:
        return f"It is too sure of itself: {times}"
    if low > 1 and slope > STEEP:
        return f"It is not sure enough: {times}"
    return ""


def _points(error: float) -> str:
    value = 100 * error
    return f"{value:.1f} points" if value < 10 else f"{value:.0f} points"
