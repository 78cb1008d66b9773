"""A fitted leaderboard: the comparisons behind it, the resampling of its intervals, its rows, and
parts that a setting, or a method of its kind, adds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated, Any, NamedTuple, cast

import numpy as np
import pandas as pd

from ...frames import Schema
from ...records import Outcome, TandemError
from ...statistics import (
    Drawing,
    Resolve,
    control_effects,
    intervals,
    ratings,
    regularised_bradley_terry,
    sep_steps,
    win_ratio,
)
from ..judgements.population import Population, code_families
from ..judgements.selection import Selection
from .needs import name_column
from .rating_input import (
    SYSTEMS,
    RatingInput,
    extract_columns,
    find_places,
    get_times,
    get_weights,
    list_arguments,
    list_needs,
    weigh_rows,
)
from .settings import RankSettings


def count_both_bad(judged: pd.DataFrame, names: Any, sides: tuple[str, str]) -> pd.DataFrame:
    """Compute both_bad (how many answered judgements of each of `names` said that both texts are
    bad), both_bad_n (of how many), and both_bad_share with its interval over items, both_bad_low to
    both_bad_high; null where nobody answered so at all, since it may not have been offered.
    """
    judged = judged[judged[list(sides)].isin(names).all(axis=1)]
    said = (judged["outcome"] == Outcome.BOTH_BAD.value).to_numpy(float)
    items = code_families(judged)
    column = np.concatenate([find_places(judged[side], names) for side in sides])
    given = get_times(judged)
    times = np.tile(np.ones(len(judged)) if given is None else given, 2)
    points = np.tile(said, 2).astype(float)
    share = intervals.shares_by(points, np.tile(items, 2), column, n=len(names), times=times)
    shown = np.full(len(names), bool(said.any()))
    return pd.DataFrame(
        {
            "both_bad": np.bincount(column, points * times, len(names)).astype(int),
            "both_bad_n": share.n,
            "both_bad_share": np.where(shown, share.share, np.nan),
            "both_bad_low": np.where(shown, share.low, np.nan),
            "both_bad_high": np.where(shown, share.high, np.nan),
        }
    )


BoardRows = Annotated[
    pd.DataFrame,
    Schema(
        {object: "tied_with", float: "rating low high", int: "wins losses ties judgements"},
        is_open=True,
    ),
]

RANKS = ("rank", "rank_low", "rank_high")


@dataclass(frozen=True)
class FittedBoard:
    """A leaderboard, the comparisons it is fitted to, and how."""

    comparisons: RatingInput
    systems: Any
    selection: Selection
    settings: RankSettings
    drawn: Population
    board: ratings.Leaderboard

    @property
    def frame(self) -> pd.DataFrame:
        """The comparisons as a frame."""
        return self.comparisons.frame

    @property
    def columns(self) -> tuple[Any, Any, Any]:
        """The comparisons as codes of the first and second system, and the outcome; see
        `extract_columns`.
        """
        return extract_columns(self.frame, SYSTEMS, self.systems)

    @property
    def arguments(self) -> dict[str, Any]:
        """The arguments of the method beyond the columns, by name."""
        return list_arguments(self.settings, self.frame)

    def restart_drawing(self) -> Drawing:
        """Resampling plan of the board's intervals, from its initial state."""
        return prepare_drawing(self.frame, self.drawn, self.selection, self.settings)


def fit_board(
    comparisons: RatingInput, selection: Selection, settings: RankSettings, boards: int
) -> FittedBoard:
    """Fit a leaderboard to comparisons. A system whose rating is fixed has NaN intervals."""
    systems, drawn = comparisons.systems, comparisons.population(settings.over)
    drawing = replace(prepare_drawing(comparisons.frame, drawn, selection, settings), boards=boards)
    board = rate_frame(comparisons.frame, SYSTEMS, systems, drawing, settings)
    if fixed := [one.fixed for one in comparisons.prepared.values() if one.fixed]:
        is_fixed = np.isin(systems, fixed)
        low, high = (np.where(is_fixed, np.nan, end) for end in (board.low, board.high))
        board = replace(board, low=low, high=high)
    return FittedBoard(comparisons, systems, selection, settings, drawn, board)


def describe_systems(fitted: FittedBoard) -> BoardRows:
    """Describe each system as every board does."""
    rows = make_rows(fitted.systems, fitted.board, fitted.comparisons.answers, SYSTEMS)
    unresolved = ratings.find_unresolved(fitted.board)
    rows = rows.rename(columns={"name": "system"})
    rows["tied_with"] = [tuple(fitted.systems[others].tolist()) for others in unresolved]
    return pd.concat(
        [rows, count_both_bad(fitted.comparisons.judged, fitted.systems, SYSTEMS)], axis=1
    )


def prepare_drawing(
    frame: pd.DataFrame, drawn: Population, selection: Selection, settings: RankSettings
) -> Drawing:
    """Judges alone are clusters like items; judgements are each a cluster."""
    groups = drawn.judges if drawn.items is None else drawn.items
    # Resampling a single item, or judgement, would always give the same, and say that
    # nothing is uncertain.
    single = frame["times"].sum() < 2 if "times" in frame else len(frame) < 2
    alone = single if groups is None else not groups.any()
    return Drawing(
        np.random.default_rng(selection.seed),
        0 if alone else settings.bootstrap,
        groups,
        judges=None if drawn.items is None else drawn.judges,
        resolve=cast(Resolve, settings.resolve),
    )


def rate_frame(
    frame: pd.DataFrame,
    sides: tuple[str, str],
    names: Any,
    drawing: Drawing,
    settings: RankSettings,
) -> ratings.Leaderboard:
    """Rate the `names` in the columns `sides` of a frame. Raises TandemError if no ratings
    exist.
    """
    columns = extract_columns(frame, sides, names)
    try:
        return ratings.leaderboard(
            settings.method,
            *columns,
            n=len(names),
            drawing=replace(drawing, **weigh_rows(frame)),
            **list_arguments(settings, frame),
        )
    except ArithmeticError as error:
        raise TandemError(str(error)) from error


def make_rows(
    names: Any, board: ratings.Leaderboard, answers: pd.DataFrame, sides: tuple[str, str]
) -> pd.DataFrame:
    """Make a row for each name: its rating, interval, ranks, and the record of its answers."""
    among = answers[answers[list(sides)].isin(names).all(axis=1)]
    columns = extract_columns(among, sides, names)
    wins, losses, ties = ratings.record(*columns, n=len(names), times=get_times(among)).T
    return pd.DataFrame(
        {
            "name": names,
            "rating": board.rating,
            "low": board.low,
            "high": board.high,
            **{name: pd.Series(np.round(getattr(board, name))).astype("Int64") for name in RANKS},
            "wins": wins,
            "losses": losses,
            "ties": ties,
            "judgements": wins + losses + ties,
        }
    )


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
