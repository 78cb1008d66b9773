"""The judgements of the people of a study, also of who is excluded: what supervision looks at."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated

import pandas as pd

from ...frames import get_schema
from ...records import TandemError, choose_voting_kind
from ...store import Store
from ..judgements import (
    POINTS,
    JudgedRows,
    Selection,
    add_families,
    check_selection,
    keep_chosen_items,
)

PeopleVotes = Annotated[pd.DataFrame, get_schema(JudgedRows).extend({bool: "excluded"})]


@dataclass(frozen=True)
class Scope:
    """Scope of the work looked at: data set, attribute, subset and systems of a selection, and one
    `campaign` (its row), or all campaigns and imported votes. The judges are the people, simulated
    annotators if no people have voted; other kinds only by name.
    """

    selection: Selection
    campaign: int | None = None

    def signature_values(self) -> dict[str, object]:
        """Return the signature values of the scope."""
        return {**self.selection.signature_values(), "campaign": self.campaign}


def fill_scope(store: Store, scope: Scope) -> Scope:
    """Return the scope with its people: simulated annotators if no people have voted."""
    kinds = store.judgement_frames.judges(scope.selection.dataset, excluded=True)["kind"]
    judges = scope.selection.judges or (choose_voting_kind(kinds).value,)
    return replace(scope, selection=replace(scope.selection, judges=judges))


def votes(store: Store, scope: Scope) -> PeopleVotes:
    """Live judgements as `judgement_frames.all` has them, answered or not, with `points` for A, the
    `family` of their item and whether who gave them is `excluded`. Raises TandemError where nobody
    has judged.
    """
    selection = fill_scope(store, scope).selection
    check_selection(store, selection)
    frame = store.judgement_frames.load_all(
        selection.dataset,
        attribute=selection.attribute,
        subset=selection.subset,
        systems=selection.systems,
        excluded=True,
    )
    frame = keep_chosen_items(store, selection, frame)
    if scope.campaign is not None:
        frame = frame[frame["campaign"] == scope.campaign]
    wanted = selection.judges
    frame = frame[frame["judge"].isin(wanted) | frame["kind"].isin(wanted)]
    if frame.empty:
        raise TandemError("nobody has judged here yet: annotate, or invite people who do")
    excluded = frame["judge"].isin([*store.exclusions.kinds(selection.dataset)])
    points = frame["outcome"].map(POINTS).astype(float)
    frame = add_families(store, selection, frame.assign(points=points, excluded=excluded))
    return frame.reset_index(drop=True)
