"""A leaderboard for each subset of the items, or for each attribute, side by side."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any, Literal

import pandas as pd

from ...labels import join_few_names, pluralize
from ...records import Kind, TandemError
from ...store import Store
from ..judgements import minimum
from ..judgements.finding import Finding
from ..judgements.selection import Selection, write_signature
from . import headline
from .columns import declare_columns
from .compute import rank_among
from .settings import RankSettings

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
