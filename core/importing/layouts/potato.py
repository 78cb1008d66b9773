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

from ...records import Outcome
from ...scratch import is_scratch
from ..cells import Cells, as_number, as_text, read_name
from ..entry import VOTE, Entry
from ..layout import Layout, Source
from ..pairs_in_tools import OF_PAIR, PairReader, name_attribute, prefer_higher
from ..table_fields import match_columns
from ..templates import swap_sides
from ..values import find_list, find_object, find_text, parse_json
from ..winner_columns import tables_near
from ..winners import NO_ANSWER

SELECTED = {"A": Outcome.A, "B": Outcome.B, "tie": Outcome.TIE, "": None}
LABELS = frozenset(("label_annotations", "labels"))
NAMES = ("systems", "models")
"""What a data file may call the list of its two systems."""
LISTED = frozenset(("text", "texts", "pair", "items"))
"""What a data file of pairs may call the list of its two texts."""


class PotatoPairs(PairReader):
    """A data file: an id, and a list of two texts; their systems are in `systems` or `models`, or
    are asked for. An item is known by its name, its context, or else the id.
    """

    def find_pair(self, cells: Cells) -> Entry:
        lists: Any = {name: value for name, value in cells.items() if _are_two(value)}
        systems = next((lists.pop(name) for name in NAMES if name in lists), ())
        data = cells
        if lists:
            texts = next(iter(lists.values()))
            data = {name: value for name, value in cells.items() if not _are_two(value)}
            data |= dict(zip(("text_a", "text_b"), texts, strict=True))
            data |= dict(zip(("system_a", "system_b"), systems, strict=False))
        pair = super().find_pair(data)
        if not (pair.get("item") or pair.get("context")):
            pair["item"] = read_name(cells, "id")
        return pair


class PotatoInstances(PotatoPairs):
    """An annotator's `user_state.json` or `annotated_instances.jsonl`, or `annotations.jsonl` of
    all: for each instance what was selected (A, B or tie), or a mark from -n (A) to n (B), by
    schema or dimension. Justifications are comments; `behavioral_data` tells when it was answered
    and how long that took.

    The annotator is the name of the folder. The texts are those of the data file near it: a row
    with the instance's id and a list of two texts, or two fields. A is the text shown first, which
    is the first of the data unless `behavioral_data` says that they were swapped.
    """

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self.data = _load_data(source)
        folder = source.path.resolve().parent
        self.annotator = "" if is_scratch(folder) else unquote(folder.name)
        if "labels" in source.columns:
            source.tally.notes[
                "it does not say whether texts were swapped on the screen: A is taken for the "
                "data's first text"
            ] = None
        if not self.data:
            source.tally.notes[
                "no data file with the texts lies near it: the systems are called A and B"
            ] = None

    def is_answered(self, cells: Cells) -> bool:
        return True

    def read_votes(self, cells: Cells) -> Iterator[Entry]:
        instance = find_text(cells, "id", "instance_id")
        if not instance:
            raise ValueError("it has no id")
        labels = cells.get("label_annotations") or cells.get("labels") or {}
        if not isinstance(labels, dict):
            raise ValueError(f"its labels {str(labels)[:40]!r} are not by schema")
        if instance in self.data:
            pair = self.find_pair(self.data[instance])
        else:
            pair = self.name_systems({"item": instance}, ("A", "B"))
        answers = [(schema, each) for schema, given in labels.items()
                   for each in _read_answers(schema, given)]  # fmt: skip
        if not answers:
            raise ValueError(f"instance {instance!r} has no pairwise answer")
        pair |= {"judge": find_text(cells, "user_id") or self.annotator, **_read_times(cells)}
        # Tandem's own export says these two.
        own = {name: text for name in ("raw", "failure") if (text := find_text(cells, name))}
        orders = find_object(cells, "behavioral_data.presentation_order")
        for schema, answer in answers:
            vote = {"sort": VOTE, **pair, **answer, **own}
            vote["attribute"] = pair.get("attribute") or answer["attribute"]
            # 1 before 0: the second text of the data was shown first.
            is_swapped = [*map(str, find_list(orders, schema))] == ["1", "0"]
            yield swap_sides(vote) if is_swapped else vote


def _load_data(source: Source) -> dict[str, Cells]:
    """instance -> what the data file near a file of annotations says of it."""
    for table in tables_near(source.path, "id"):
        rows = {str(cells.get("id")): cells for cells in table if not LABELS & set(cells)}
        if any(_are_two(value) for cells in rows.values() for value in cells.values()):
            return rows
    return {}


def _are_two(value: object) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(isinstance(v, str) for v in value)


def _read_answers(schema: str, given: object) -> Iterator[Entry]:
    if not isinstance(given, dict):
        return
    comment = {"comment": _read_justification(given.get("justification"))}
    for label, value in given.items():
        text = as_text(value) or ""
        usual = schema if label in ("scale_value", "selection") else label
        about = {"attribute": name_attribute(usual), **comment}
        if label == "scale_value":
            mark = as_number(value, label)
            yield {**about, "outcome": prefer_higher(0, mark), "strength": abs(mark), "raw": text}
        elif label != "justification" and text in SELECTED:
            yield {**about, "outcome": SELECTED[text], "failure": "" if text else NO_ANSWER}


def _read_justification(given: object) -> str:
    said = parse_json(given)
    if not isinstance(said, dict):
        return given if isinstance(given, str) else ""
    reasons = ", ".join(reason for reason in find_list(said, "reasons") if isinstance(reason, str))
    return ": ".join(filter(None, (reasons, find_text(said, "rationale"))))


def _read_times(cells: Cells) -> Entry:
    behaviour = find_object(cells, "behavioral_data")
    moments = cells.get("created_at"), behaviour.get("session_end"), behaviour.get("session_start")
    lasted = behaviour.get("total_time_ms")
    return {
        "created_at": next(filter(None, moments), None),
        "seconds": as_number(lasted, "total_time_ms") / 1000 if lasted else None,
    }


def _is_instances(source: Source) -> bool:
    columns = set(source.columns)
    return {"id", "label_annotations"} <= columns or {"instance_id", "user_id", "labels"} <= columns


def _is_pairs(source: Source) -> bool:
    columns = set(source.columns)
    listed = columns & LISTED
    if "id" not in columns or len(listed) != 1 or LABELS & columns:
        return False
    values = [cells.get(name) for cells in source.cells(20) for name in listed]
    fields = match_columns(source)
    is_table = {"system", "winner"} & set(fields) or fields.get("text_a", ".0")[-2:] != ".0"
    return bool(values) and all(map(_are_two, values)) and not is_table


LAYOUT = Layout(
    "potato", "Potato's pairwise annotations, or its pairs",
    {PotatoInstances: _is_instances, PotatoPairs: _is_pairs},
    fields=OF_PAIR, settings=("systems", "kind"), looks_around=True,
)  # fmt: skip
