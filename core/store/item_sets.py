"""Item sets: items that somebody found and named, for filters and campaigns."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from ..records import TandemError
from .campaigns import check_shown_name
from .connection import StorePart, make_timestamp


@dataclass(frozen=True)
class ItemSet:
    """A named set of `size` items. `search` is what the search for them asked for beside its
    defaults. `by_answers` says whether answers decided which items are in it: they then represent
    no others.
    """

    id: int
    dataset: str
    name: str
    search: Mapping[str, Any]
    by_answers: bool
    created_by: str
    created_at: str
    size: int


class ItemSets(StorePart):
    """Named sets of items, which never change, and go only if no campaign asks about them."""

    def list_all(self, dataset: str) -> list[ItemSet]:
        """List the sets of a data set, in the order they were saved."""
        sets = []
        for row in self._db.load_rows("item_sets", "dataset = ?", dataset, order_by="id"):
            size = "SELECT count(*) FROM item_set_members WHERE item_set = ?"
            row |= {"search": json.loads(row["search"]), "by_answers": bool(row["by_answers"])}
            sets.append(ItemSet(**row, size=self._db.count(size, (row["id"],))))
        return sets

    def names(self, dataset: str) -> list[str]:
        """List the names of a data set's item sets."""
        return [one.name for one in self.list_all(dataset)]

    def get(self, dataset: str, name: str) -> ItemSet:
        """Return the set of that name. Raises TandemError, which names those known."""
        sets = {one.name: one for one in self.list_all(dataset)}
        if name in sets:
            return sets[name]
        has = f"there are: {', '.join(sets)}" if sets else "there are none: `items` saves some"
        wrong = f"unknown item set {name!r}" if name else "no item set is named"
        raise TandemError(f"{wrong}; {has}")

    def items(self, dataset: str, name: str) -> list[str]:
        """List the keys of its items as they were added. Raises TandemError for an unknown set."""
        return self._db.column(
            """SELECT i.key FROM item_set_members m JOIN items i ON i.id = m.item
            WHERE m.item_set = ? ORDER BY i.id""",
            (self.get(dataset, name).id,),
        )

    def save(
        self,
        dataset: str,
        name: str,
        items: Collection[str],
        *,
        search: Mapping[str, Any],
        by_answers: bool,
        by: str,
    ) -> ItemSet:
        """Name these items (keys). Raises TandemError for a name that is taken or cannot be shown,
        for no items, and for one that the data set does not have.
        """
        name, keys = check_shown_name(name, "an item set"), sorted(set(items))
        with self._db.transaction(durable=True):
            if name in self.names(dataset):
                raise TandemError(
                    f"data set {dataset!r} has an item set {name!r} already, and sets never "
                    "change: use another name, or delete it first"
                )
            if not keys:
                raise TandemError(f"item set {name!r} would be empty: find some items first")
            told = {"search": dict(search), "by_answers": by_answers, "created_by": by}
            row = self._db.insert_row(
                "item_sets",
                {"dataset": dataset, "name": name, **told, "created_at": make_timestamp()},
            )
            added = self._db.executemany(
                """INSERT INTO item_set_members (item_set, item)
                SELECT ?, id FROM items WHERE dataset = ? AND key = ?""",
                [(row, dataset, key) for key in keys],
            )
            if added != len(keys):
                known = self._db.column("SELECT key FROM items WHERE dataset = ?", (dataset,))
                wrong = min(set(keys).difference(known))
                raise TandemError(f"unknown item {wrong!r}: data set {dataset!r} does not have it")
        return self.get(dataset, name)

    def delete(self, dataset: str, name: str) -> ItemSet:
        """Delete a set, not its items. Raises TandemError while a campaign asks about it."""
        with self._db.transaction(durable=True):
            gone = self.get(dataset, name)
            asking = self._db.value(
                "SELECT name FROM campaigns WHERE dataset = ? AND item_set = ? ORDER BY id",
                (dataset, name),
            )
            if asking is not None:
                raise TandemError(
                    f"campaign {asking!r} asks about item set {name!r}, and may be extended from "
                    "it: the set stays"
                )
            self._db.delete_rows("item_set_members", "item_set = ?", gone.id)
            self._db.delete_rows("item_sets", "id = ?", gone.id)
        return gone

    def stamp(self) -> str:
        """Return a text that changes whenever a set is deleted: after that, another one may have
        its name. Nothing that was computed is about a set that is new.
        """
        return self._db.stamp(
            """SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'item_sets'), 0)
            - (SELECT count(*) FROM item_sets)"""
        )
