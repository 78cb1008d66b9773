"""The items and judgements that a figure is about: those of an item set, and votes left out."""

from __future__ import annotations

from typing import Protocol

import pandas as pd

from ...labels import pluralize
from ...records import Kind
from ...store import Store


class ItemFilter(Protocol):
    """Items that a figure is about."""

    @property
    def dataset(self) -> str:
        """Name of the data set."""

    @property
    def items(self) -> tuple[str, ...]:
        """Keys of the items; () = all."""

    @property
    def item_set(self) -> str | None:
        """Name of an item set; None = all items."""


def list_chosen_items(store: Store, selection: ItemFilter) -> frozenset[str] | None:
    """The keys of the items that a selection is about; None = all. Raises TandemError for a set
    that the data set does not have.
    """
    chosen = frozenset(selection.items) if selection.items else None
    if not selection.item_set:
        return chosen
    members = frozenset(store.item_sets.items(selection.dataset, selection.item_set))
    return members if chosen is None else members & chosen


def keep_chosen_items(store: Store, selection: ItemFilter, frame: pd.DataFrame) -> pd.DataFrame:
    """The rows about an `item` that a selection is about."""
    chosen = list_chosen_items(store, selection)
    return frame if chosen is None else frame[frame["item"].isin(chosen)]


def note_item_set(store: Store, selection: ItemFilter) -> list[str]:
    """Note that only the items of a set count. If answers chose the set, the same note says that
    figures do not generalise to other items.
    """
    if not selection.item_set:
        return []
    chosen = store.item_sets.get(selection.dataset, selection.item_set)
    note = f"Only the {pluralize(chosen.size, 'item')} of the set {chosen.name!r} count."
    if chosen.by_answers:
        note += (
            " They were chosen by their answers. That biases rates, ranks and agreement on them, "
            "which hold for no other items. Intervals do not cover it."
        )
    return [note]


class JudgementFilter(ItemFilter, Protocol):
    """Judgements that a figure is about."""

    @property
    def attribute(self) -> str | None:
        """Name of an attribute; None = all."""

    @property
    def subset(self) -> str | None:
        """Name of a subset; None = all."""

    @property
    def systems(self) -> tuple[str, ...]:
        """Names of systems; () = all."""

    @property
    def judges(self) -> tuple[str, ...]:
        """Names or kinds of judges; may be empty."""


def exclusion_notes(store: Store, selection: JudgementFilter) -> list[str]:
    """Count the votes of excluded people that this selection would include, in a sentence. [] if
    there are no such votes.
    """
    if not store.exclusions.kinds(selection.dataset):
        return []
    wanted = selection.judges or tuple(Kind)
    frame = store.exclusions.left_out(
        selection.dataset,
        attribute=selection.attribute,
        subset=selection.subset,
        systems=selection.systems,
        items=list_chosen_items(store, selection),
    )
    frame = frame[frame["judge"].isin(wanted) | frame["kind"].isin(wanted)]
    votes, people = int(frame["votes"].sum()), len(frame)
    if not votes:
        return []
    whose = frame["judge"].iloc[0] if people == 1 else f"{people} excluded judges"
    number = "1 vote" if votes == 1 else f"{votes:,} votes"
    excluded = ", who is excluded" if people == 1 else ""
    return [f"Left out: {number} of {whose}{excluded}."]
