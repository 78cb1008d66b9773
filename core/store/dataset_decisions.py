"""Decisions about a whole data set: new wording, or deletion. The audit log has them."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import pandas as pd

from ..frames import Schema, get_schema
from ..labels import pluralize
from ..records import Attribute, Dataset, Kind, TandemError, TextFormat, option_ref
from . import opening
from .datasets import check_dataset_name
from .store import Store

WordingRows = Annotated[
    pd.DataFrame, Schema(((str, "until"), (int, "answers"), (str, "adjective question guideline")))
]

WITHDRAWN = "withdrew the simulated votes"
DELETED, RENAMED, REWORDED = "deleted the data set", "renamed the data set", "reworded"
FORMATTED = "changed how texts are shown"
ASKED = ("adjective", "question", "guideline")
"""What people and models read of an attribute."""
WORDS = ("instructions", "context_noun", "candidate_noun", "source", "licence")
"""What of a data set may be worded otherwise."""


@dataclass(frozen=True)
class DeletedDataset:
    """Contents that went with a data set, and the file that still has it."""

    dataset: str
    contents: dict[str, int]
    backup: Path
    bytes: int


def delete(store: Store, who: str, dataset: str, backup: Path | None = None) -> DeletedDataset:
    """Take a data set away with all that belongs to it, in one transaction, after the whole store
    was copied to `backup`. The file of the store becomes no smaller: SQLite fills the room again.

    Raises TandemError while a run of it waits or works, and where the copy cannot be written: then
    nothing is changed.
    """
    _refuse_running(count_contents(store, dataset), dataset)
    named = re.sub(r"[^\w.-]+", "-", dataset).strip("-.")[:60] or "data-set"
    backup = backup or opening.path_before(store.path, f"deleting-{named}")
    size = Path(str(store.connection.backup(backup)["file"])).stat().st_size
    with store.connection.many_writes(), store.connection.uprooting():
        gone = count_contents(store, dataset)  # it may have grown while it was copied
        _refuse_running(gone, dataset)
        store.dataset_changes.delete(dataset)
        store.audit.add(who, DELETED, dataset, backup=str(backup), **gone)
    return DeletedDataset(dataset, gone, backup, size)


def count_contents(store: Store, dataset: str) -> dict[str, int]:
    """Count what goes when a data set does. Raises TandemError for an unknown data set."""
    _check_known(store, dataset)
    return store.dataset_changes.contents(dataset)


def describe_contents(contents: Mapping[str, int]) -> str:
    """Describe in words what goes."""
    nouns = ("item", "system", "text", "vote", "answer", "score", "run", "item set", "campaign")
    people, judges = contents["people"], pluralize(contents["judges"], "judge")
    of = {
        "vote": f" of {'1 person' if people == 1 else f'{people:,} people'}",
        "answer": f" of {judges}",
    }
    counts = {noun: contents[f"{noun}s".replace(" ", "_")] for noun in nouns}
    said = [pluralize(number, noun) + of.get(noun, "") for noun, number in counts.items() if number]
    return ", ".join(said) or "nothing"


def _refuse_running(contents: Mapping[str, int], dataset: str) -> None:
    """Raise TandemError while a run of the data set waits or works."""
    if contents["running"]:
        runs = pluralize(contents["running"], "run")
        raise TandemError(f"{runs} of {dataset!r} not ended: stop what waits or works first")


def withdraw_simulated(store: Store, who: str, dataset: str) -> int:
    """Take back all votes and marks of simulated voters; return their number.

    They stay in the store, as an answer does that is undone, and count nowhere. Raises TandemError
    for a data set without any.
    """
    _check_known(store, dataset)
    with store.transaction(durable=True):
        number = store.judgements.withdraw_kind(dataset, Kind.SIMULATED)
        if not number:
            raise TandemError(f"{dataset!r} has no votes of simulated voters")
        store.audit.add(who, WITHDRAWN, dataset, answers=number)
    return number


def rename(store: Store, who: str, dataset: str, name: str) -> None:
    """Rename a data set.

    All that belongs to it stays, and so does what was drawn: the same request continues the same
    run, and the same file adds nothing. Raises TandemError for a name that is empty, its own or
    taken, or that has a control character. Raises it, too, while a run of it waits or works.
    """
    name = name.strip()
    with store.transaction(durable=True):
        _refuse_running(count_contents(store, dataset), dataset)
        if not name:
            raise TandemError("the data set needs a name: it cannot be empty")
        check_dataset_name(name)
        if name == dataset:
            raise TandemError(f"{dataset!r} is its name already: give another one")
        if name in store.datasets.names():
            raise TandemError(f"there is a data set {name!r} already: use another name")
        store.dataset_changes.rename(dataset, name, store.datasets.origin(dataset))
        store.audit.add(who, RENAMED, name, before=dataset)


def _check_known(store: Store, dataset: str) -> None:
    there = store.datasets.names()
    if dataset not in there:
        raise TandemError(
            f"there is no data set {dataset!r}; there are: {', '.join(there) or 'none'}"
        )


def reword(store: Store, who: str, dataset: str, words: Mapping[str, str]) -> list[str]:
    """Change words of a data set; return which changed. Raises TandemError for an empty noun."""
    _check_known(store, dataset)
    for name in ("context_noun", "candidate_noun"):
        if not words.get(name, "x").strip():
            raise TandemError(
                f"{option_ref(name)} is empty: say what it is called, such as article"
            )
    with store.transaction(durable=True):
        before = store.datasets.load_description(dataset)
        after = replace(before, **{name: words[name] for name in WORDS if name in words})
        changed, old, new = _find_changes(before, after, WORDS)
        if changed:
            store.connection.update_row("datasets", dataset, **new)
            store.audit.add(who, REWORDED, dataset, before=old, now=new)
    return changed


def _find_changes(
    before: Dataset | Attribute, after: Dataset | Attribute, names: Sequence[str]
) -> tuple[list[str], dict[str, str], dict[str, str]]:
    """Find what changed: the names, the old wording and the new."""
    changed = [name for name in names if getattr(before, name) != getattr(after, name)]
    old, new = ({name: getattr(one, name) for name in changed} for one in (before, after))
    return changed, old, new


def reword_attribute(
    store: Store, who: str, dataset: str, name: str, words: Mapping[str, str]
) -> list[str]:
    """Change adjective, question or guideline of an attribute; return the names of what changed.

    Answers given under the old wording stay; the log keeps it, with their number. Raises
    TandemError for an unknown attribute. Raises it, too, while a run of the data set waits or
    works: it would ask half of its questions in other words.
    """
    _check_known(store, dataset)
    with store.transaction(durable=True):
        there = {attribute.name: attribute for attribute in store.datasets.attributes(dataset)}
        if name not in there:
            raise TandemError(
                f"unknown attribute {name!r}; data set {dataset!r} has: {', '.join(there)}"
            )
        before = there[name]
        said: dict[str, Any] = {part: words[part] for part in ASKED if part in words}
        after = replace(before, **said)
        changed, old, new = _find_changes(before, after, ASKED)
        if not changed:
            return []
        _refuse_running(count_contents(store, dataset), dataset)
        answers = store.dataset_changes.answers(dataset, name)
        of = "dataset = ? AND name = ?"
        [row] = store.connection.load_rows("attributes", of, dataset, name)
        store.connection.update_row("attributes", row["id"], **new)
        store.audit.add(
            who, REWORDED, dataset, attribute=name, before=old, now=new, answers=answers
        )
    return changed


def set_text_format(
    store: Store, who: str, dataset: str, text_format: TextFormat, attribute: str = ""
) -> list[str]:
    """Set the format in which people see the texts of an attribute, or of all.

    Returns the names of the attributes that were shown otherwise. Votes keep how their texts were
    shown. Raises TandemError for an unknown attribute.
    """
    _check_known(store, dataset)
    with store.transaction(durable=True):
        there = {each.name: each.text_format for each in store.datasets.attributes(dataset)}
        if attribute and attribute not in there:
            raise TandemError(
                f"unknown attribute {attribute!r}; data set {dataset!r} has: {', '.join(there)}"
            )
        meant = [attribute] if attribute else list(there)
        changed = [name for name in meant if there[name] is not text_format]
        store.datasets.set_text_format(dataset, text_format, changed)
        for name in changed:
            store.audit.add(
                who, FORMATTED, dataset, attribute=name, before=there[name], now=text_format
            )
    return changed


def list_wordings(store: Store, dataset: str, attribute: Attribute) -> WordingRows:
    """List the earlier wordings of an attribute, newest first.

    `until` is when each ended (UTC), `answers` how many were given by then.
    """
    log = store.audit.load_all()
    log = log[log["action"].isin((RENAMED, REWORDED))]
    words = {part: getattr(attribute, part) for part in ASKED}
    rows, name = [], dataset
    for at, action, subject, details in log[["at", "action", "subject", "details"]].to_numpy():
        about = json.loads(details)
        if subject == name and action == RENAMED:
            name = about["before"]
        elif subject == name and about.get("attribute") == attribute.name:
            words = words | about["before"]
            rows.append({"until": at, "answers": about["answers"], **words})
    return get_schema(WordingRows).make(rows)
