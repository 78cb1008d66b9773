"""Items that people, a judge or a metric make worth another look; and saving them as a set."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from functools import partial
from typing import Annotated

import numpy as np
import pandas as pd

from ...frames import Schema
from ...records import Kind, TandemError, choose_voting_kind
from ...rendering import declare_rows, list_names
from ...settings import encode_changes, sign_settings
from ...statistics import CONTRADICTS, FIRST, SECOND, agreement
from ...store import ItemSet, Sought, Store
from ..judgements import (
    WORDS,
    Finding,
    Selection,
    check_selection,
    count_verdicts,
    keep_chosen_items,
    list_chosen_items,
    name_some,
    note_item_set,
    orient,
    select_answered,
    unless_refused,
    write_signature,
)
from ..separability import Settings, separabilities
from .columns import COLUMNS
from .sentences import describe_search
from .settings import ItemSearch

FoundItems = Annotated[pd.DataFrame, declare_rows(COLUMNS)]
ScopedItems = Annotated[pd.DataFrame, Schema({str: "item subset"})]

PLACE = ["item", "system_1", "system_2"]
TEXTS = ["candidate_1", "candidate_2"]
UNIT = ["attribute", *PLACE, *TEXTS]
ABOUT = ("subset", "attribute", "systems", "item_set")
"""What of a selection narrows a search down."""
EVERYTHING = ItemSearch()
REASONS = ("judge", "contradicts", "differs", "unanswered", "text")
"""What is asked for that is the same for every row."""


def find_items(store: Store, selection: Selection, search: ItemSearch = EVERYTHING) -> Finding:
    """Items that have all that is asked for, of those a selection is about.

    The columns are declared in `core.findings.items.columns`. Answers of people who are excluded
    do not count. Where no people have answered, simulated annotators stand for them, and a note
    says so. Facts: found and items_in_scope (how many of how many), pairs (of texts, 0 where the
    search is about whole items), by_answers, asked.

    Raises:
        TandemError: a name that the store does not have, a judge that has answered nothing, or a
            metric that was not measured.
    """
    check_selection(store, selection)
    selection = replace(selection, judges=())
    scope = _list_scope(store, selection, search)
    answered = _load_answered(store, selection, search)
    if search.unanswered:
        human = answered.loc[answered["kind"] == Kind.HUMAN, "item"]
        scope = scope[~scope["item"].isin(human)]
    rows, used = _find_rows(store, selection, search, scope, answered)
    asked = describe_search(list_asked(selection, search))
    facts = {
        "found": int(rows["item"].nunique()),
        "items_in_scope": _count_items(store, selection),
        "pairs": len(rows.drop_duplicates(TEXTS)) if rows["system_1"].notna().any() else 0,
        "by_answers": is_by_answers(store, selection, search),
        "asked": asked,
    }
    is_simulated = used > 0 and Kind.HUMAN not in set(answered["kind"])
    notes = (
        ["No person has voted here: the votes are those of simulated annotators."]
        if is_simulated
        else []
    )
    return Finding(
        rows,
        write_signature("items", **selection.signature_values(""), **sign_settings(search)),
        used,
        notes=[*note_item_set(store, selection), *notes],
        facts=facts,
        rows_are="items",
        columns=COLUMNS,
    )


def save_items(
    store: Store,
    name: str,
    items: Collection[str],
    request: tuple[Selection, ItemSearch],
    *,
    by: str,
    are_picked: bool = False,
) -> ItemSet:
    """Name items that a search found, `by` somebody. Those that somebody picked by hand, having
    read the answers, are chosen by answers, too. Raises TandemError as `ItemSets.save`.
    """
    picked = {"picked": True} if are_picked else {}
    return store.item_sets.save(
        request[0].dataset,
        name,
        items,
        search={**list_asked(*request), **picked},
        by_answers=are_picked or is_by_answers(store, *request),
        by=by,
    )


def list_asked(selection: Selection, search: ItemSearch) -> dict[str, object]:
    """List the search terms that differ from the defaults, as JSON values."""
    about = encode_changes(selection)
    return {**search.to_stored(), **{name: about[name] for name in ABOUT if name in about}}


def is_by_answers(store: Store, selection: Selection, search: ItemSearch) -> bool:
    """Return whether answers decide which items are found, or decided the set that is searched."""
    if search.reads_answers or not selection.item_set:
        return search.reads_answers
    return store.item_sets.get(selection.dataset, selection.item_set).by_answers


def _count_items(store: Store, selection: Selection) -> int:
    """Count the items of a selection."""
    keys = store.datasets.keys(selection.dataset, selection.subset)
    chosen = list_chosen_items(store, selection)
    return len(keys) if chosen is None else sum(key in chosen for key in keys)


def _list_scope(store: Store, selection: Selection, search: ItemSearch) -> ScopedItems:
    """The items of a selection, with the words that are asked for in them, in their order."""
    items = keep_chosen_items(store, selection, store.datasets.items(selection.dataset))
    if selection.subset:
        items = items[items["subset"] == selection.subset]
    if search.text.strip():
        sought = Sought(selection.dataset, search.text.strip())
        items = items[items["item"].isin(store.browsing.keys(sought))]
    return items[["item", "subset"]].reset_index(drop=True)


def _load_answered(store: Store, selection: Selection, search: ItemSearch) -> pd.DataFrame:
    """The answers that a search reads: people's, and those of its judge."""
    columns = ["item", "kind", "judge"]
    if not (search.reads_answers or search.judge or search.unanswered):
        return pd.DataFrame(columns=columns)
    every = replace(selection, judges=tuple(Kind))
    answered = unless_refused(partial(select_answered, store, every))
    if answered is None:
        if search.judge:
            raise TandemError(f"no judgements by {search.judge!r} here; nobody has judged yet")
        return pd.DataFrame(columns=columns)
    frame = answered[0]
    if search.judge and search.judge not in set(frame["judge"]):
        raise TandemError(
            f"no judgements by {search.judge!r} here; there are some by "
            f"{name_some(frame['judge'].unique())}"
        )
    return frame


def _find_rows(
    store: Store,
    selection: Selection,
    search: ItemSearch,
    scope: pd.DataFrame,
    answered: pd.DataFrame,
) -> tuple[FoundItems, int]:
    """Find the items of a scope, in its order or the most evenly split first, and count the answers
    used.
    """
    used = 0
    rows = scope
    if search.reads_answers or search.judge:
        voting = choose_voting_kind(answered["kind"].unique())
        read = answered[(answered["kind"] == voting) | (answered["judge"] == search.judge)]
        used = len(read)
        units = _find_units(read, search) if used else pd.DataFrame(columns=UNIT)
        rows = units.merge(scope, on="item")
    if search.separability:
        rows = _add_separability(store, selection, search, rows)
    rows = rows.reindex(columns=[name for name in list_names(COLUMNS) if name != "why"])
    place = rows["item"].map(dict(zip(scope["item"], range(len(scope)), strict=True)))
    sides = rows[["for_1", "for_2"]].astype(float)
    even = -(sides.min(axis=1) / sides.sum(axis=1)) if search.split else place * 0
    if len(rows):
        rows = rows.iloc[np.lexsort((np.arange(len(rows)), place, even))].reset_index(drop=True)
    return _add_reasons(rows, search), used


def _find_units(answered: pd.DataFrame, search: ItemSearch) -> pd.DataFrame:
    """Pairs of texts, for each attribute, with what people and the judge say of them: those that
    have what is asked of answers.
    """
    verdicts = count_verdicts(answered)
    own = verdicts["judge"] == search.judge
    people, judged = verdicts[~own], verdicts[own].set_index("unit")
    units = int(verdicts["unit"].max()) + 1 if len(verdicts) else 0
    counts = agreement.tabulate_verdicts(
        people["unit"].to_numpy(), people["verdict"].to_numpy(), units
    )
    rows = verdicts.drop_duplicates("unit").set_index("unit")[UNIT].sort_index()
    rows = rows.assign(
        people=counts.sum(axis=1),
        for_1=counts[:, FIRST],
        for_2=counts[:, SECOND],
        share_1=people.groupby("unit")["points"].mean().reindex(rows.index),
    )
    keep = np.ones(len(rows), dtype=bool)
    if search.split:
        keep &= (rows[["for_1", "for_2"]] > 0).all(axis=1).to_numpy()
    if search.judge:
        said = judged["verdict"].reindex(rows.index)
        keep &= said.notna().to_numpy()
        if search.contradicts:
            keep &= (said == CONTRADICTS).to_numpy()
        if search.differs:
            most = agreement.plurality(counts)
            differ = ~agreement.is_same_verdict(said.fillna(CONTRADICTS).to_numpy(int), most)
            keep &= differ & (counts.sum(axis=1) > 0)
        rows = rows.assign(verdict=_name_verdicts(rows, said))
        rows = rows.join(_name_orders(answered[answered["judge"] == search.judge], rows))
    return rows[keep].reset_index(drop=True)


def _name_verdicts(rows: pd.DataFrame, said: pd.Series) -> pd.Series:
    """Verdicts by what they prefer: a system, tie, or contradicts itself."""
    words = said.map(WORDS).map({"tie": "tie", "contradicts": "contradicts itself"})
    words = words.mask(said == FIRST, rows["system_1"]).mask(said == SECOND, rows["system_2"])
    return words.astype(object)


def _name_orders(answered: pd.DataFrame, rows: pd.DataFrame) -> pd.DataFrame:
    """Name what a judge said in each order, by the index of the rows: shown_1 where the text of
    system_1 came first, shown_2 where the other did.
    """
    ordered = orient(answered[answered["order_known"] == 1])
    mean = ordered.groupby([*UNIT, "turned"])["points_1"].mean()
    key = pd.MultiIndex.from_frame(rows[UNIT])
    named = {}
    for name, turned in (("shown_1", False), ("shown_2", True)):
        side = mean[mean.index.get_level_values("turned") == turned].droplevel("turned")
        points = pd.Series(side.reindex(key).to_numpy(float), index=rows.index)
        words = pd.Series("tie", index=rows.index, dtype="object").where(points.notna(), None)
        named[name] = words.mask(points > 0.5, rows["system_1"]).mask(
            points < 0.5, rows["system_2"]
        )
    return pd.DataFrame(named)


def _add_separability(
    store: Store, selection: Selection, search: ItemSearch, rows: pd.DataFrame
) -> pd.DataFrame:
    """The rows whose texts are as separable as is asked for; of whole items a row for each two
    systems. Normalised as on the Separability page.
    """
    settings = Settings(search.separability, search.encoder, resamples=0)
    measured = separabilities(store, selection, settings)
    slack = 1e-9  # of rounding
    inside = measured["separability"].between(search.low - slack, search.high + slack)
    measured = measured.loc[inside, [*PLACE, "separability"]]
    if "system_1" in rows:
        return rows.merge(measured, on=PLACE)
    texts = store.datasets.generations(selection.dataset, texts=False)
    texts = texts.sort_values("sample", kind="stable").drop_duplicates(["item", "system"])
    for side in ("1", "2"):
        names = {"system": f"system_{side}", "generation": f"candidate_{side}"}
        one = texts[["item", "system", "generation"]].rename(columns=names)
        measured = measured.merge(one, on=["item", f"system_{side}"], how="left")
    return rows.merge(measured, on="item")


def _add_reasons(rows: pd.DataFrame, search: ItemSearch) -> FoundItems:
    """Add the reasons why each row was found."""
    asked = {name: value for name, value in search.to_stored().items() if name in REASONS}
    fixed = describe_search(asked)
    reasons = []
    figures = rows[["for_1", "for_2", "separability"]].astype(float).to_numpy()
    for first, second, apart in figures.tolist():
        parts = list(fixed)
        if search.split:
            most, least = max(first, second), min(first, second)
            parts.insert(0, f"people are split {most:,.0f} to {least:,.0f}")
        if search.separability:
            parts.append(f"separability {apart:.2f}")
        reasons.append("; ".join(parts) or None)
    return rows.assign(why=pd.Series(reasons, index=rows.index, dtype="object"))
