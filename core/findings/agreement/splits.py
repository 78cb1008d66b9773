"""The pairs of texts on which judges are most evenly split: those worth reading."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Annotated, Final

import pandas as pd

from ...frames import Schema, get_schema
from ...records import Kind
from ...statistics import FIRST, SECOND
from ...store import Store
from ..judgements import Selection, count_verdicts, select_answered, unless_refused

GROUPS: Final = {
    "people": (Kind.HUMAN,),
    "simulated annotators": (Kind.SIMULATED,),
    "judges": (Kind.HUMAN, Kind.LLM),
}
"""Whose verdicts are counted, and what they are called: people where they are split, else those
that are simulated, else people with models. Baselines follow a rule, so that their split tells
nothing of the texts.
"""
PAIR = ["attribute", "item", "system_1", "system_2", "candidate_1", "candidate_2"]
SplitRows = Annotated[
    pd.DataFrame,
    Schema(
        {str: "attribute item system_1 system_2 group", int: "candidate_1 candidate_2 first second"}
    ),
]


def list_splits(store: Store, selection: Selection, *, most: int = 3) -> SplitRows:
    """List the pairs of texts on which verdicts are most evenly split, at most one of an item.

    Args:
        selection: what to look at; its judges are those of GROUPS.
        most: rows at most.

    Returns:
        attribute, item, system_1 < system_2, candidate_1, candidate_2, group (of GROUPS),
        first, second: how many of the group say that the text of system_1, system_2 is better.
        Pairs on which people are split come first, then by how many are on the smaller side. None
        where neither people nor models have answered.
    """
    kinds = tuple(dict.fromkeys(kind for group in GROUPS.values() for kind in group))
    of_groups = replace(selection, judges=kinds)
    answered = unless_refused(partial(select_answered, store, of_groups))
    if answered is None:
        return get_schema(SplitRows).make()
    frame = count_verdicts(answered[0])
    found = [_count_sides(frame, group) for group in GROUPS]
    rows = pd.concat(found, ignore_index=True)
    return rows.drop_duplicates("item").head(most).reset_index(drop=True)


def _count_sides(frame: pd.DataFrame, group: str) -> SplitRows:
    """Pairs with verdicts of a group for both texts, the most even split first."""
    said = frame[frame["kind"].isin([kind.value for kind in GROUPS[group]])]
    sides = pd.DataFrame(
        {
            "unit": said["unit"],
            "first": (said["verdict"] == FIRST).astype(int),
            "second": (said["verdict"] == SECOND).astype(int),
        }
    )
    counts = sides.groupby("unit").sum()
    counts = counts[(counts > 0).all(axis=1)]
    smaller, larger = counts.min(axis=1), counts.max(axis=1)
    order = pd.DataFrame({"smaller": -smaller, "larger": larger}).sort_values(
        ["smaller", "larger"], kind="stable"
    )
    pairs = said.drop_duplicates("unit").set_index("unit")[PAIR]
    return pairs.join(counts.loc[order.index], how="right").assign(group=group)


def describe_split(row: pd.Series) -> str:
    """Render a row of `list_splits`: "people are split 2 to 1"."""
    sides = sorted((int(row["first"]), int(row["second"])), reverse=True)
    return f"{row['group']} are split {sides[0]:,} to {sides[1]:,}"
