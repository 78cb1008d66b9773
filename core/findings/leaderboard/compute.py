"""Leaderboards of systems, and of an item's candidates, from the judgements of a selection."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated, Any, NamedTuple, cast

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from core.findings.judgements import (
    COLLECTING,
    Finding,
    Population,
    Selection,
    select_answered,
)
from core.findings.leaderboard import controls, jury, method_choice, tie_treatments
from core.findings.leaderboard.both_bad import count_both_bad
from core.findings.leaderboard.columns import TABLES, declare_columns
from core.findings.leaderboard.deciding import find_deciding
from core.findings.leaderboard.needs import list_arguments, list_needs
from core.findings.leaderboard.rating_input import (
    GENERATIONS,
    SYSTEMS,
    RatingInput,
    extract_columns,
    get_times,
    get_weights,
    prepare_comparisons,
    sign_ranking,
    weigh_drawing,
)
from core.findings.leaderboard.reliability import describe_reliability, estimate_reliability
from core.findings.leaderboard.sep_elo import compare_to_elo, describe_mean_step
from core.findings.leaderboard.settings import (
    RankSettings as RankSettings,  # whoever ranks needs both
)
from core.frames import Schema
from core.records import Kind, TandemError, setting
from core.statistics import (
    MEMORY,
    Drawing,
    Resolve,
    TieFit,
    has_maximum,
    intervals,
    ratings,
    regularised,
    sep_steps,
)
from core.store import Store

BoardRows = Annotated[
    pd.DataFrame,
    Schema(
        {object: "tied_with", float: "rating low high", int: "wins losses ties judgements"},
        is_open=True,
    ),
]

FEW_FOR_STEPS = 20  # items: simulated, see docs/evidence.md
SHARED = (  # facts that boards of several attributes have in common
    "over", "resolve", "method", "because", "suited", "unevenness", "ranks_hold_for",
)  # fmt: skip
REGULARISED = (
    "Regularised strengths are as if each system had also won half a comparison and lost half. "
    "They have no interval: that of a system that never lost would claim far too much."
)
RANKS = ("rank", "rank_low", "rank_high")
ComparisonLoader = Callable[[Selection, RankSettings], RatingInput]
"""A function that prepares the comparisons a method is computed from."""


def leaderboard(store: Store, selection: Selection, settings: RankSettings) -> Finding:
    """Systems by rating with intervals, best first. The columns are declared in
    `core.findings.leaderboard.columns`.

    Facts: `over`, what the intervals generalise to; `method`, and `because`, why the data chose it
    (None where it was asked for); `suited`, the method they would choose, and their `unevenness`;
    `leaders`, by each of several methods, and `leaders_agree`, whether somebody leads by all,
    where all systems are linked by comparisons; `deciding_votes`, how few votes decide who leads,
    which are in the table `deciding` (see `find_deciding`); `ranks_hold_for`, how many `systems`,
    and `boards`;
    `separation_reliability` and `split_half` (see `estimate_reliability`);
    `unbounded`, whether a weak prior holds strengths that no maximum bounds, so that
    `settings.regularise` would tell others beside.
    """
    return rank_among(store, selection, settings, 1)


def rank_among(store: Store, selection: Selection, settings: RankSettings, boards: int) -> Finding:
    """`leaderboard`, one of so many whose ranks hold at once."""
    return make_board(partial(prepare_comparisons, store), selection, settings, boards)


def by_attribute(store: Store, selection: Selection, settings: RankSettings) -> Finding:
    """A leaderboard of each attribute and, where there are several, of all together (`attribute` is
    None). All are by the method of all together, and ranks hold for all systems on all boards at
    once.
    """
    attributes = sorted(select_answered(store, selection)[0]["attribute"].unique())
    return make_boards(partial(prepare_comparisons, store), attributes, selection, settings)


def make_boards(
    load: ComparisonLoader,
    attributes: Sequence[str],
    selection: Selection,
    settings: RankSettings,
) -> Finding:
    """`by_attribute` of the comparisons that are loaded of these attributes."""
    several = list_boards(attributes)
    boards = {name: replace(selection, attribute=name) if name else selection for name in several}
    whole = make_board(load, selection, settings, len(boards))
    settings = settle_settings(settings, whole)
    found = {
        name: whole if name is None else make_board(load, one, settings, len(boards))
        for name, one in boards.items()
    }
    rows = [board.rows.assign(attribute=name) for name, board in found.items()]
    every = pd.concat([part.astype({"attribute": object}) for part in rows], ignore_index=True)
    notes = list(whole.notes)
    for name, board in found.items():
        notes += [f"{name}: {note}" for note in board.notes if note not in whole.notes]
    if whole.facts["resolve"] == "together" and len(boards) > 1:
        held = whole.facts["ranks_hold_for"]
        notes.append(describe_boards(held["systems"], len(attributes)))
    return Finding(
        every,
        f"{whole.signature}|by:attribute",
        whole.judgements,
        whole.unanswered,
        notes,
        {name: whole.facts[name] for name in SHARED} | {"attributes": attributes},
        columns=declare_columns(settings.method, settings.resolve),
        picture="leaderboard",
    )


def list_boards(attributes: Sequence[str]) -> list[str | None]:
    """The boards of these attributes, of all together (None) first, where there are several."""
    return [None, *attributes] if len(attributes) > 1 else list(attributes)


def settle_settings(settings: RankSettings, whole: Finding) -> RankSettings:
    """What was left to the data, as it was chosen for all attributes together."""
    resolve = whole.facts["resolve"] or settings.resolve
    return replace(settings, method=whole.facts["method"], resolve=resolve)


def describe_boards(systems: int, attributes: int) -> str:
    """Of what ranks on the boards of several attributes hold at once."""
    return (
        f"Ranks by attribute hold for {systems} systems on {attributes} attributes, and on all "
        "together, at once."
    )


def make_board(
    load: ComparisonLoader, selection: Selection, settings: RankSettings, boards: int
) -> Finding:
    """One of so many leaderboards whose ranks are to hold at once."""
    comparisons = load(selection, settings)
    systems = np.array(sorted({*comparisons.frame["system_a"], *comparisons.frame["system_b"]}))
    first, second, _ = extract_columns(comparisons.frame, SYSTEMS, systems)
    choice = method_choice.choose_method(
        first, second, n=len(systems), times=get_times(comparisons.frame)
    )
    decided = settings.with_method(choice).with_resolve(comparisons.collecting)
    fitted = _fit_board(comparisons, systems, selection, decided, boards)
    leaders = _find_leaders(comparisons.frame, systems) if fitted.board.connected else {}
    deciding, votes = find_deciding(comparisons, systems, decided)
    reliable = estimate_reliability(
        comparisons.frame, systems, fitted.board, decided, selection.seed
    )
    parts, tie_fits = [part(fitted) for part in PARTS], _fit_ties(fitted)
    notes = [
        *(fitted.board.note, *comparisons.notes, *(note for part in parts for note in part.notes)),
        *method_choice.note_unsuited(choice, fitted.settings.method),
        *method_choice.note_disagreement(leaders),
        *_note_ties(load, fitted),
        *tie_treatments.describe_fits(tie_fits),
        *_list_cautions(fitted),
        *([COLLECTING] if comparisons.collecting and fitted.settings.resolve != "always" else []),
        describe_reliability(reliable, len(systems)),
    ]
    over = fitted.drawn.over if settings.bootstrap else None
    tables = {name: table for part in parts for name, table in part.tables.items()}
    tables["deciding"] = votes
    rows = _sort_best_first(
        pd.concat([_describe_systems(fitted), *(part.beside for part in parts)], axis=1)
    )
    resolve = fitted.settings.resolve if fitted.board.uncertainty else None
    return Finding(
        rows,
        sign_ranking(selection, fitted.settings, comparisons, over),
        comparisons.used,
        comparisons.unanswered,
        [note for note in notes if note],
        {
            **_collect_facts(fitted, boards),
            **reliable,
            **method_choice.list_facts(choice, settings.method, leaders),
            "deciding_votes": deciding,
            "tie_fits": {name: fit._asdict() for name, fit in tie_fits.items()} or None,
        },
        tables,
        columns=declare_columns(fitted.settings.method, resolve),
        table_columns={name: TABLES[name] for name in tables},
        picture="leaderboard",
    )


@dataclass(frozen=True)
class _FittedBoard:
    """A leaderboard, the comparisons it is fitted to, and how."""

    comparisons: RatingInput
    systems: Any
    selection: Selection
    settings: RankSettings
    drawn: Population
    board: ratings.Leaderboard

    @property
    def frame(self) -> pd.DataFrame:
        return self.comparisons.frame

    @property
    def columns(self) -> tuple[Any, Any, Any]:
        return extract_columns(self.frame, SYSTEMS, self.systems)

    def drawing(self) -> Drawing:
        """What the board's intervals are drawn by, from the start."""
        return prepare_drawing(self.frame, self.drawn, self.selection, self.settings)


class _BoardPart(NamedTuple):
    """What a setting, or a method of its sort, brings along: columns beside a board's own, notes
    and tables.
    """

    beside: pd.DataFrame = pd.DataFrame()
    notes: Sequence[str] = ()
    tables: Mapping[str, pd.DataFrame] = {}


def _fit_board(
    comparisons: RatingInput,
    systems: Any,
    selection: Selection,
    settings: RankSettings,
    boards: int,
) -> _FittedBoard:
    over = settings.over or ("items" if settings.how.is_jury else "")
    drawn = comparisons.population(over)
    drawing = replace(prepare_drawing(comparisons.frame, drawn, selection, settings), boards=boards)
    board = _rate(comparisons.frame, SYSTEMS, systems, drawing, settings)
    if fixed := [one.fixed for one in comparisons.prepared.values() if one.fixed]:
        is_fixed = np.isin(systems, fixed)
        low, high = (np.where(is_fixed, np.nan, end) for end in (board.low, board.high))
        board = replace(board, low=low, high=high)
    return _FittedBoard(comparisons, systems, selection, settings, drawn, board)


def _describe_systems(fitted: _FittedBoard) -> BoardRows:
    """What every board says of each system."""
    rows = _make_rows(fitted.systems, fitted.board, fitted.comparisons.answers, SYSTEMS)
    unresolved = ratings.unresolved(fitted.board)
    rows = rows.rename(columns={"name": "system"})
    rows["tied_with"] = [tuple(fitted.systems[others].tolist()) for others in unresolved]
    return pd.concat(
        [rows, count_both_bad(fitted.comparisons.judged, fitted.systems, SYSTEMS)], axis=1
    )


def _sort_best_first(rows: pd.DataFrame) -> BoardRows:
    """Best first."""
    best_first = rows.sort_values("rating", ascending=False, na_position="last", kind="stable")
    return best_first.reset_index(drop=True)


def _collect_facts(fitted: _FittedBoard, boards: int) -> dict[str, Any]:
    """What every board says of itself, but for its method."""
    board, frame, settings = fitted.board, fitted.frame, fitted.settings
    return {
        "connected": board.connected,
        "over": fitted.drawn.over if board.uncertainty else None,
        "resolve": settings.resolve if board.uncertainty else None,
        "attributes": sorted(frame["attribute"].unique()),
        "items": fitted.comparisons.count_items(),
        "effective_items": fitted.comparisons.count_effective_items(),
        "kinds": sorted(fitted.comparisons.answers["kind"].unique()),
        "judged_by": _list_judges(fitted.comparisons.answers),
        "position_effect": _estimate_position(frame, fitted.systems, settings),
        "ranks_hold_for": {"systems": len(fitted.systems), "boards": boards},
        "unbounded": _is_unbounded(frame, fitted.systems, settings),
    }


def _list_judges(answers: pd.DataFrame) -> list[str]:
    """The models and baselines that judged, where no person did: names of people stay here. Several
    simulated annotators stand for people, and their names say nothing more.
    """
    kinds = set(answers["kind"])
    if Kind.HUMAN in kinds or "judge" not in answers:
        return []
    names = sorted(answers["judge"].unique())
    return [] if kinds == {Kind.SIMULATED} and len(names) > 1 else names


def _compare_to_elo(fitted: _FittedBoard) -> _BoardPart:
    """Plain Elo beside sep-Elo, and what a step comes to."""
    settings, frame = fitted.settings, fitted.frame
    if "separability" not in settings.how.needs:
        return _BoardPart()
    elo = settings.with_plain_elo()
    drawing = prepare_drawing(frame, fitted.drawn, fitted.selection, elo)
    plain = _rate(frame, SYSTEMS, fitted.systems, drawing, elo)
    separability = frame["separability"].to_numpy(float)
    change = ratings.estimate_change(fitted.board, plain, drawing)
    beside = compare_to_elo(
        fitted.columns, separability, plain.rating, change, settings.sep_threshold
    )
    return _BoardPart(
        beside, [describe_mean_step(sep_steps(**list_arguments(settings, frame)), settings.k)]
    )


def _estimate_controls(fitted: _FittedBoard) -> _BoardPart:
    """What the controls do to answers."""
    settings, frame = fitted.settings, fitted.frame
    if not settings.control:
        return _BoardPart()
    effects = controls.estimate_effects(
        frame,
        fitted.columns,
        settings,
        fitted.comparisons.prepared["control"].details["spread"],
        weigh_drawing(fitted.drawing(), frame),
        len(fitted.systems),
    )
    return _BoardPart(notes=controls.describe_effects(effects), tables={"controls": effects})


def _compare_uncontrolled(fitted: _FittedBoard) -> _BoardPart:
    """Ratings of the comparisons without what they are corrected for, and what the correction
    changes.
    """
    removals = [need.remove for need in list_needs(fitted.settings.how) if need.remove]
    if not removals:
        return _BoardPart()
    without, drawing = fitted.frame, fitted.drawing()
    for remove in removals:
        without = remove(without)
    plain = _rate(without, SYSTEMS, fitted.systems, drawing, fitted.settings)
    change = intervals.spread("change", ratings.estimate_change(fitted.board, plain, drawing))
    return _BoardPart(pd.DataFrame({"uncontrolled": plain.rating, **change}))


def _weigh_jury(fitted: _FittedBoard) -> _BoardPart:
    """How far each judge of a jury is to be relied on."""
    settings, frame = fitted.settings, fitted.frame
    if not settings.how.is_jury:
        return _BoardPart()
    drawing, n = weigh_drawing(fitted.drawing(), frame), len(fitted.systems)
    judges = jury.weigh_judges(
        frame, fitted.columns, settings.people, drawing, n=n, position=settings.position_term
    )
    return _BoardPart(notes=jury.describe_judges(judges), tables={"judges": judges})


def _regularise(fitted: _FittedBoard) -> _BoardPart:
    """Strengths that are finite for who never lost."""
    if not fitted.settings.regularise:
        return _BoardPart()
    strengths = regularised(
        *fitted.columns,
        n=len(fitted.systems),
        weights=get_weights(fitted.frame),
        **list_arguments(fitted.settings, fitted.frame),
    )
    return _BoardPart(pd.DataFrame({"regularised": strengths}), [REGULARISED])


PARTS = (_compare_to_elo, _compare_uncontrolled, _estimate_controls, _weigh_jury, _regularise)


def _fit_ties(fitted: _FittedBoard) -> dict[str, TieFit]:
    """How well each model of ties fits, where they are modelled."""
    if fitted.settings.ties != "model":
        return {}
    return tie_treatments.fit_tie_models(
        fitted.columns, len(fitted.systems), get_weights(fitted.frame)
    )


def _find_leaders(frame: pd.DataFrame, systems: Any) -> dict[str, method_choice.Leader]:
    """Who leads by the methods that count decisions, ties counting half."""
    first, second, _ = extract_columns(frame, SYSTEMS, systems)
    points, weights = frame["points"].to_numpy(float), get_weights(frame)

    def rate(method: str) -> NDArray[np.float64]:
        rating = ratings.RATINGS[method].rate
        return rating(first, second, points, n=len(systems), weights=weights)

    return method_choice.find_leaders(systems, rate)


def _note_ties(load: ComparisonLoader, fitted: _FittedBoard) -> list[str]:
    """Who would change places if ties counted otherwise."""
    comparisons, settings, systems = fitted.comparisons, fitted.settings, fitted.systems
    if settings.how.outcome == "rankings":
        return []
    if settings.ties == "drop":
        comparisons = load(fitted.selection, replace(settings, ties="half"))
    frame = comparisons.frame[comparisons.frame[list(SYSTEMS)].isin(systems).all(axis=1)]
    nothing = Drawing(np.random.default_rng(fitted.selection.seed), 0)

    def rate(frame: pd.DataFrame, settings: RankSettings) -> NDArray[np.float64]:
        kept = frame[frame["points"] != 0.5] if settings.ties == "drop" else frame
        return _rate(kept, SYSTEMS, systems, nothing, settings).rating

    return tie_treatments.note_treatments(
        frame, pd.Series(fitted.board.rating, systems), settings, rate
    )


def _list_cautions(fitted: _FittedBoard) -> list[str]:
    """Why the figures may mean little, and what the intervals speak of."""
    found, used, systems = list[str](), fitted.comparisons.used, len(fitted.systems)
    if used < 10 * systems:
        judgements = "judgement" if used == 1 else "judgements"
        found.append(
            f"Only {used} {judgements} for {systems} systems: the order is a first impression."
        )
    if fitted.board.uncertainty:
        return [
            *found,
            *fitted.drawn.notes(),
            *_note_steps(fitted.settings, fitted.comparisons.count_items()),
        ]
    if fitted.settings.bootstrap:
        found.append("There are no intervals: they need at least two items.")
    return found


def _note_steps(settings: RankSettings, items: int) -> list[str]:
    """That the intervals of a method are rougher than others over so few items."""
    if not settings.how.stepwise or items > FEW_FOR_STEPS:
        return []
    return [
        f"With {items} items, {settings.how.label} moves in steps: its intervals can miss the "
        "truth in more than 5% of studies."
    ]


def candidates(store: Store, selection: Selection, settings: RankSettings) -> Finding:
    """Each item's candidates by rating among themselves: a leaderboard of texts."""
    if settings.how.learns:
        raise TandemError(
            f"{setting('method')} {settings.method} learns from all items {settings.how.learns}, "
            "so that it belongs to ratings of systems: rank systems, or use another method"
        )
    comparisons = prepare_comparisons(store, selection, settings)
    choice = method_choice.choose_method_by(comparisons.frame, "item", GENERATIONS)
    asked, settings = settings.method, settings.with_method(choice)
    answers = dict(list(comparisons.answers.groupby("item", sort=False)))
    parts, apart = [], 0
    nothing = Drawing(np.random.default_rng(selection.seed), 0)
    for item, of_item in comparisons.frame.groupby("item", sort=False):
        names = np.unique(of_item[list(GENERATIONS)])
        board = _rate(of_item, GENERATIONS, names, nothing, settings)
        parts.append(_make_rows(names, board, answers[item], GENERATIONS).assign(item=item))
        apart += not board.connected
    rows = pd.concat(parts).rename(columns={"name": "generation"})
    known = store.datasets.generations(selection.dataset, texts=False)[
        ["generation", "system", "sample"]
    ]
    rows = rows.merge(known, on="generation")
    note = (
        f"In {apart} of {len(parts)} items some candidates are not linked by comparisons."
        if apart
        else ""
    )
    return Finding(
        rows,
        sign_ranking(selection, settings, comparisons) + "|by:candidate",
        comparisons.used,
        comparisons.unanswered,
        [*comparisons.notes, *([note] if note else [])],
        {"connected": apart == 0, **method_choice.list_facts(choice, asked)},
        columns=declare_columns(settings.method, None),
        picture="leaderboard",
    )


def make_resampler(
    store: Store, selection: Selection, settings: RankSettings
) -> Callable[[NDArray[Any], NDArray[Any], NDArray[np.float64]], NDArray[np.float64]]:
    """What rates the systems anew on resamples of the items: (items, systems, counts (B, items)) ->
    ratings (B, systems).
    """
    frame = prepare_comparisons(store, selection, settings).frame
    every = np.array(sorted({*frame["system_a"], *frame["system_b"]}))
    choice = method_choice.choose_method(*extract_columns(frame, SYSTEMS, every)[:2], n=len(every))
    settings = settings.with_method(choice)

    def rate(
        items: NDArray[Any], systems: NDArray[Any], counts: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        place = pd.Index(items).get_indexer(frame["item"])
        rows = frame[place >= 0]
        names = np.array(sorted({*rows["system_a"], *rows["system_b"]}), dtype=object)
        columns, own = extract_columns(rows, SYSTEMS, names), list_arguments(settings, rows)
        of_each = get_weights(rows)
        found = np.full((len(counts), len(names)), np.nan)
        at_once = max(1, MEMORY // (8 * max(len(rows), 1)))
        for start in range(0, len(counts) if len(rows) else 0, at_once):
            few = slice(start, start + at_once)
            drawn = counts[few][:, place[place >= 0]]
            drawn = drawn if of_each is None else drawn * of_each
            found[few] = settings.how.rate(*columns, n=len(names), weights=drawn, **own)
        column = pd.Index(names).get_indexer(systems)
        return np.where(column >= 0, found[:, column], np.nan)

    return rate


def prepare_drawing(
    frame: pd.DataFrame, drawn: Population, selection: Selection, settings: RankSettings
) -> Drawing:
    """Judges alone are clusters like items; judgements are each a cluster."""
    groups = drawn.judges if drawn.items is None else drawn.items
    # Drawing anew from a single item, or judgement, would always give the same, and say that
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


def _rate(
    frame: pd.DataFrame,
    sides: tuple[str, str],
    names: Any,
    drawing: Drawing,
    settings: RankSettings,
) -> ratings.Leaderboard:
    columns = extract_columns(frame, sides, names)
    try:
        return ratings.leaderboard(
            settings.method,
            *columns,
            n=len(names),
            drawing=weigh_drawing(drawing, frame),
            **list_arguments(settings, frame),
        )
    except ArithmeticError as error:
        raise jury.explain_refusal(
            error, frame, columns, settings.people,
            n=len(names), weights=get_weights(frame), position=settings.position_term,
        ) from error  # fmt: skip


def _is_unbounded(frame: pd.DataFrame, names: Any, settings: RankSettings) -> bool:
    """Whether the method has strengths, and some system won or lost everything."""
    if "ties" not in settings.how.takes:
        return False
    columns = extract_columns(frame, SYSTEMS, names)
    return not has_maximum(*columns, n=len(names), ties=list_arguments(settings, frame)["ties"])


def _estimate_position(frame: pd.DataFrame, names: Any, settings: RankSettings) -> float | None:
    """What being shown first is worth in rating points, where that was asked for."""
    effect = settings.how.position_effect
    if effect is None or not settings.position_term:
        return None
    own = {
        name: value
        for name, value in list_arguments(settings, frame).items()
        if name not in ("position", "tie_model")
    }
    return effect(
        *extract_columns(frame, SYSTEMS, names), n=len(names), weights=get_weights(frame), **own
    )


def _make_rows(
    names: Any, board: ratings.Leaderboard, answers: pd.DataFrame, sides: tuple[str, str]
) -> pd.DataFrame:
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
