"""A fitted leaderboard: the comparisons behind it, the resampling of its intervals, its rows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, Any, cast

import numpy as np
import pandas as pd

from ...frames import Schema
from ...records import Outcome, TandemError
from ...statistics import Drawing, Resolve, intervals, ratings
from ..judgements.population import Population, code_families
from ..judgements.selection import Selection
from .rating_input import (
    SYSTEMS,
    RatingInput,
    extract_columns,
    find_places,
    get_times,
    list_arguments,
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
