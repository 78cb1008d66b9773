"""Parts that a setting, or a method of its kind, adds to a leaderboard."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from ...statistics import (
    control_effects,
    intervals,
    ratings,
    regularised_bradley_terry,
    sep_steps,
    win_ratio,
)
from .controls import name_column
from .fitted_board import FittedBoard, prepare_drawing, rate_frame
from .rating_input import SYSTEMS, get_weights, list_needs, weigh_rows

REGULARISED = (
    "Regularised strengths are as if each system had also won half a comparison and lost half. "
    "They have no interval: that of a system that never lost would claim far too much."
)


class BoardPart(NamedTuple):
    """Part that a setting, or a method of its kind, adds: columns, notes and tables."""

    extra_columns: pd.DataFrame = pd.DataFrame()
    notes: Sequence[str] = ()
    tables: Mapping[str, pd.DataFrame] = {}


def _compare_to_elo(fitted: FittedBoard) -> BoardPart:
    settings, frame = fitted.settings, fitted.frame
    if "separability" not in settings.rating_method.needs:
        return BoardPart()
    elo = settings.with_plain_elo()
    drawing = prepare_drawing(frame, fitted.drawn, fitted.selection, elo)
    plain = rate_frame(frame, SYSTEMS, fitted.systems, drawing, elo)
    separability = frame["separability"].to_numpy(float)
    change = ratings.estimate_change(fitted.board, plain, drawing)
    beside = compare_to_elo(
        fitted.columns, separability, plain.rating, change, settings.sep_threshold
    )
    share = float(np.mean(sep_steps(**fitted.arguments))) / settings.k
    spread = "more" if share > 1.005 else "less" if share < 0.995 else "as much"
    said = (
        f"On average a comparison moves sep-Elo by {share:.0%} of Elo's step, which spreads all "
        f"ratings {spread}."
    )
    return BoardPart(beside, [said])


def _estimate_controls(fitted: FittedBoard) -> BoardPart:
    settings, frame = fitted.settings, fitted.frame
    if not settings.control:
        return BoardPart()
    spread = fitted.comparisons.prepared["control"].details["spread"]
    drawing = replace(fitted.restart_drawing(), **weigh_rows(frame))
    control = frame[[name_column(name) for name in spread]].to_numpy(float)
    found = control_effects(
        *fitted.columns, n=len(fitted.systems), control=control,
        sources=list(drawing.sources(len(frame))), weights=drawing.weights,
        position=settings.position_term,
    )  # fmt: skip
    low, high = found.student(found.centre)
    if not drawing.resamples:
        low, high = np.full((2, len(spread)), np.nan)
    effects = pd.DataFrame(
        {
            "control": list(spread),
            "effect": found.centre,
            "low": low,
            "high": high,
            "spread": list(spread.values()),
            "differ": (control != 0).sum(axis=0),
        }
    )
    sentences = []
    for name, effect, least, most in zip(spread, found.centre, low, high, strict=True):
        said = f"One standard deviation more {name} is worth {effect:+.0f} points"
        interval = f" (95% interval {least:+.0f} to {most:+.0f})" * bool(least < most)
        sentences.append(f"{said}{interval}.")
    return BoardPart(notes=sentences, tables={"controls": effects})


def _compare_uncontrolled(fitted: FittedBoard) -> BoardPart:
    removals = [need.remove for need in list_needs(fitted.settings.rating_method) if need.remove]
    if not removals:
        return BoardPart()
    without, drawing = fitted.frame, fitted.restart_drawing()
    for remove in removals:
        without = remove(without)
    plain = rate_frame(without, SYSTEMS, fitted.systems, drawing, fitted.settings)
    change = intervals.spread("change", ratings.estimate_change(fitted.board, plain, drawing))
    return BoardPart(pd.DataFrame({"uncontrolled": plain.rating, **change}))


def _regularise(fitted: FittedBoard) -> BoardPart:
    if not fitted.settings.regularise:
        return BoardPart()
    strengths = regularised_bradley_terry(
        *fitted.columns,
        n=len(fitted.systems),
        weights=get_weights(fitted.frame),
        **fitted.arguments,
    )
    return BoardPart(pd.DataFrame({"regularised": strengths}), [REGULARISED])


def compare_to_elo(
    columns: tuple[Any, Any, Any],
    separability: Any,
    elo: Any,
    change: tuple[Any, Any, Any],
    threshold: float,
) -> pd.DataFrame:
    """Compare sep-Elo to Elo for each system: columns elo, `change` (sep-Elo less Elo, and its
    interval), and `why`, a sentence.
    """
    above = separability >= threshold

    def count_wins(part: Any) -> tuple[Any, Any]:
        first, second, outcome = (column[part] for column in columns)
        sides = np.concatenate([first, second])
        share = win_ratio(first, second, outcome, n=len(elo))
        return share, np.bincount(sides, minlength=len(elo))

    (won_far, far), (won_near, near) = count_wins(above), count_wins(~above)
    moved = map(_describe_change, *change)
    halves = map(partial(_describe_halves, threshold=threshold), won_far, far, won_near, near)
    why = [f"{how_far}: {where}." for how_far, where in zip(moved, halves, strict=True)]
    return pd.DataFrame({"elo": elo, **intervals.spread("change", change), "why": why})


def _describe_change(change: float, low: float, high: float) -> str:
    known = low < high
    sign = "Up" if change > 0 else "Down"
    moved = f"{sign} {abs(change):.1f}" if round(change, 1) else "Unchanged"
    moved += f" ({low:+.1f} to {high:+.1f})" if known else ""
    return f"{moved}, which may be chance" if known and low <= 0 <= high else moved


def _describe_halves(
    won_far: float, far: int, won_near: float, near: int, *, threshold: float
) -> str:
    if not near or not far:
        where = f"of {threshold:g} or more" if far else f"below {threshold:g}"
        if far + near == 1:
            return f"its comparison has a separability {where}"
        return f"all its {far + near:,} comparisons have a separability {where}"
    return (
        f"it won {won_far:.0%} of the {far:,} comparisons that count more (separability from "
        f"{threshold:g}) and {won_near:.0%} of the other {near:,}"
    )


PARTS = (_compare_to_elo, _compare_uncontrolled, _estimate_controls, _regularise)
