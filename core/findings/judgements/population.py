"""Population that an interval generalises to: new items, new judges, or both. Items that repeat a
prompt, a document or a template are a family, and drawn as one, since such items are answered alike
(docs/statistics/intervals.md, "Intervals").
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from itertools import combinations
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ...labels import OVER, name_these, pluralize
from ...records import TandemError, option_ref
from ...statistics import ENOUGH_JUDGES, Codes, intervals
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
    of_item = _read_texts(store, dataset, pd.concat([shared, others]).drop_duplicates("item"))
    apart = _list_texts(of_item, others["item"])
    subjects = {}
    for wording in common:
        texts = _list_texts(of_item, shared.loc[shared["wording"] == wording, "item"])
        if (alike := _are_alike(texts, apart)) is not None:
            subjects[wording] = alike
    return subjects


def _read_texts(store: Store, dataset: str, items: pd.DataFrame) -> dict[str, _ItemTexts]:
    wording = dict(zip(items["item"], items["wording"], strict=True))
    texts: dict[str, list[Pieces]] = {}
    for item, text in store.texts.two_texts(dataset, list(wording), LETTERS):
        letters = _NOT_LETTERS.sub("", text.casefold())
        places = range(max(len(letters) - LENGTH + 1, 1))
        pieces = frozenset(letters[place : place + LENGTH] for place in places)
        texts.setdefault(item, []).append(pieces)
    return {
        item: _ItemTexts(wording[item], *both) for item, both in texts.items() if len(both) == 2
    }


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


FAMILIES = {
    "found": "that files name, else of equal contexts",
    "named": "that files name",
    "none": "none",
}
"""What the items of a family have in common."""
FEWEST_OF_SUBSET = 10
"""Items of a subset from which a context that most of them share is taken for an instruction, where
no texts tell.
"""


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
    items: pd.DataFrame, how: str, subjects: Mapping[int, bool] = MappingProxyType({})
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
    usual = items.loc[(alike > size / 2) & (size >= FEWEST_OF_SUBSET), "wording"]
    every = items["wording"].nunique() == 1
    told = items["wording"].map(subjects)
    instructs = items["wording"].isin(usual).where(told.isna(), told.eq(False))
    return (instructs | every).to_numpy(bool)


def code_families(frame: pd.DataFrame) -> Codes:
    """Return the family of each row (m,), as codes 0, 1 .., the clusters of intervals."""
    return pd.factorize(frame["family"])[0].astype(np.int64)


def average_by(rows: pd.DataFrame, keys: Sequence[str], **values: Any) -> pd.DataFrame:
    """Average values (m,) in [0, 1] of rows with a `family`, by `keys`: a row for each group, in
    their order, with each NAME, its 95% interval over families, NAME_low to NAME_high, and NAME_n,
    of how many that are not NaN.
    """
    groups = rows.groupby(list(keys), sort=False)
    found = groups.size().reset_index()[list(keys)]
    column, family = groups.ngroup().to_numpy(np.int64), code_families(rows)
    for name, each in values.items():
        points = np.asarray(each, dtype=float)
        known = ~np.isnan(points)
        share = intervals.shares_by(points[known], family[known], column[known], n=len(found))
        found = found.assign(**intervals.spread(name, share), **{f"{name}_n": share.n})
    return found


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


ENOUGH_ITEMS = 10
JUDGES_TO_TELL = 5
"""Fewest judges to estimate how judges differ. Intervals over fewer cover the truth in 86 to 100%
of simulated studies (tests/coverage/results.md).
"""


class Population(NamedTuple):
    """`scope` is what is resampled; `items` and `judges` (m,) are codes of the clusters, None if
    not resampled. `number` is how many judges there are, None if unknown.
    """

    scope: str
    items: Codes | None
    judges: Codes | None
    number: int | None

    def notes(self) -> list[str]:
        """Note what the intervals generalise to, and whether there is enough data."""
        whom = OVER[self.scope]
        if self.number is not None:
            whom = whom.replace("these judges only", f"{name_these(self.number, 'judge')} only")
        items = 0 if self.items is None else int(self.items.max(initial=-1)) + 1
        judges = 0 if self.judges is None else int(self.judges.max(initial=-1)) + 1
        return [f"Intervals hold for {whom}.", *note_few_items(items), *note_few_judges(judges)]


def note_few_items(items: int) -> list[str]:
    """Warn if intervals are rough because of few items."""
    if 1 < items < ENOUGH_ITEMS:
        return [f"Only {items} items: intervals of so few are rough. Ten are a start."]
    return []


def note_few_judges(judges: int) -> list[str]:
    """Warn if intervals are rough because of few judges."""
    if 0 < judges < JUDGES_TO_TELL:
        return [
            f"Only {judges} judges: they tell little about how judges differ, so intervals for new "
            "ones are rough."
        ]
    return []


def choose_over(item: pd.Series, judge: pd.Series) -> str:
    """Choose what intervals of judgements with these items and judges generalise to: `both` if at
    least half of the items have answers of JUDGES_TO_TELL judges, else `items`.
    """
    of_item = judge.groupby(item.to_numpy()).nunique()
    return "both" if len(of_item) and (of_item >= JUDGES_TO_TELL).mean() >= 0.5 else "items"


def define_population(over: str, item: pd.Series, judge: pd.Series) -> Population:
    """Define the population of judgements with these items and judges; `over` '' leaves the choice
    to `choose_over`.

    Raises TandemError where judges are to be drawn and there are fewer than three.
    """
    over = over or choose_over(item, judge)
    items, judges = pd.factorize(item)[0], pd.factorize(judge)[0]
    number = int(judges.max(initial=-1)) + 1
    if over in ("judges", "both") and number < ENOUGH_JUDGES:
        have = "is 1 judge" if number == 1 else f"are {number} judges"
        raise make_too_few_judges_error(over, f"needs three judges or more, and there {have}")
    return Population(
        over,
        items if over in ("items", "both") else None,
        judges if over in ("judges", "both") else None,
        number,
    )


def make_too_few_judges_error(over: str, because: str) -> TandemError:
    """Build the error for an `over` that resamples too few judges, with the way out."""
    return TandemError(f"{option_ref('over')} {over} {because}: use {option_ref('over')} items")
