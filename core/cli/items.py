"""The command about items worth another look: find some, and save them as a set."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pandas as pd

from ..findings.items import ItemSearch, describe_found, describe_search, find_items, save_items
from ..findings.judgements import Selection, name_some
from ..settings import declare
from ..store import ItemSet, Store
from .command import Command, Verbs
from .findings import PrintSettings, write_answer
from .output import CommandAnswer, table
from .settings import WHO, include, include_all

MOST_KEYS = 50  # for people; --json has them all


@dataclass(frozen=True)
class FindRequest:
    """Options of `items find`: the search, and the name to save the items under."""

    selection: Selection = include()
    search: ItemSearch = include_all()
    shown: PrintSettings = include_all()
    save: str = declare("", "save these items as a set of this name", metavar="NAME")


def find(store: Store, request: FindRequest) -> CommandAnswer:
    """Find items by a search, and save them as an item set if asked to."""
    result = find_items(store, request.selection, request.search)
    document, lead = result.document(), [describe_found(result)]
    if request.save:
        items = result.rows["item"].unique().tolist()
        asked = (request.selection, request.search)
        saved = save_items(store, request.save, items, asked, by=WHO)
        document["saved"] = _list_facts(saved)
        lead.append(f"Saved as the item set {saved.name!r}; `--item-set` takes it")
    return CommandAnswer(document, write_answer(result, request.shown, *lead))


@dataclass(frozen=True)
class ListSetsRequest:
    """The data set whose item sets are listed."""

    dataset: str


def list_sets(store: Store, request: ListSetsRequest) -> CommandAnswer:
    """List the item sets of a data set."""
    sets = [_list_facts(one) for one in store.item_sets.list_all(request.dataset)]
    if not sets:
        return CommandAnswer([], "There is no item set: `items --save NAME` saves one.")
    shown = pd.DataFrame(sets)
    shown["found_by"] = [describe_asked(one["search"]) for one in sets]
    columns = ["set", "items", "by_answers", "found_by", "created_by", "created_at"]
    return CommandAnswer(sets, table(shown[columns]))


def describe_asked(search: dict[str, Any]) -> str:
    """Describe the search that found the items of a set."""
    return "; ".join(describe_search(search)) or "all items"


def _list_facts(one: ItemSet) -> dict[str, Any]:
    return {
        "set": one.name,
        "dataset": one.dataset,
        "items": one.size,
        "by_answers": one.by_answers,
        "search": dict(one.search),
        "created_by": one.created_by,
        "created_at": one.created_at,
    }


@dataclass(frozen=True)
class SetRequest:
    """The item set that a command is about."""

    dataset: str
    name: str = declare("", "the item set", metavar="NAME", is_positional=True)


def show(store: Store, request: SetRequest) -> CommandAnswer:
    """Show an item set: its search and the keys of its items."""
    one = store.item_sets.get(request.dataset, request.name)
    items = store.item_sets.items(request.dataset, request.name)
    text = f"{one.name}: {describe_asked(dict(one.search))}\n{name_some(items, MOST_KEYS)}"
    return CommandAnswer({**_list_facts(one), "keys": items}, text)


def delete(store: Store, request: SetRequest) -> CommandAnswer:
    """Delete an item set; its items stay."""
    gone = store.item_sets.delete(request.dataset, request.name)
    return CommandAnswer(_list_facts(gone), f"Item set {gone.name!r} is deleted; its items stay")


VERBS = {
    "find": Command(
        find,
        "find items that meet all conditions",
        FindRequest,
        reads=("subset", "attribute", "systems", "item_set"),
    ),
    "sets": Command(list_sets, "list the item sets", ListSetsRequest, reads=()),
    "show": Command(show, "list the items of a set", SetRequest, reads=()),
    "delete": Command(delete, "delete a set", SetRequest, reads=()),
}
COMMANDS = {"items": Verbs(VERBS, default="find")}
