"""Parts that a setting, or a method of its kind, adds to a leaderboard."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pandas as pd

from ...statistics import (
    control_effects,
    intervals,
    ratings,
    regularised_bradley_terry,
    sep_steps,
)
from .controls import name_column
from .fitted_board import FittedBoard, prepare_drawing, rate_frame
from .rating_input import SYSTEMS, get_weights, list_needs, weigh_rows
from .sep_elo import compare_to_elo, describe_mean_step

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
    return BoardPart(beside, [describe_mean_step(sep_steps(**fitted.arguments), settings.k)])


def _estimate_controls(fitted: FittedBoard) -> BoardPart:
    """The effect of each control on answers, as the table `controls` and a sentence each."""
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
    """Ratings of the comparisons without what they are corrected for, and what the correction
    changes.
    """
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


PARTS = (_compare_to_elo, _compare_uncontrolled, _estimate_controls, _regularise)
