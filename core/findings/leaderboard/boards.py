"""Leaderboards of several attributes, whose ranks hold at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import pandas as pd

from ...store import Store
from ..judgements import (
    Finding,
    Selection,
    select_answered,
)
from .columns import declare_columns
from .compute import ComparisonLoader, make_board
from .rating_input import (
    prepare_comparisons,
)
from .settings import RankSettings

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
    load: ComparisonLoader,
    attributes: Sequence[str],
    selection: Selection,
    settings: RankSettings,
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
