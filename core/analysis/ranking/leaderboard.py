"""Leaderboards of systems, and of an item's candidates, from the judgements of a selection."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from core.analysis.judgements import (
    Population,
    Result,
    Selection,
    judged,
)
from core.analysis.ranking import controls, jury, method_choice, tie_treatments
from core.analysis.ranking.both_bad import both_bad
from core.analysis.ranking.sep_elo import beside_elo, mean_step
from core.analysis.ranking.settings import RankSettings as RankSettings  # whoever ranks needs both
from core.analysis.ranking.taken import (
    GENERATIONS,
    SYSTEMS,
    Taken,
    columns_of,
    rank_signature,
    take,
    times_of,
    weighed,
    weights_of,
)
from core.records import TandemError, setting
from core.statistics import MEMORY, Drawing, has_maximum, ratings, regularised, sep_steps
from core.store import Store

FEW_FOR_STEPS = 20  # items: simulated, see docs/evidence.md
SHARED = (  # facts that boards of several attributes have in common
    "over", "resolve", "method", "because", "suited", "unevenness", "ranks_hold_for",
)  # fmt: skip
REGULARISED = (
    "Regularised strengths are as if each system had also won half a comparison and lost half. "
    "They have no interval: that of a system that never lost would claim far too much."
)
RANKS = ("rank", "rank_low", "rank_high")
Taking = Callable[[Selection, RankSettings], Taken]
"""What takes the comparisons a method is computed from."""


def leaderboard(store: Store, selection: Selection, settings: RankSettings) -> Result:
    """Systems by rating with intervals: system, rating, low, high, rank, rank_low, rank_high, wins,
    losses, ties, judgements, tied_with (a tuple of names), both_bad, both_bad_n, both_bad_share,
    both_bad_low and both_bad_high, sorted best first; of sep-Elo also elo, change, change_low,
    change_high and why.

    Facts: `over`, what the intervals generalise to; `method`, and `because`, why the data chose it
    (None where it was asked for); `suited`, the method they would choose, and their `unevenness`;
    `leaders`, by each of several methods, and `leaders_agree`, whether somebody leads by all,
    where all systems are linked by comparisons; `ranks_hold_for`, how many `systems`, and `boards`;
    `unbounded`, whether a weak prior holds strengths that no maximum bounds, so that
    `settings.regularise` would tell others beside.
    """
    return board_of(partial(take, store), selection, settings, 1)


def by_attribute(store: Store, selection: Selection, settings: RankSettings) -> Result:
    """A leaderboard of each attribute and, where there are several, of all together: `attribute`
    (None = all) and the columns of `leaderboard`. All are by the method of all together, and ranks
    hold for all systems on all boards at once.
    """
    attributes = sorted(judged(store, selection)[0]["attribute"].unique())
    return boards_of(partial(take, store), attributes, selection, settings)


def boards_of(
    taking: Taking, attributes: Sequence[str], selection: Selection, settings: RankSettings
) -> Result:
    """`by_attribute` of whatever is taken of these attributes."""
    several = [None, *attributes] if len(attributes) > 1 else attributes
    boards = {name: replace(selection, attribute=name) if name else selection for name in several}
    whole = board_of(taking, selection, settings, len(boards))
    settings = replace(settings, method=whole.facts["method"])
    found = {
        name: whole if name is None else board_of(taking, one, settings, len(boards))
        for name, one in boards.items()
    }
    rows = [board.rows.assign(attribute=name) for name, board in found.items()]
    every = pd.concat([part.astype({"attribute": object}) for part in rows], ignore_index=True)
    columns = ["attribute", *every.columns.drop("attribute")]
    notes = list(whole.notes)
    for name, board in found.items():
        notes += [f"{name}: {note}" for note in board.notes if note not in whole.notes]
    if whole.facts["resolve"] == "together" and len(boards) > 1:
        held = whole.facts["ranks_hold_for"]
        notes.append(
            f"Ranks hold for {held['systems']} systems on {len(attributes)} attributes, and on all "
            "together, at once."
        )
    return Result(
        every[columns],
        f"{whole.signature}|by:attribute",
        whole.judgements,
        whole.unanswered,
        notes,
        {name: whole.facts[name] for name in SHARED} | {"attributes": attributes},
    )


def board_of(taking: Taking, selection: Selection, settings: RankSettings, boards: int) -> Result:
    """One of so many leaderboards whose ranks are to hold at once."""
    taken = taking(selection, settings)
    frame = taken.frame
    systems = np.array(sorted({*frame["system_a"], *frame["system_b"]}))
    first, second, _ = columns_of(frame, SYSTEMS, systems)
    choice = method_choice.suited(first, second, n=len(systems), times=times_of(frame))
    asked, settings = settings.method, settings.with_method(choice)
    over = settings.over or ("items" if "judge" in settings.how.takes else "")
    drawn = taken.population(over)
    drawing = replace(_drawing(frame, drawn, selection, settings), boards=boards)
    board = _rate(frame, SYSTEMS, systems, drawing, settings)
    rows = _board_rows(systems, board, taken.answers, SYSTEMS).rename(columns={"name": "system"})
    rows["tied_with"] = [tuple(systems[others].tolist()) for others in ratings.unresolved(board)]
    rows = pd.concat([rows, both_bad(taken.judged, systems, SYSTEMS)], axis=1)
    notes = [board.note, *taken.notes]
    if "separability" in settings.how.takes:
        beside, note = _beside_elo(frame, systems, board, drawn, selection, settings)
        rows, notes = pd.concat([rows, beside], axis=1), [*notes, note]
    tables = {}
    if settings.control:
        drawing = _drawing(frame, drawn, selection, settings)
        beside, tables["controls"] = _beside_plain(taken, systems, board, drawing, settings)
        rows, notes = (
            pd.concat([rows, beside], axis=1),
            [*notes, *controls.told(tables["controls"])],
        )
    if "judge" in settings.how.takes:
        drawing = _drawing(frame, drawn, selection, settings)
        tables["judges"] = _jury(frame, systems, drawing, settings)
        notes += jury.told(tables["judges"])
    if settings.regularise:
        rows["regularised"] = regularised(
            *columns_of(frame, SYSTEMS, systems), n=len(systems), weights=weights_of(frame),
            **settings.own(frame),
        )  # fmt: skip
        notes.append(REGULARISED)
    leaders = _leaders(frame, systems) if board.connected else {}
    notes += method_choice.caution(choice, settings.method)
    notes += method_choice.disagreement(leaders)
    notes += _on_ties(taking, selection, settings, taken, pd.Series(board.rating, systems))
    tie_fits = {}
    if settings.ties == "model":
        columns = columns_of(frame, SYSTEMS, systems)
        tie_fits = tie_treatments.fits(columns, len(systems), weights_of(frame))
        notes += tie_treatments.on_fits(tie_fits)
    notes += _cautions(board, taken.used, len(systems), settings)
    if board.uncertainty:
        notes += [*drawn.notes(), *_steps(settings, taken.number_of_items())]
    return Result(
        rows.sort_values("rating", ascending=False, na_position="last", kind="stable").reset_index(
            drop=True
        ),
        rank_signature(selection, settings, taken, drawn.over if settings.bootstrap else None),
        taken.used,
        taken.unanswered,
        [note for note in notes if note],
        {
            "connected": board.connected,
            "over": drawn.over if board.uncertainty else None,
            "resolve": settings.resolve if board.uncertainty else None,
            **method_choice.as_facts(choice, asked, leaders),
            "attributes": sorted(frame["attribute"].unique()),
            "items": taken.number_of_items(),
            "kinds": sorted(taken.answers["kind"].unique()),
            "position_effect": _position_effect(frame, systems, settings),
            "ranks_hold_for": {"systems": len(systems), "boards": boards},
            "unbounded": _unbounded(frame, systems, settings),
            "tie_fits": {name: fit._asdict() for name, fit in tie_fits.items()} or None,
        },
        tables,
    )


def _beside_plain(
    taken: Taken,
    systems: Any,
    board: ratings.Leaderboard,
    drawing: Drawing,
    settings: RankSettings,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Ratings without what is controlled for beside those with it, and what the controls do."""
    frame = taken.frame
    without = frame.drop(columns=[controls.column(name) for name in settings.control])
    plain = _rate(without, SYSTEMS, systems, drawing, settings)
    columns = columns_of(frame, SYSTEMS, systems)
    drawing = weighed(drawing, frame)
    found = controls.effects(frame, columns, settings, taken.spread, drawing, len(systems))
    return controls.beside_plain(board, plain), found


def _jury(
    frame: pd.DataFrame, systems: Any, drawing: Drawing, settings: RankSettings
) -> pd.DataFrame:
    """How far each judge of a jury is to be relied on."""
    drawing = weighed(drawing, frame)
    columns = columns_of(frame, SYSTEMS, systems)
    return jury.worth(
        frame, columns, settings.people, drawing, n=len(systems), position=settings.position_term
    )


def _beside_elo(
    frame: pd.DataFrame,
    systems: Any,
    board: ratings.Leaderboard,
    drawn: Population,
    selection: Selection,
    settings: RankSettings,
) -> tuple[pd.DataFrame, str]:
    """Plain Elo beside sep-Elo, and what a step comes to."""
    elo = replace(settings, method="elo", separability="")
    plain = _rate(frame, SYSTEMS, systems, _drawing(frame, drawn, selection, elo), elo)
    columns, separability = (
        columns_of(frame, SYSTEMS, systems),
        frame["separability"].to_numpy(float),
    )
    beside = beside_elo(columns, separability, board, plain, settings.sep_threshold)
    return beside, mean_step(sep_steps(**settings.own(frame)), settings.k)


def _leaders(frame: pd.DataFrame, systems: Any) -> dict[str, method_choice.Leader]:
    """Who leads by the methods that count decisions, ties counting half."""
    first, second, _ = columns_of(frame, SYSTEMS, systems)
    points, weights = frame["points"].to_numpy(float), weights_of(frame)

    def rate(method: str) -> NDArray[np.float64]:
        rating = ratings.RATINGS[method].rate
        return rating(first, second, points, n=len(systems), weights=weights)

    return method_choice.leaders(systems, rate)


def _on_ties(
    taking: Taking, selection: Selection, settings: RankSettings, taken: Taken, shown: pd.Series
) -> list[str]:
    """Who would change places, of the systems' ratings `shown`, if ties counted otherwise."""
    if settings.how.outcome == "rankings":
        return []
    if settings.ties == "drop":
        taken = taking(selection, replace(settings, ties="half"))
    frame = taken.frame[taken.frame[list(SYSTEMS)].isin(shown.index).all(axis=1)]
    nothing = Drawing(np.random.default_rng(selection.seed), 0)

    def rate(frame: pd.DataFrame, settings: RankSettings) -> NDArray[np.float64]:
        kept = frame[frame["points"] != 0.5] if settings.ties == "drop" else frame
        return _rate(kept, SYSTEMS, shown.index.to_numpy(), nothing, settings).rating

    return tie_treatments.notes(frame, shown, settings, rate)


def _cautions(
    board: ratings.Leaderboard, used: int, systems: int, settings: RankSettings
) -> list[str]:
    """Why the figures may mean little."""
    found = []
    if used < 10 * systems:
        judgements = "judgement" if used == 1 else "judgements"
        found.append(
            f"Only {used} {judgements} for {systems} systems: the order is a first impression."
        )
    if settings.bootstrap and board.uncertainty is None:
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


def candidates(store: Store, selection: Selection, settings: RankSettings) -> Result:
    """Each item's candidates by rating among themselves: the leaderboard's columns, and item and
    generation.
    """
    if settings.control:
        raise TandemError(
            f"{setting('control')} is estimated from all items, so that it belongs to ratings of "
            "systems: leave it out, or rank systems"
        )
    if "judge" in settings.how.takes:
        raise TandemError(
            f"{setting('method')} {settings.method} learns from all items whom to rely on, so that "
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
    rows = rows[
        [
            "item",
            "system",
            "sample",
            "generation",
            *rows.columns.difference(known.columns).drop("item"),
        ]
    ]
    note = (
        f"In {apart} of {len(parts)} items some candidates are not linked by comparisons."
        if apart
        else ""
    )
    return Result(
        rows,
        rank_signature(selection, settings, taken) + "|by:candidate",
        taken.used,
        taken.unanswered,
        [*taken.notes, *([note] if note else [])],
        {"connected": apart == 0, **method_choice.as_facts(choice, asked)},
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


def _drawing(
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
        pairwise=settings.resolve == "pairwise",
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
