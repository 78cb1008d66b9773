"""Describe the excluded votes of a figure."""

from __future__ import annotations

from typing import Protocol

from ...records import Kind
from ...store import Store
from .chosen_items import ItemFilter, list_chosen_items


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
