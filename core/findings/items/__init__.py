"""Items worth another look, by what people, a judge or a metric say; and saving them as a set."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated, Any

import numpy as np
import pandas as pd

from ...frames import Schema
from ...labels import pluralize
from ...pairing import Choice
from ...records import Kind, TandemError, choose_voting_kind, option_ref
from ...rendering import COUNT, DECIMAL, SHARE, Column, Place, declare_rows, list_names
from ...settings import (
    Part,
    StoredChanges,
    check_choices,
    declare,
    encode_changes,
    redeclare,
    sign_settings,
)
from ...statistics import CONTRADICTS, FIRST, SECOND, agreement
from ...store import ItemSet, Sought, Store
from ..judgements.answers import select_answered
from ..judgements.finding import Finding, unless_refused
from ..judgements.selection import (
    Selection,
    check_selection,
    keep_chosen_items,
    list_chosen_items,
    name_some,
    note_item_set,
    write_signature,
)
from ..judgements.verdicts import TEXTS, WORDS, count_by_unit, count_verdicts, orient
from ..separability import Settings, label_metrics, separabilities

OF_JUDGE = Part(f"{option_ref('judge')} NAME", lambda values: values["judge"])
MEASURED = Part(f"{option_ref('separability')} METRIC", lambda values: values["separability"])


@dataclass(frozen=True)
class ItemSearch(StoredChanges):
    """Search terms for items. Items must match all of them; without terms all items match."""

    split: bool = declare(
        False, "people are split: each of two texts is preferred by somebody",
        label="People are split",
        more="Somebody prefers the one text, and somebody the other.",
    )  # fmt: skip
    judge: str = declare(
        "", "this judge has answered; its answers are beside people's",
        metavar="NAME", label="Judge", more="What it has answered, beside people's answers.",
    )  # fmt: skip
    contradicts: bool = declare(
        False, "this judge contradicts itself: its answers about two texts are evenly split",
        label="It contradicts itself", part=OF_JUDGE,
        more="Its answers about two texts are evenly split, as when it always takes the text "
        "it reads first.",
    )  # fmt: skip
    differs: bool = declare(
        False, "this judge and most people differ", label="It differs from most people",
        part=OF_JUDGE, more="Most people prefer another text than it does.",
    )  # fmt: skip
    unanswered: bool = declare(
        False, "no person has answered anything about the item", label="Nobody has answered",
        more="No person has answered anything about the item; judges may have.",
    )  # fmt: skip
    text: str = declare(
        "", "the item's name, its context or a text has these words", metavar="WORDS",
        label="Words", more="In the item's name, its context or a text, in upper or lower case.",
    )  # fmt: skip
    separability: str = redeclare(
        Choice, "separability", help="its texts can be told apart by this metric, measured before",
        label="Separability by", more="Measured on the Separability page before.",
        list_choices=label_metrics,
    )  # fmt: skip
    encoder: str = redeclare(Choice, "encoder", part=MEASURED)
    low: float = redeclare(Choice, "low", part=MEASURED)
    high: float = redeclare(Choice, "high", part=MEASURED)

    def __post_init__(self) -> None:
        check_choices(self)
        if (self.contradicts or self.differs) and not self.judge:
            wanted = option_ref("contradicts" if self.contradicts else "differs")
            raise TandemError(f"{wanted} is about a judge: name it with {option_ref('judge')}")
        if not -1 <= self.low <= self.high <= 1:
            raise TandemError(
                f"separability from {self.low:g} to {self.high:g} is not a range within -1 to 1"
            )

    @property
    def reads_answers(self) -> bool:
        """Return whether answers decide which items are found. Figures on them then do not
        generalise to other items.
        """
        return self.split or self.contradicts or self.differs


COLUMNS = (
    Column("item", "item"),
    Column("subset", "subset", help="Its task, language or split", place=Place.SCREEN),
    Column("attribute", "attribute"),
    Column("system_1", "system 1"),
    Column("system_2", "system 2"),
    Column("candidate_1", "text 1", COUNT, "The row of its text", place=Place.FILES),
    Column("candidate_2", "text 2", COUNT, "The row of its text", place=Place.FILES),
    Column(
        "people", "people", COUNT,
        "How many people answered, or simulated voters where no people did",
    ),
    Column("for_1", "for 1", COUNT, "How many of them prefer the text of system 1"),
    Column("for_2", "for 2", COUNT, "How many of them prefer the text of system 2"),
    Column(
        "share_1", "share for 1", SHARE,
        "The mean of what they say: 1 is for system 1, a tie is half", place=Place.SCREEN,
    ),
    Column("verdict", "judge", help="What the judge says: a system, tie, or contradicts itself"),
    Column("shown_1", "1 shown first", help="What it said where the text of system 1 came first"),
    Column("shown_2", "2 shown first", help="What it said where the text of system 2 came first"),
    Column("separability", "separability", DECIMAL, "How far the texts can be told apart"),
    Column("why", "found because", place=Place.SCREEN),
)  # fmt: skip
"""A row for each pair of texts, and attribute, where the search is about answers; for each two
systems where it is about separability; else for each item.
"""


def describe_search(asked: Mapping[str, Any]) -> list[str]:
    """List the search terms that differ from the defaults, a phrase each."""
    judge = asked.get("judge", "")
    judged = judge and not (asked.get("contradicts") or asked.get("differs"))
    phrases = {
        "split": "people are split",
        "contradicts": f"{judge} contradicts itself",
        "differs": f"{judge} and most people differ",
        "unanswered": "no person has answered",
        "text": f"“{asked.get('text')}” is in them",
        "separability": describe_range(asked),
        "subset": f"subset {asked.get('subset')}",
        "attribute": f"attribute {asked.get('attribute')}",
        "systems": f"systems {', '.join(asked.get('systems', ()))}",
        "item_set": f"of the set {asked.get('item_set')}",
        "picked": "picked one by one",
    }
    found = [phrase for name, phrase in phrases.items() if asked.get(name)]
    return [f"{judge} has answered", *found] if judged else found


def describe_range(asked: Mapping[str, Any]) -> str:
    """The separability that was asked for: "separability by rouge from 0.2 to 1"."""
    low, high = asked.get("low", -1.0), asked.get("high", 1.0)
    return f"separability by {asked.get('separability')} from {low:g} to {high:g}"


def describe_found(result: Finding) -> str:
    """Describe how many items were found, of how many, and for which reasons."""
    facts = result.facts
    found, of = int(facts["found"]), int(facts["items_in_scope"])
    asked = "; ".join(facts["asked"])
    if not of:
        return "There are no items here: look at others, or import some."
    if not facts["asked"]:
        return f"All {pluralize(of, 'item')} are here: ask for some of them."
    if not found:
        return f"None of {pluralize(of, 'item')} has what you ask for: {asked}."
    pairs = int(facts["pairs"])
    texts = f", {pluralize(pairs, 'pair')} of texts" if pairs else ""
    return f"{found:,} of {pluralize(of, 'item')}{texts}: {asked}."


PLACE = ["item", "system_1", "system_2"]
UNIT = ["attribute", *PLACE, *TEXTS]
ABOUT = ("subset", "attribute", "systems", "item_set")
"""What of a selection narrows a search down."""
EVERYTHING = ItemSearch()
REASONS = ("judge", "contradicts", "differs", "unanswered", "text")
"""What is asked for that is the same for every row."""


def find_items(store: Store, selection: Selection, search: ItemSearch = EVERYTHING) -> Finding:
    """Items that have all that is asked for, of those a selection is about.

    The columns are declared in `core.findings.items`. Answers of people who are excluded
    do not count. Where no people have answered, simulated voters stand for them, and a note
    says so. Facts: found and items_in_scope (how many of how many), pairs (of texts, 0 where the
    search is about whole items), by_answers, asked.

    Raises:
        TandemError: a name that the store does not have, a judge that has answered nothing, or a
            metric that was not measured.
    """
    check_selection(store, selection)
    selection = replace(selection, judges=())
    scope = keep_chosen_items(store, selection, store.datasets.items(selection.dataset))
    if selection.subset:
        scope = scope[scope["subset"] == selection.subset]
    if search.text.strip():
        sought = Sought(selection.dataset, search.text.strip())
        scope = scope[scope["item"].isin(store.browsing.keys(sought))]
    scope = scope[["item", "subset"]].reset_index(drop=True)
    answered = _load_answered(store, selection, search)
    if search.unanswered:
        human = answered.loc[answered["kind"] == Kind.HUMAN, "item"]
        scope = scope[~scope["item"].isin(human)]
    rows, used = _find_rows(store, selection, search, scope, answered)
    keys = store.datasets.keys(selection.dataset, selection.subset)
    chosen = list_chosen_items(store, selection)
    facts = {
        "found": int(rows["item"].nunique()),
        "items_in_scope": (len(keys) if chosen is None else sum(key in chosen for key in keys)),
        "pairs": len(rows.drop_duplicates(TEXTS)) if rows["system_1"].notna().any() else 0,
        "by_answers": is_by_answers(store, selection, search),
        "asked": describe_search(list_asked(selection, search)),
    }
    notes = note_item_set(store, selection)
    if used > 0 and Kind.HUMAN not in set(answered["kind"]):
        notes.append("No person has voted here: the votes are those of simulated voters.")
    return Finding(
        rows,
        write_signature("items", **selection.signature_values(""), **sign_settings(search)),
        used,
        notes=notes,
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


def _load_answered(store: Store, selection: Selection, search: ItemSearch) -> pd.DataFrame:
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
) -> tuple[pd.DataFrame, int]:
    used = 0
    voting, rows = Kind.HUMAN, scope
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
    return _add_reasons(rows, search, voting), used


def _find_units(answered: pd.DataFrame, search: ItemSearch) -> pd.DataFrame:
    """Pairs of texts, for each attribute, with what people and the judge say of them: those that
    have what is asked of answers.
    """
    verdicts = count_verdicts(answered)
    own = verdicts["judge"] == search.judge
    people, judged = verdicts[~own], verdicts[own].set_index("unit")
    counts = count_by_unit(people, verdicts["unit"].nunique())
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
        words = said.map(WORDS).map({"tie": "tie", "contradicts": "contradicts itself"})
        words = words.mask(said == FIRST, rows["system_1"]).mask(said == SECOND, rows["system_2"])
        rows = rows.assign(verdict=words.astype(object))
        rows = rows.join(_name_orders(answered[answered["judge"] == search.judge], rows))
    return rows[keep].reset_index(drop=True)


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
    texts = store.texts.generations(selection.dataset, texts=False)
    texts = texts.sort_values("sample", kind="stable").drop_duplicates(["item", "system"])
    for side in ("1", "2"):
        names = {"system": f"system_{side}", "generation": f"candidate_{side}"}
        one = texts[["item", "system", "generation"]].rename(columns=names)
        measured = measured.merge(one, on=["item", f"system_{side}"], how="left")
    return rows.merge(measured, on="item")


def _add_reasons(rows: pd.DataFrame, search: ItemSearch, voting: Kind) -> pd.DataFrame:
    who = "simulated voters" if voting is Kind.SIMULATED else "people"
    asked = {name: value for name, value in search.to_stored().items() if name in REASONS}
    fixed = describe_search(asked)
    reasons = []
    figures = rows[["for_1", "for_2", "separability"]].astype(float).to_numpy()
    for first, second, apart in figures.tolist():
        parts = list(fixed)
        if search.split:
            most, least = max(first, second), min(first, second)
            parts.insert(0, f"{who} are split {most:,.0f} to {least:,.0f}")
        if search.separability:
            parts.append(f"separability {apart:.2f}")
        reasons.append("; ".join(parts) or None)
    return rows.assign(why=pd.Series(reasons, index=rows.index, dtype="object"))
