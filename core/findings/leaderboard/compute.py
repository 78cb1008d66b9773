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
    judged,
)
from core.findings.leaderboard import controls, jury, method_choice, tie_treatments
from core.findings.leaderboard.both_bad import both_bad
from core.findings.leaderboard.columns import TABLES, declare_columns
from core.findings.leaderboard.deciding import find_deciding
from core.findings.leaderboard.reliability import describe_reliability, estimate_reliability
from core.findings.leaderboard.sep_elo import beside_elo, mean_step
from core.findings.leaderboard.settings import (
    RankSettings as RankSettings,  # whoever ranks needs both
)
from core.findings.leaderboard.taken import (
    GENERATIONS,
    SYSTEMS,
    RatingInput,
    columns_of,
    rank_signature,
    take,
    times_of,
    weighed,
    weights_of,
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
Taking = Callable[[Selection, RankSettings], RatingInput]
"""What takes the comparisons a method is computed from."""


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
    return board_of(partial(take, store), selection, settings, boards)


def by_attribute(store: Store, selection: Selection, settings: RankSettings) -> Finding:
    """A leaderboard of each attribute and, where there are several, of all together (`attribute` is
    None). All are by the method of all together, and ranks hold for all systems on all boards at
    once.
    """
    attributes = sorted(judged(store, selection)[0]["attribute"].unique())
    return boards_of(partial(take, store), attributes, selection, settings)


def boards_of(
    taking: Taking, attributes: Sequence[str], selection: Selection, settings: RankSettings
) -> Finding:
    """`by_attribute` of whatever is taken of these attributes."""
    several = list_boards(attributes)
    boards = {name: replace(selection, attribute=name) if name else selection for name in several}
    whole = board_of(taking, selection, settings, len(boards))
    settings = settle_settings(settings, whole)
    found = {
        name: whole if name is None else board_of(taking, one, settings, len(boards))
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


def board_of(taking: Taking, selection: Selection, settings: RankSettings, boards: int) -> Finding:
    """One of so many leaderboards whose ranks are to hold at once."""
    taken = taking(selection, settings)
    systems = np.array(sorted({*taken.frame["system_a"], *taken.frame["system_b"]}))
    first, second, _ = columns_of(taken.frame, SYSTEMS, systems)
    choice = method_choice.suited(first, second, n=len(systems), times=times_of(taken.frame))
    decided = settings.with_method(choice).with_resolve(taken.collecting)
    made = _made(taken, systems, selection, decided, boards)
    leaders = _leaders(taken.frame, systems) if made.board.connected else {}
    deciding, votes = find_deciding(taken.frame, systems, decided)
    reliable = estimate_reliability(taken.frame, systems, made.board, decided, selection.seed)
    parts, tie_fits = [part(made) for part in PARTS], _tie_fits(made)
    notes = [
        *(made.board.note, *taken.notes, *(note for part in parts for note in part.notes)),
        *method_choice.caution(choice, made.settings.method),
        *method_choice.disagreement(leaders),
        *_on_ties(taking, made),
        *tie_treatments.on_fits(tie_fits),
        *_cautions(made),
        *([COLLECTING] if taken.collecting and made.settings.resolve != "always" else []),
        describe_reliability(reliable, len(systems)),
    ]
    over = made.drawn.over if settings.bootstrap else None
    tables = {name: table for part in parts for name, table in part.tables.items()}
    tables["deciding"] = votes
    rows = _sorted(pd.concat([_rows_of(made), *(part.beside for part in parts)], axis=1))
    resolve = made.settings.resolve if made.board.uncertainty else None
    return Finding(
        rows,
        rank_signature(selection, made.settings, taken, over),
        taken.used,
        taken.unanswered,
        [note for note in notes if note],
        {
            **_facts(made, boards),
            **reliable,
            **method_choice.as_facts(choice, settings.method, leaders),
            "deciding_votes": deciding,
            "tie_fits": {name: fit._asdict() for name, fit in tie_fits.items()} or None,
        },
        tables,
        columns=declare_columns(made.settings.method, resolve),
        table_columns={name: TABLES[name] for name in tables},
        picture="leaderboard",
    )


@dataclass(frozen=True)
class _Made:
    """A leaderboard of what was taken, and how it was made."""

    taken: RatingInput
    systems: Any
    selection: Selection
    settings: RankSettings
    drawn: Population
    board: ratings.Leaderboard

    @property
    def frame(self) -> pd.DataFrame:
        return self.taken.frame

    @property
    def columns(self) -> tuple[Any, Any, Any]:
        return columns_of(self.frame, SYSTEMS, self.systems)

    def drawing(self) -> Drawing:
        """What the board's intervals are drawn by, from the start."""
        return prepare_drawing(self.frame, self.drawn, self.selection, self.settings)


class _Part(NamedTuple):
    """What a setting, or a method of its sort, brings along: columns beside a board's own, notes
    and tables.
    """

    beside: pd.DataFrame = pd.DataFrame()
    notes: Sequence[str] = ()
    tables: Mapping[str, pd.DataFrame] = {}


def _made(
    taken: RatingInput, systems: Any, selection: Selection, settings: RankSettings, boards: int
) -> _Made:
    over = settings.over or ("items" if "judge" in settings.how.takes else "")
    drawn = taken.population(over)
    drawing = replace(prepare_drawing(taken.frame, drawn, selection, settings), boards=boards)
    board = _rate(taken.frame, SYSTEMS, systems, drawing, settings)
    if "baseline" in taken.signed:
        defined = systems == taken.signed["baseline"]
        low, high = (np.where(defined, np.nan, end) for end in (board.low, board.high))
        board = replace(board, low=low, high=high)
    return _Made(taken, systems, selection, settings, drawn, board)


def _rows_of(made: _Made) -> BoardRows:
    """What every board says of each system."""
    rows = _board_rows(made.systems, made.board, made.taken.answers, SYSTEMS)
    unresolved = ratings.unresolved(made.board)
    rows = rows.rename(columns={"name": "system"})
    rows["tied_with"] = [tuple(made.systems[others].tolist()) for others in unresolved]
    return pd.concat([rows, both_bad(made.taken.judged, made.systems, SYSTEMS)], axis=1)


def _sorted(rows: pd.DataFrame) -> BoardRows:
    """Best first."""
    best_first = rows.sort_values("rating", ascending=False, na_position="last", kind="stable")
    return best_first.reset_index(drop=True)


def _facts(made: _Made, boards: int) -> dict[str, Any]:
    """What every board says of itself, but for its method."""
    board, frame, settings = made.board, made.frame, made.settings
    return {
        "connected": board.connected,
        "over": made.drawn.over if board.uncertainty else None,
        "resolve": settings.resolve if board.uncertainty else None,
        "attributes": sorted(frame["attribute"].unique()),
        "items": made.taken.number_of_items(),
        "effective_items": made.taken.count_effective_items(),
        "kinds": sorted(made.taken.answers["kind"].unique()),
        "judged_by": _named(made.taken.answers),
        "position_effect": _position_effect(frame, made.systems, settings),
        "ranks_hold_for": {"systems": len(made.systems), "boards": boards},
        "unbounded": _unbounded(frame, made.systems, settings),
    }


def _named(answers: pd.DataFrame) -> list[str]:
    """The models and baselines that judged, where no person did: names of people stay here."""
    if Kind.HUMAN in set(answers["kind"]) or "judge" not in answers:
        return []
    return sorted(answers["judge"].unique())


def _of_separability(made: _Made) -> _Part:
    """Plain Elo beside sep-Elo, and what a step comes to."""
    settings, frame = made.settings, made.frame
    if "separability" not in settings.how.takes:
        return _Part()
    elo = settings.with_plain_elo()
    drawing = prepare_drawing(frame, made.drawn, made.selection, elo)
    plain = _rate(frame, SYSTEMS, made.systems, drawing, elo)
    separability = frame["separability"].to_numpy(float)
    change = ratings.estimate_change(made.board, plain, drawing)
    beside = beside_elo(made.columns, separability, plain.rating, change, settings.sep_threshold)
    return _Part(beside, [mean_step(sep_steps(**settings.own(frame)), settings.k)])


def _of_controls(made: _Made) -> _Part:
    """Ratings without what is controlled for beside those with it, and what the controls do."""
    settings, frame, drawing = made.settings, made.frame, made.drawing()
    if not settings.control:
        return _Part()
    without = frame.drop(columns=[controls.column(name) for name in settings.control])
    beside = _beside_plain(made, without, drawing)
    effects = controls.effects(
        frame, made.columns, settings, made.taken.spread, weighed(drawing, frame), len(made.systems)
    )
    return _Part(beside, controls.told(effects), {"controls": effects})


def _of_length(made: _Made) -> _Part:
    """Win rates whatever the length beside those at equal length."""
    if "length" not in made.settings.how.takes:
        return _Part()
    return _Part(_beside_plain(made, made.frame.drop(columns="length"), made.drawing()))


def _beside_plain(made: _Made, without: pd.DataFrame, drawing: Drawing) -> pd.DataFrame:
    """Ratings of the comparisons without what they are corrected for, and what the correction
    changes.
    """
    plain = _rate(without, SYSTEMS, made.systems, drawing, made.settings)
    change = intervals.spread("change", ratings.estimate_change(made.board, plain, drawing))
    return pd.DataFrame({"uncontrolled": plain.rating, **change})


def _of_jury(made: _Made) -> _Part:
    """How far each judge of a jury is to be relied on."""
    settings, frame = made.settings, made.frame
    if "judge" not in settings.how.takes:
        return _Part()
    drawing, n = weighed(made.drawing(), frame), len(made.systems)
    judges = jury.worth(
        frame, made.columns, settings.people, drawing, n=n, position=settings.position_term
    )
    return _Part(notes=jury.told(judges), tables={"judges": judges})


def _of_regularising(made: _Made) -> _Part:
    """Strengths that are finite for who never lost."""
    if not made.settings.regularise:
        return _Part()
    strengths = regularised(
        *made.columns,
        n=len(made.systems),
        weights=weights_of(made.frame),
        **made.settings.own(made.frame),
    )
    return _Part(pd.DataFrame({"regularised": strengths}), [REGULARISED])


PARTS = (_of_separability, _of_controls, _of_length, _of_jury, _of_regularising)


def _tie_fits(made: _Made) -> dict[str, TieFit]:
    """How well each model of ties fits, where they are modelled."""
    if made.settings.ties != "model":
        return {}
    return tie_treatments.fits(made.columns, len(made.systems), weights_of(made.frame))


def _leaders(frame: pd.DataFrame, systems: Any) -> dict[str, method_choice.Leader]:
    """Who leads by the methods that count decisions, ties counting half."""
    first, second, _ = columns_of(frame, SYSTEMS, systems)
    points, weights = frame["points"].to_numpy(float), weights_of(frame)

    def rate(method: str) -> NDArray[np.float64]:
        rating = ratings.RATINGS[method].rate
        return rating(first, second, points, n=len(systems), weights=weights)

    return method_choice.leaders(systems, rate)


def _on_ties(taking: Taking, made: _Made) -> list[str]:
    """Who would change places if ties counted otherwise."""
    taken, settings, systems = made.taken, made.settings, made.systems
    if settings.how.outcome == "rankings":
        return []
    if settings.ties == "drop":
        taken = taking(made.selection, replace(settings, ties="half"))
    frame = taken.frame[taken.frame[list(SYSTEMS)].isin(systems).all(axis=1)]
    nothing = Drawing(np.random.default_rng(made.selection.seed), 0)

    def rate(frame: pd.DataFrame, settings: RankSettings) -> NDArray[np.float64]:
        kept = frame[frame["points"] != 0.5] if settings.ties == "drop" else frame
        return _rate(kept, SYSTEMS, systems, nothing, settings).rating

    return tie_treatments.notes(frame, pd.Series(made.board.rating, systems), settings, rate)


def _cautions(made: _Made) -> list[str]:
    """Why the figures may mean little, and what the intervals speak of."""
    found, used, systems = list[str](), made.taken.used, len(made.systems)
    if used < 10 * systems:
        judgements = "judgement" if used == 1 else "judgements"
        found.append(
            f"Only {used} {judgements} for {systems} systems: the order is a first impression."
        )
    if made.board.uncertainty:
        return [*found, *made.drawn.notes(), *_steps(made.settings, made.taken.number_of_items())]
    if made.settings.bootstrap:
        found.append("There are no intervals: they need at least two items.")
    return found


def _steps(settings: RankSettings, items: int) -> list[str]:
    """That the intervals of a method are rougher than others over so few items."""
    if not settings.how.stepwise or items > FEW_FOR_STEPS:
        return []
    return [
        f"With {items} items, {settings.how.label} moves in steps: its intervals can miss the "
        "truth in more than 5% of studies."
    ]


def candidates(store: Store, selection: Selection, settings: RankSettings) -> Finding:
    """Each item's candidates by rating among themselves: a leaderboard of texts."""
    if settings.control:
        raise TandemError(
            f"{setting('control')} is estimated from all items, so that it belongs to ratings of "
            "systems: leave it out, or rank systems"
        )
    if {"judge", "length"} & {*settings.how.takes}:
        learnt = "whom to rely on" if "judge" in settings.how.takes else "what length does"
        raise TandemError(
            f"{setting('method')} {settings.method} learns from all items {learnt}, so that "
            "it belongs to ratings of systems: rank systems, or use another method"
        )
    taken = take(store, selection, settings)
    choice = method_choice.suited_by(taken.frame, "item", GENERATIONS)
    asked, settings = settings.method, settings.with_method(choice)
    answers = dict(list(taken.answers.groupby("item", sort=False)))
    parts, apart = [], 0
    nothing = Drawing(np.random.default_rng(selection.seed), 0)
    for item, of_item in taken.frame.groupby("item", sort=False):
        names = np.unique(of_item[list(GENERATIONS)])
        board = _rate(of_item, GENERATIONS, names, nothing, settings)
        parts.append(_board_rows(names, board, answers[item], GENERATIONS).assign(item=item))
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
        rank_signature(selection, settings, taken) + "|by:candidate",
        taken.used,
        taken.unanswered,
        [*taken.notes, *([note] if note else [])],
        {"connected": apart == 0, **method_choice.as_facts(choice, asked)},
        columns=declare_columns(settings.method, None),
        picture="leaderboard",
    )


def resampling(
    store: Store, selection: Selection, settings: RankSettings
) -> Callable[[NDArray[Any], NDArray[Any], NDArray[np.float64]], NDArray[np.float64]]:
    """What rates the systems anew on resamples of the items: (items, systems, counts (B, items)) ->
    ratings (B, systems).
    """
    frame = take(store, selection, settings).frame
    every = np.array(sorted({*frame["system_a"], *frame["system_b"]}))
    choice = method_choice.suited(*columns_of(frame, SYSTEMS, every)[:2], n=len(every))
    settings = settings.with_method(choice)

    def rate(
        items: NDArray[Any], systems: NDArray[Any], counts: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        place = pd.Index(items).get_indexer(frame["item"])
        rows = frame[place >= 0]
        names = np.array(sorted({*rows["system_a"], *rows["system_b"]}), dtype=object)
        columns, own = columns_of(rows, SYSTEMS, names), settings.own(rows)
        of_each = weights_of(rows)
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
    columns = columns_of(frame, sides, names)
    try:
        return ratings.leaderboard(
            settings.method,
            *columns,
            n=len(names),
            drawing=weighed(drawing, frame),
            **settings.own(frame),
        )
    except ArithmeticError as error:
        raise jury.refused(
            error, frame, columns, settings.people,
            n=len(names), weights=weights_of(frame), position=settings.position_term,
        ) from error  # fmt: skip


def _unbounded(frame: pd.DataFrame, names: Any, settings: RankSettings) -> bool:
    """Whether the method has strengths, and some system won or lost everything."""
    if "ties" not in settings.how.takes:
        return False
    columns = columns_of(frame, SYSTEMS, names)
    return not has_maximum(*columns, n=len(names), ties=settings.own(frame)["ties"])


def _position_effect(frame: pd.DataFrame, names: Any, settings: RankSettings) -> float | None:
    """What being shown first is worth in rating points, where that was asked for."""
    effect = settings.how.position_effect
    if effect is None or not settings.position_term:
        return None
    own = {
        name: value
        for name, value in settings.own(frame).items()
        if name not in ("position", "tie_model")
    }
    return effect(
        *columns_of(frame, SYSTEMS, names), n=len(names), weights=weights_of(frame), **own
    )


def _board_rows(
    names: Any, board: ratings.Leaderboard, answers: pd.DataFrame, sides: tuple[str, str]
) -> pd.DataFrame:
    among = answers[answers[list(sides)].isin(names).all(axis=1)]
    columns = columns_of(among, sides, names)
    wins, losses, ties = ratings.record(*columns, n=len(names), times=times_of(among)).T
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
