"""Readers of what annotators did in Potato with its pairwise schema, and of the pairs it shows.

Layout: davidjurgens/potato, its page "Pairwise Comparison Annotation", and there
potato/server_utils/schemas/pairwise.py and presentation_order.py; files as in
example-projects/dialogue_analysis/annotation_output, and since Potato 2 as
potato/user_state_management.py writes them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote

from core.importing.cells import Cells, as_number, as_text, named
from core.importing.entry import VOTE, Entry
from core.importing.layout import Layout, Reader, Source
from core.importing.neighbours import cells_of, neighbours
from core.importing.pairs_in_tools import (
    OF_PAIR,
    PairFields,
    give_texts,
    prefer_higher,
)
from core.importing.table_fields import matched
from core.importing.templates import swap_sides
from core.importing.values import find_list, find_object, find_text, parse_json
from core.importing.winners import NO_ANSWER
from core.records import Outcome
from core.scratch import is_scratch

USUAL = frozenset(("preference", "pairwise", "choice", "comparison", "selection"))
"""Names of a schema that ask for nothing in particular."""
SELECTED = {"A": Outcome.A, "B": Outcome.B, "tie": Outcome.TIE, "": None}
LABELS = frozenset(("label_annotations", "labels"))
NAMES = ("systems", "models")
"""What a data file may call the list of its two systems."""
LISTED = frozenset(("text", "texts", "pair", "items"))
"""What a data file of pairs may call the list of its two texts."""


class Pairs(Reader):
    """A data file: an id, and a list of two texts; their systems are in `systems` or `models`, or
    are asked for.
    """

    def __init__(self, source: Source) -> None:
        self.pairs = PairFields(source)
        rows = source.cells(20)
        self.pairs.ask_systems(rows, lambda cells: False, self.find_pair)

    def entries(self, number: int, cells: Cells) -> Iterator[Entry]:
        yield from give_texts(self.find_pair(cells))

    def find_pair(self, cells: Cells) -> Entry:
        return _find_pair(self.pairs, cells, named(cells, "id"))


class Instances(Reader):
    """An annotator's `user_state.json` or `annotated_instances.jsonl`, or `annotations.jsonl` of
    all: for each instance what was selected (A, B or tie), or a mark from -n (A) to n (B), by
    schema or dimension. Justifications are comments; `behavioral_data` tells when it was answered
    and how long that took.

    The annotator is the name of the folder. The texts are those of the data file near it: a row
    with the instance's id and a list of two texts, or two fields. A is the text shown first, which
    is the first of the data unless `behavioral_data` says that they were swapped.
    """

    def __init__(self, source: Source) -> None:
        self.pairs = PairFields(source)
        folder = source.path.resolve().parent
        self.annotator = "" if is_scratch(folder) else unquote(folder.name)
        self.data = _load_data(source)
        if "labels" in source.columns:
            source.tally.notes[
                "it does not say whether texts were swapped on the screen: A is taken for the "
                "first text of the data"
            ] = None
        if not self.data:
            source.tally.notes[
                "no data file with the texts lies near it: the systems are called A and B"
            ] = None

    def entries(self, number: int, cells: Cells) -> Iterator[Entry]:
        instance = find_text(cells, "id", "instance_id")
        if not instance:
            raise ValueError("it has no id")
        labels = cells.get("label_annotations") or cells.get("labels") or {}
        if not isinstance(labels, dict):
            raise ValueError(f"its labels {str(labels)[:40]!r} are not by schema")
        if instance in self.data:
            pair = _find_pair(self.pairs, self.data[instance], instance)
        else:
            pair = self.pairs.name_systems({"item": instance}, ("A", "B"))
        answers = [(schema, each) for schema, given in labels.items()
                   for each in _read_answers(schema, given)]  # fmt: skip
        if not answers:
            raise ValueError(f"instance {instance!r} has no pairwise answer")
        pair |= {"judge": find_text(cells, "user_id") or self.annotator, **_read_times(cells)}
        orders = find_object(cells, "behavioral_data.presentation_order")
        for schema, answer in answers:
            vote = {"sort": VOTE, **pair, **answer}
            vote["attribute"] = pair.get("attribute") or answer["attribute"]
            # Tandem's own export says these two.
            vote["raw"] = answer.get("raw") or find_text(cells, "raw")
            vote["failure"] = find_text(cells, "failure") or answer["failure"]
            yield swap_sides(vote) if _is_swapped(orders.get(schema)) else vote


def _find_pair(pairs: PairFields, data: Cells, instance: str) -> Entry:
    """What a row of the data says of its pair, which is an item by its name, its context, or else
    its id.
    """
    lists: Any = {name: value for name, value in data.items() if _are_two(value)}
    systems = next((lists.pop(name) for name in NAMES if name in lists), ())
    if lists:
        texts = next(iter(lists.values()))
        data = {name: value for name, value in data.items() if not _are_two(value)}
        data |= dict(zip(("text_a", "text_b"), texts, strict=True))
        data |= dict(zip(("system_a", "system_b"), systems, strict=False))
    pair = pairs.find_pair(data)
    return pair if pair.get("item") or pair.get("context") else {**pair, "item": instance}


def _load_data(source: Source) -> dict[str, Cells]:
    """instance -> what the data file near a file of annotations says of it."""
    for path, columns in neighbours(source.path):
        if "id" in columns and not LABELS & set(columns):
            rows = {str(cells.get("id")): cells for cells in cells_of(path)}
            if any(_are_two(value) for cells in rows.values() for value in cells.values()):
                return rows
    return {}


def _are_two(value: object) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(isinstance(v, str) for v in value)


def _read_answers(schema: str, given: object) -> Iterator[Entry]:
    """What a schema says of the two: one answer, or one for each dimension."""
    if not isinstance(given, dict):
        return
    comment = {"comment": _read_justification(given.get("justification"))}
    usual = "" if schema.casefold() in USUAL else schema
    for label, value in given.items():
        text = as_text(value) or ""
        if label == "scale_value":
            mark = as_number(value, "scale_value")
            about = {"attribute": usual, "strength": abs(mark), "raw": text}
            yield {"outcome": prefer_higher(0, mark), "failure": "", **about, **comment}
        elif label != "justification" and text in SELECTED:
            about = {"attribute": usual if label == "selection" else label}
            failure = "" if text else NO_ANSWER
            yield {"outcome": SELECTED[text], "failure": failure, **about, **comment}


def _read_justification(given: object) -> str:
    """The reasons and the rationale of a justification, which is JSON within JSON."""
    if not isinstance(given, str):
        return ""
    said = parse_json(given)
    if not isinstance(said, dict):
        return given
    reasons = [reason for reason in find_list(said, "reasons") if isinstance(reason, str)]
    return ": ".join(filter(None, (", ".join(reasons), find_text(said, "rationale"))))


def _read_times(cells: Cells) -> Entry:
    """When an instance was answered, and how long that took."""
    behaviour = find_object(cells, "behavioral_data")
    moments = cells.get("created_at"), behaviour.get("session_end"), behaviour.get("session_start")
    lasted = behaviour.get("total_time_ms")
    return {
        "created_at": next(filter(None, moments), None),
        "seconds": as_number(lasted, "total_time_ms") / 1000 if lasted else None,
    }


def _is_swapped(order: object) -> bool:
    """Whether the second text of the data was shown first."""
    return isinstance(order, list) and [*map(str, order)] == ["1", "0"]


def _is_instances(source: Source) -> bool:
    columns = set(source.columns)
    return {"id", "label_annotations"} <= columns or {"instance_id", "user_id", "labels"} <= columns


def _is_pairs(source: Source) -> bool:
    columns = set(source.columns)
    listed = sorted(columns & LISTED)
    if "id" not in columns or len(listed) != 1 or LABELS & columns:
        return False
    rows = list(source.cells(20))
    are_two = bool(rows) and all(_are_two(cells.get(listed[0])) for cells in rows)
    return are_two and not {"system", "winner", "text_a"} & set(matched(source))


LAYOUT = Layout(
    "potato",
    "Potato's pairwise annotations, or its pairs",
    {Instances: _is_instances, Pairs: _is_pairs},
    fields=OF_PAIR,
    settings=("systems", "kind"),
    looks_around=True,
)
