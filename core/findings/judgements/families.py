"""Items that repeat a prompt, a document or a template are a family: intervals draw families, since
such items are answered alike (docs/statistics/intervals.md, "Intervals").
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ...labels import pluralize
from ...statistics import Codes
from ...store import Store
from .shared_contexts import find_subjects

FAMILIES = {
    "found": "that files name, else of equal contexts",
    "named": "that files name",
    "none": "none",
}
"""What the items of a family have in common."""
FEWEST = 10
"""Items of a subset from which a context that most of them share is taken for an instruction, where
no texts tell.
"""


NOTHING_TOLD: Mapping[int, bool] = MappingProxyType({})


class Families(NamedTuple):
    """`items` has item, subset and family (the first item of it) of every item; the context of so
    many is `instructing`: it is taken for an instruction, and no family.
    """

    items: pd.DataFrame
    instructing: int


def find_families(store: Store, dataset: str, how: str) -> Families | None:
    """Families of a data set by one of FAMILIES; None where every item is one by itself.

    It reads what files and contexts say and no answer, so nothing hangs on how a vote went.
    """
    if how == "none" or not store.datasets.has_families(dataset, contexts=how == "found"):
        return None
    items = store.datasets.families(dataset)
    subjects = find_subjects(store, dataset, items) if how == "found" else {}
    return group_items(items, how, subjects)


def group_items(
    items: pd.DataFrame, how: str, subjects: Mapping[int, bool] = NOTHING_TOLD
) -> Families | None:
    """Group `items` into families, as `find_families` does. `items` has item (each once), subset,
    family ('' = not named) and wording (0 = no context). `subjects` says for each wording whether
    all its items are about one thing, according to their texts.
    """
    place = np.arange(len(items))
    named = (items["family"] != "").to_numpy()
    code = np.where(named, pd.factorize(items["family"])[0], place)
    instructing = 0
    sort = np.where(named, 0, 1)  # of code: a name, or an item
    if how == "found":
        known = ~named & (items["wording"] != 0).to_numpy()
        instructed = known & _are_instructions(items, subjects)
        known, instructing = known & ~instructed, int(instructed.sum())
        code = np.where(known, pd.factorize(items["wording"])[0], code)
        sort = np.where(known, 2, sort)
    keys = items["item"]
    family = keys.groupby([sort, code]).transform("first")
    if not instructing and (family == keys).all():
        return None
    return Families(items[["item", "subset"]].assign(family=family), instructing)


def _are_instructions(items: pd.DataFrame, subjects: Mapping[int, bool]) -> NDArray[np.bool_]:
    """(n,) whether the context of each item says what to do and not what about, such as "Summarise
    the article.", where the article is not given: that of all items, and any whose items are about
    different things. Where texts do not tell that, it is the context of more than half of a subset
    of FEWEST items or more.
    """
    size = items.groupby("subset")["wording"].transform("size")
    alike = items.groupby(["subset", "wording"])["wording"].transform("size")
    usual = items.loc[(alike > size / 2) & (size >= FEWEST), "wording"]
    every = items["wording"].nunique() == 1
    told = items["wording"].map(subjects)
    instructs = items["wording"].isin(usual).where(told.isna(), told.eq(False))
    return (instructs | every).to_numpy(bool)


def add_family_column(store: Store, dataset: str, how: str, frame: pd.DataFrame) -> pd.DataFrame:
    """Rows about an `item` each, with its `family`, by its first item: what intervals draw."""
    found = find_families(store, dataset, how)
    if found is None:
        return frame.assign(family=frame["item"])
    return frame.assign(family=frame["item"].map(found.items.set_index("item")["family"]))


def code_families(frame: pd.DataFrame) -> Codes:
    """Return the family of each row (m,), as codes 0, 1 .., the clusters of intervals."""
    return pd.factorize(frame["family"])[0].astype(np.int64)


def describe_families(
    store: Store,
    dataset: str,
    how: str,
    subset: str | None = None,
    chosen: Collection[str] | None = None,
) -> list[str]:
    """Describe how many families the items form, in a subset or among those `chosen`, and why a
    context is not one.
    """
    found = find_families(store, dataset, how)
    if found is None:
        return []
    known = found.items if subset is None else found.items[found.items["subset"] == subset]
    known = known if chosen is None else known[known["item"].isin(chosen)]
    items, families, notes = len(known), known["family"].nunique(), []
    if families < items:
        notes.append(
            f"{pluralize(items, 'item')} in {families:,} famil{'y' if families == 1 else 'ies'}: "
            "items that repeat a prompt, a document or a template count as one in intervals. If "
            "they do not repeat each other, choose families none."
        )
    if found.instructing:
        notes.append(
            f"{pluralize(found.instructing, 'item')} share their context with others, and not what "
            "they are about, as far as texts tell. It is taken for an instruction, and they count "
            "as different items. If they repeat each other, say so in a column called family."
        )
    return notes
