"""Leaderboards of systems from the judgements of a selection."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import pandas as pd

from ...labels import pluralize
from ...records import Kind
from ...statistics import has_maximum
from ...store import Store
from ..judgements.debiasing import warn_of_unusable
from ..judgements.finding import Finding
from ..judgements.provenance import COLLECTING
from ..judgements.selection import Selection
from .cautions import (
    describe_reliability,
    estimate_reliability,
    find_deciding,
    list_first_cautions,
    note_tie_treatments,
)
from .columns import TABLES, declare_columns
from .fitted_board import PARTS, FittedBoard, describe_systems, fit_board
from .rating_input import (
    Leaders,
    RatingInput,
    find_leaders,
    get_weights,
    list_facts,
    note_disagreement,
    note_unsuited,
    prepare_comparisons,
    sign_ranking,
)
from .settings import RankSettings
from .stop_rule import quote_verdict

FEW_FOR_STEPS = 20  # items: simulated, see tests/coverage/results.md

ComparisonLoader = Callable[[Selection, RankSettings], RatingInput]
"""A function that prepares the comparisons a method is computed from."""


def leaderboard(store: Store, selection: Selection, settings: RankSettings) -> Finding:
    """Systems by rating with intervals, best first. The columns are declared in
    `core.findings.leaderboard.columns`.

    Facts: `over`, what the intervals generalise to; `method`, and `because`, why the data chose it
    (None where it was asked for); `suited`, the method they would choose, and their `unevenness`;
    `leaders`, by each of several methods, and `leaders_agree`, whether somebody leads by all,
    where all systems are linked by comparisons; `verdict`, whether the data set's votes settle who
    leads (see `state_verdict`), and `verdict_is_own`, whether those are the votes of this board;
    `deciding_votes`, how few votes decide who leads, which are in the table `deciding` (see
    `find_deciding`); `ranks_hold_for`, how many `systems`, and `boards`;
    `separation_reliability` and `split_half` (see `estimate_reliability`);
    `unusable`, the judges without usable verdicts, `cautions` about them, and `undecided`, whether
    the board counts verdicts of nobody else;
    `unbounded`, whether a weak prior holds strengths that no maximum bounds, so that
    `settings.regularise` would tell others beside.
    """
    board = rank_among(store, selection, settings, 1)
    return replace(board, facts={**board.facts, **quote_verdict(store, selection)})


def rank_among(store: Store, selection: Selection, settings: RankSettings, boards: int) -> Finding:
    """Compute a `leaderboard` that is one of several whose ranks hold simultaneously."""
    return make_board(partial(prepare_comparisons, store), selection, settings, boards)


def make_board(
    load: ComparisonLoader, selection: Selection, settings: RankSettings, boards: int
) -> Finding:
    """Make a leaderboard that is one of several whose ranks hold simultaneously."""
    comparisons = load(selection, settings)
    choice = comparisons.choose_method()
    decided = settings.with_method(choice.method).with_resolve(comparisons.collecting)
    fitted = fit_board(comparisons, selection, decided, boards)
    leaders: Leaders = {}
    if fitted.board.connected:
        (first, second, _), frame = fitted.columns, fitted.frame
        points = frame["points"].to_numpy(float)
        leaders = find_leaders(first, second, points, fitted.systems, get_weights(frame))
    (deciding, votes), reliable = find_deciding(fitted), estimate_reliability(fitted)
    warning = warn_of_unusable(
        comparisons.judged, "an order of systems by its verdicts says nothing about their texts"
    )
    parts = [part(fitted) for part in PARTS]
    first_cautions = list_first_cautions(fitted)
    notes = [
        *warning.cautions,
        *first_cautions,
        *note_tie_treatments(fitted, partial(load, selection)),
        *(fitted.board.note, *comparisons.notes, *(note for part in parts for note in part.notes)),
        *note_unsuited(choice, fitted.settings.method),
        *note_disagreement(leaders),
        *_list_cautions(fitted),
        *([COLLECTING] if comparisons.collecting and fitted.settings.resolve != "always" else []),
        describe_reliability(reliable, len(fitted.systems)),
    ]
    # Without judges, as where votes are only counted, nobody is unusable.
    as_given = bool(warning.unusable) and settings.debias == "none"
    as_given &= bool(fitted.frame["outcome"].isin([0, 0.5, 1]).all())
    over = fitted.drawn.scope if settings.bootstrap else None
    tables = {name: table for part in parts for name, table in part.tables.items()}
    tables["deciding"] = votes
    rows = pd.concat([describe_systems(fitted), *(part.extra_columns for part in parts)], axis=1)
    rows = rows.sort_values("rating", ascending=False, kind="stable", ignore_index=True)
    resolve = fitted.settings.resolve if fitted.board.uncertainty else None
    return Finding(
        rows,
        sign_ranking(selection, fitted.settings, comparisons, over),
        comparisons.used,
        comparisons.unanswered,
        [note for note in notes if note],
        {
            **_collect_facts(fitted, boards),
            **warning._asdict(),
            "first_cautions": first_cautions,
            "undecided": as_given and set(fitted.frame["judge"]) <= {*warning.unusable},
            **reliable,
            **list_facts(choice, settings.method, leaders),
            "deciding_votes": deciding,
        },
        tables,
        columns=declare_columns(fitted.settings.method, resolve),
        table_columns={name: TABLES[name] for name in tables},
        picture="leaderboard",
    )


def _collect_facts(fitted: FittedBoard, boards: int) -> dict[str, Any]:
    board, frame, settings = fitted.board, fitted.frame, fitted.settings
    how, own, n = settings.rating_method, fitted.arguments, len(fitted.systems)
    position = None
    if how.position_effect and own.pop("position", False):
        position = how.position_effect(*fitted.columns, n=n, weights=get_weights(frame), **own)
    return {
        "connected": board.connected,
        "over": fitted.drawn.scope if board.uncertainty else None,
        "resolve": settings.resolve if board.uncertainty else None,
        "attributes": sorted(frame["attribute"].unique()),
        "items": fitted.comparisons.count_items(),
        "effective_items": fitted.comparisons.count_effective_items(),
        "kinds": sorted(fitted.comparisons.answers["kind"].unique()),
        "of_scores": fitted.selection.scores,
        "judged_by": _list_judges(fitted.comparisons.answers),
        "annotators": count_fixed_annotators(fitted),
        "position_effect": position,
        "ranks_hold_for": {"systems": n, "boards": boards},
        "unbounded": "ties" in own and not has_maximum(*fitted.columns, n=n, ties=own["ties"]),
    }


def _list_judges(answers: pd.DataFrame) -> list[str]:
    """The models and baselines that judged, where no person did: names of people stay here. Several
    simulated voters stand for people, and their names say nothing more.
    """
    kinds = set(answers["kind"].unique())
    if Kind.HUMAN in kinds or "judge" not in answers:
        return []
    names = sorted(answers["judge"].unique())
    return [] if kinds == {Kind.SIMULATED} and len(names) > 1 else names


def count_fixed_annotators(fitted: FittedBoard) -> int | None:
    """Count the annotators that intervals speak of alone; None where they speak of others too."""
    drawn, kinds = fitted.drawn, {*fitted.comparisons.answers["kind"].unique()}
    if not fitted.board.uncertainty or drawn.judges is not None or drawn.items is None:
        return None
    return drawn.number if kinds <= {Kind.HUMAN, Kind.SIMULATED} else None


def _list_cautions(fitted: FittedBoard) -> list[str]:
    found, used, systems = list[str](), fitted.comparisons.used, len(fitted.systems)
    how, items = fitted.settings.rating_method, fitted.comparisons.count_items()
    steps = (
        f"With {items} items, {how.label} moves in steps: its intervals can miss the truth in more "
        "than 5% of studies."
    )
    if used < 10 * systems:
        judgements = "judgement" if used == 1 else "judgements"
        found.append(
            f"Only {used} {judgements} for {systems} systems: the order is a first impression."
        )
    if not fitted.board.uncertainty:
        none = "There are no intervals: they need at least two items."
        return [*found, *([none] if fitted.settings.bootstrap else [])]
    if unrated := fitted.board.uncertainty.unrated:
        found.append(f"Intervals leave out {pluralize(unrated, 'resample')} without a fit.")
    few_steps = how.stepwise and items <= FEW_FOR_STEPS
    return [*found, *fitted.drawn.notes(), *([steps] if few_steps else [])]
