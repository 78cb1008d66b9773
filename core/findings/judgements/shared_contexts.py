"""Test whether items that share a context are about the same thing, by the texts of the systems.

Under an instruction ("Summarise the article.") each item has a subject of its own, and so have its
texts. Items of one prompt, document or template have texts as alike as texts on one item are. No
answer plays a part in it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
import pandas as pd

from ...store import Store

FEWEST = 4
"""Items that share a context, from which on their texts are looked at: fewer repeat each other."""
ITEMS, CONTEXTS, LETTERS = 8, 20, 500
"""How many items of a context, the most common contexts, and letters of each text are read."""
LENGTH = 5  # of the pieces that texts are compared by, in letters: of any language
LEAST = 1 / 3
"""Likeness from which items are about one thing, on a scale from texts on different contexts (0) to
texts on one item (1). Articles under one instruction are at 0.0, SummEval's articles cut into four
items each at 0.7 to 1.1, sums in one template (LLMBar) at 0.9.
"""
TELLING = 0.02
"""How much more alike texts on one item must be than others, to tell anything."""
_NOT_LETTERS = re.compile(r"[\W_]+")
Pieces = frozenset[str]


class _ItemTexts(NamedTuple):
    """A context's wording, and the pieces of a text by each of two systems on an item of it."""

    wording: int
    first: Pieces
    second: Pieces


def find_subjects(store: Store, dataset: str, items: pd.DataFrame) -> dict[int, bool]:
    """Wording of a context that FEWEST items or more share -> whether they are about one thing.
    Contexts whose texts do not tell are left out. `items` has item and wording (0 = no context).
    """
    known = items[items["wording"] != 0]
    times = known["wording"].value_counts(sort=False)
    common = times[times >= FEWEST].nlargest(CONTEXTS).index.tolist()
    if not common:
        return {}
    shared = known[known["wording"].isin(common)].groupby("wording", sort=False).head(ITEMS)
    others = known.drop_duplicates("wording")
    others = others.iloc[:: max(len(others) // ITEMS, 1)]
    of_item = _read(store, dataset, pd.concat([shared, others]).drop_duplicates("item"))
    apart = _list_texts(of_item, others["item"])
    subjects = {}
    for wording in common:
        texts = _list_texts(of_item, shared.loc[shared["wording"] == wording, "item"])
        if (alike := _are_alike(texts, apart)) is not None:
            subjects[wording] = alike
    return subjects


def _read(store: Store, dataset: str, items: pd.DataFrame) -> dict[str, _ItemTexts]:
    """Load the two texts of each item that has some of two systems."""
    wording = dict(zip(items["item"], items["wording"], strict=True))
    texts: dict[str, list[Pieces]] = {}
    for item, text in store.datasets.two_texts(dataset, list(wording), LETTERS):
        texts.setdefault(item, []).append(_cut(text))
    return {
        item: _ItemTexts(wording[item], *both) for item, both in texts.items() if len(both) == 2
    }


def _cut(text: str) -> Pieces:
    letters = _NOT_LETTERS.sub("", text.casefold())
    return frozenset(
        letters[place : place + LENGTH] for place in range(max(len(letters) - LENGTH + 1, 1))
    )


def _list_texts(of_item: dict[str, _ItemTexts], items: pd.Series) -> list[_ItemTexts]:
    return [of_item[item] for item in items if item in of_item]


def _are_alike(texts: Sequence[_ItemTexts], apart: Sequence[_ItemTexts]) -> bool | None:
    """Return whether texts on different items of a context are as alike as those on one item,
    relative to texts on other contexts. None if unknown. Compares texts of different systems, since
    each has a style.
    """
    if len(texts) < FEWEST:
        return None
    own = [_overlap(one.first, one.second) for one in texts]
    between = [
        (_overlap(one.first, other.second) + _overlap(other.first, one.second)) / 2
        for one, other in combinations(texts, 2)
    ]
    other_contexts = [
        _overlap(one.first, other.second)
        for one in texts
        for other in apart
        if one.wording != other.wording
    ]
    base = float(np.mean(other_contexts)) if other_contexts else 0.0
    reach = float(np.mean(own)) - base
    if reach < TELLING:
        return None
    return (float(np.mean(between)) - base) / reach >= LEAST


def _overlap(one: Pieces, other: Pieces) -> float:
    """The share of all pieces of two texts that both have (Jaccard)."""
    return len(one & other) / len(one | other)
