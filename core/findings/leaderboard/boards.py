"""Boards beside the leaderboard of a selection: the first one shown, of each attribute, of the
candidates of each item, over time, on resamples, and of each part of the items side by side.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ...labels import POOLS, join_few_names, pluralize
from ...records import Kind, TandemError, choose_voting_kind, option_ref
from ...statistics import MEMORY, Drawing, elo_path
from ...store import Store
from ..judgements import minimum
from ..judgements.answers import Comparers, list_selected_comparers, select_answered
from ..judgements.finding import Finding
from ..judgements.selection import Selection, write_signature
from . import headline
from .columns import OVER_TIME, declare_columns
from .compute import ComparisonLoader, make_board, rank_among
from .fitted_board import make_rows, rate_frame
from .rating_input import (
    GENERATIONS,
    SYSTEMS,
    choose_method_by,
    extract_columns,
    get_weights,
    list_arguments,
    list_facts,
    prepare_comparisons,
    sign_ranking,
)
from .settings import RankSettings


def choose_first_board(store: Store, selection: Selection) -> Selection:
    """Choose whose leaderboard comes first: that of the judges who are named, else of people if
    their votes are enough to name a leader, else of judges.

    Simulated voters take people's place if nobody has voted. Without anybody who compares, the
    selection stays as it is.
    """
    comparers = list_selected_comparers(store, selection)
    if selection.judges or comparers.empty:
        return selection
    votes = comparers["kind"] == choose_voting_kind(comparers["kind"])
    shown = comparers[votes if has_leading_votes(store, selection.dataset) else ~votes]
    judges, *_ = list_pools(comparers if shown.empty else shown).values()
    return replace(selection, judges=judges)


def has_leading_votes(store: Store, dataset: str) -> bool:
    """Return whether people, or simulated voters in their place, voted often enough to name a
    leader.
    """
    answered = store.judgement_frames.count_answers(dataset)
    given = answered[answered["kind"] == choose_voting_kind(answered["kind"])]
    votes = int((given["asked"] - given["failed"]).sum())
    systems = len(store.datasets.systems(dataset))
    return minimum.count_ranking_answers(systems, votes).is_enough


def list_pools(comparers: Comparers) -> Mapping[str, tuple[str, ...]]:
    """Return whose boards there are, by what people call them: groups first, then single judges,
    then the pools of baselines and simulated voters.
    """
    kinds = set(comparers["kind"])
    groups = {name: (kind.value,) for kind, name in POOLS.items() if kind in kinds}
    names = sorted(
        set(comparers["judge"]), key=lambda name: (name.startswith("baseline:random"), name)
    )
    one_by_one = {name: (name,) for name in names}
    # A pool of baselines means little: it is there, but not first. So is one of simulated
    # voters beside anybody else.
    last = [Kind.BASELINE, *([Kind.SIMULATED] if len(kinds) > 1 else [])]
    pool = {POOLS[kind]: groups.pop(POOLS[kind]) for kind in last if POOLS[kind] in groups}
    return {**groups, **one_by_one, **pool}


SHARED = (  # facts that boards of several attributes have in common
    "over", "resolve", "method", "because", "suited", "unevenness", "ranks_hold_for",
)  # fmt: skip


def rank_by_attribute(store: Store, selection: Selection, settings: RankSettings) -> Finding:
    """A leaderboard of each attribute and, where there are several, of all together (`attribute` is
    None). All are by the method of all together, and ranks hold for all systems on all boards at
    once.
    """
    attributes = sorted(select_answered(store, selection)[0]["attribute"].unique())
    return make_boards(partial(prepare_comparisons, store), attributes, selection, settings)


def make_boards(
    load: ComparisonLoader, attributes: Sequence[str], selection: Selection, settings: RankSettings
) -> Finding:
    """`rank_by_attribute` of the comparisons that are loaded of these attributes."""
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
    """Fix the settings that were left to the data, as chosen for all attributes together."""
    resolve = whole.facts["resolve"] or settings.resolve
    return replace(settings, method=whole.facts["method"], resolve=resolve)


def describe_boards(systems: int, attributes: int) -> str:
    """Describe the simultaneous confidence of ranks on the boards of several attributes."""
    return (
        f"Ranks by attribute hold for {systems} systems on {attributes} attributes, and on all "
        "together, at once."
    )


def candidates(store: Store, selection: Selection, settings: RankSettings) -> Finding:
    """Rate the candidates of each item among themselves: a leaderboard of texts."""
    if settings.rating_method.learns:
        raise TandemError(
            f"{option_ref('method')} {settings.method} learns from all items "
            f"{settings.rating_method.learns}, so it rates systems only: rank systems, or use "
            "another method"
        )
    comparisons = prepare_comparisons(store, selection, settings)
    choice = choose_method_by(comparisons.frame, "item", GENERATIONS)
    asked, settings = settings.method, settings.with_method(choice.method)
    answers = dict(list(comparisons.answers.groupby("item", sort=False)))
    parts, apart = [], 0
    nothing = Drawing(np.random.default_rng(selection.seed), 0)
    for item, of_item in comparisons.frame.groupby("item", sort=False):
        names = np.unique(of_item[list(GENERATIONS)])
        board = rate_frame(of_item, GENERATIONS, names, nothing, settings)
        parts.append(make_rows(names, board, answers[item], GENERATIONS).assign(item=item))
        apart += not board.connected
    rows = pd.concat(parts).rename(columns={"name": "generation"})
    known = store.texts.generations(selection.dataset, texts=False)[
        ["generation", "system", "sample"]
    ]
    rows = rows.merge(known, on="generation")
    notes = [*comparisons.notes]
    if apart:
        notes.append(
            f"In {apart} of {len(parts)} items some candidates are not linked by comparisons."
        )
    return Finding(
        rows,
        sign_ranking(selection, settings, comparisons) + "|by:candidate",
        comparisons.used,
        comparisons.unanswered,
        notes,
        {"connected": apart == 0, **list_facts(choice, asked)},
        columns=declare_columns(settings.method, None),
        picture="leaderboard",
    )


LONG = pd.Timedelta(days=1)  # votes over less than that have no date to speak of
LOOKS = 100  # at which ratings are told, as many as a chart can show


def rank_over_time(store: Store, selection: Selection, settings: RankSettings) -> Finding:
    """Elo after each vote, or at about LOOKS even steps of them: votes (so many so far), system,
    rating; no row before a system's first vote. Where they came over more than a day, at times
    of their own, also `at`, when the last of so many was given (UTC). Votes are taken in the order
    Elo takes them: by time where it is known, else as in their file, and a run's as planned.
    """
    settings = settings if settings.method else replace(settings, method="elo")
    if settings.method != "elo":
        raise TandemError(
            f"{settings.method} has no order of votes: {option_ref('over_time')} belongs to "
            f"{option_ref('method')} elo"
        )
    comparisons = prepare_comparisons(store, selection, settings)
    names, votes = comparisons.systems, len(comparisons.frame)
    columns = extract_columns(comparisons.frame, SYSTEMS, names)
    after = np.unique(np.linspace(1, votes, min(votes, LOOKS)).round().astype(np.int64))
    path = elo_path(*columns, n=len(names), after=after, k=settings.k)
    rows = pd.DataFrame(
        {
            "votes": np.repeat(after, len(names)),
            "system": np.tile(names, len(after)),
            "rating": path.ravel(),
        }
    )
    times = find_times(store, comparisons.frame, after)
    rows = rows if times is None else rows.assign(at=np.repeat(times, len(names)))
    rows = rows.dropna(subset="rating", ignore_index=True)
    return Finding(
        rows,
        f"{sign_ranking(selection, replace(settings, bootstrap=0), comparisons)}|over:votes",
        comparisons.used,
        comparisons.unanswered,
        [*comparisons.notes, f"After {len(after):,} of {votes:,} votes, in their order."],
        {
            "method": "elo",
            "because": None,
            "attributes": sorted(comparisons.frame["attribute"].unique()),
        },
        columns=OVER_TIME,
        picture="over_time",
    )


def find_times(store: Store, frame: pd.DataFrame, after: NDArray[np.int64]) -> list[str] | None:
    """Find the time at which each number of votes was reached. None if most votes have no time of
    their own (a file without times, or one run), or all came within a day.
    """
    if "judgement" not in frame or frame["judgement"].isna().any():
        return None
    given = store.judgement_frames.times(frame["judgement"].to_numpy()[after - 1])
    times = pd.to_datetime(pd.Series(given), utc=True, format="ISO8601", errors="coerce")
    if times.isna().any() or 2 * times.nunique() < len(times):
        return None
    if times.max() - times.min() <= LONG:
        return None
    return times.dt.strftime("%Y-%m-%dT%H:%M:%SZ").tolist()


def make_resampler(
    store: Store, selection: Selection, settings: RankSettings
) -> Callable[[NDArray[Any], NDArray[Any], NDArray[np.float64]], NDArray[np.float64]]:
    """Build a function that rates the systems on resamples of the items: (items, systems, counts
    (B, items)) -> ratings (B, systems).
    """
    comparisons = prepare_comparisons(store, selection, settings)
    frame, settings = comparisons.frame, settings.with_method(comparisons.choose_method().method)

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
            found[few] = settings.rating_method.rate(*columns, n=len(names), weights=drawn, **own)
        column = pd.Index(names).get_indexer(systems)
        return np.where(column >= 0, found[:, column], np.nan)

    return rate


By = Literal["subset", "attribute"]
COLUMNS = ("system", "rating", "low", "high", "rank", "rank_low", "rank_high", "judgements")
APART = "Intervals and ranks are those of each {} by itself: among many, some differ by chance."


def breakdown(
    store: Store, selection: Selection, settings: RankSettings, by: By = "subset"
) -> Finding:
    """The leaderboard of each subset or attribute, by one method, whose name is in the column `by`.
    Table `parts`: judgements, items, `leaders` (a tuple; nobody below the stated minimum), and
    whether one is `clear` of the second.

    Raises TandemError where none of them can be rated.
    """

    def choose(name: str) -> Selection:
        part: dict[str, Any] = {by: name}
        return replace(selection, **part)

    boards, notes = {}, [APART.format(by)]
    names = store.datasets.subsets(selection.dataset)
    if by == "attribute":
        names = [attribute.name for attribute in store.datasets.attributes(selection.dataset)]
    for name in names:
        try:
            boards[name] = rank_among(store, choose(name), settings, 1)
        except TandemError as error:
            notes.append(f"{name}: {error}.")
    if not boards:
        raise TandemError(f"there is nothing to rate by {by} here")
    parts = [board.rows[list(COLUMNS)].assign(**{by: name}) for name, board in boards.items()]
    first, rows = next(iter(boards.values())), pd.concat(parts, ignore_index=True)
    summary: list[dict[str, object]] = []
    for name, board in boards.items():
        about = {by: name, "judgements": board.judgements, "items": board.facts["items"]}
        leaders = tuple(headline.find_leaders(board))
        clear = len(leaders) == 1 and not board.rows["tied_with"].iloc[0]
        summary.append({**about, "leaders": leaders, "clear": clear})
    return Finding(
        rows,
        write_signature(
            first.facts["method"],
            **choose("").signature_values(Kind.HUMAN),
            by=by,
            **settings.signature_values(),
            over=first.facts["over"],
            seed=selection.seed,
        ),
        sum(board.judgements for board in boards.values()),
        sum((Counter(board.unanswered) for board in boards.values()), Counter()),
        notes,
        {"by": by, "method": first.facts["method"]},
        {"parts": pd.DataFrame(summary)},
        columns=declare_columns(
            first.facts["method"], "always" if first.facts["resolve"] == "always" else "pairwise"
        ),
    )


def describe_breakdown(result: Finding) -> str:
    """Count the subsets or attributes in which each system leads, among those with enough
    answers.
    """
    parts, by = result.tables["parts"], result.facts["by"]
    named = parts[parts["leaders"].map(bool)]
    short = len(parts) - len(named)
    few = f" {pluralize(short, by)} have too few answers to name a leader."
    few = few.replace("have", "has") if short == 1 else few
    if named.empty:
        least = minimum.ANSWERS
        return f"No {by} names a leader yet: each needs {least} answers or more, and its own items."
    wins = Counter(name for leaders in named["leaders"] for name in leaders)
    best, times = wins.most_common(1)[0]
    leads = named["leaders"].map(lambda leaders: best in leaders)
    others = [
        f"{join_few_names(row['leaders'])} in {row[by]}" for _, row in named[~leads].iterrows()
    ]
    beside = f" Elsewhere: {join_few_names(others)}." if others else ""
    number, clear = len(named), int(named.loc[leads, "clear"].sum())
    where = f"{times} of {number} {by}s"
    if times == number:
        where = f"both {by}s" if number == 2 else f"all {number} {by}s"
    if number == 1:
        where = f"{by} {named[by].iloc[0]}"
    how = f"clear of the second in {clear or 'none'}"
    if clear == times or times == 1:
        how = "clear of the second" if clear else "not clear of the second"
    return f"{best} leads in {where}, {how}.{beside}{few if short else ''}"
