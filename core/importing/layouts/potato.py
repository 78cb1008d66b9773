"""Reader of what annotators did in Potato with its pairwise schema.

Layout: davidjurgens/potato, its page "Pairwise Comparison Annotation", and there
potato/server_utils/schemas/pairwise.py and presentation_order.py; files as in
example-projects/dialogue_analysis/annotation_output, and since Potato 2 as
potato/user_state_management.py writes them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any
from urllib.parse import unquote

from core.importing.cells import Cells, as_number, as_text
from core.importing.layout import Layout, Source
from core.importing.layouts.nested_votes import OF_PAIR, Flat, NestedVotes
from core.importing.neighbours import cells_of, neighbours
from core.scratch import is_scratch

USUAL = frozenset(("preference", "pairwise", "choice", "comparison", "selection"))
"""Names of a schema that ask for nothing in particular."""
SELECTED = {"A": "a", "B": "b", "tie": "tie"}
ORDER = "presentation_order"
UNSAID = ("raw", "failure")


class Instances(NestedVotes):
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
        folder = source.path.resolve().parent
        self.annotator = "" if is_scratch(folder) else unquote(folder.name)
        self.data = self._data()
        if "labels" in source.columns:
            source.tally.notes[
                "it does not say whether texts were swapped on the screen: A is taken for the "
                "first text of the data"
            ] = None
        if not self.data:
            source.tally.notes[
                "no data file with the texts lies near it: the systems are called A and B"
            ] = None

    def answers(self, number: int, cells: Cells) -> Iterator[Flat]:
        instance = as_text(cells.get("id")) or as_text(cells.get("instance_id"))
        if not instance:
            raise ValueError("it has no id")
        labels = cells.get("label_annotations") or cells.get("labels") or {}
        if not isinstance(labels, dict):
            raise ValueError(f"its labels {str(labels)[:40]!r} are not by schema")
        judge = as_text(cells.get("user_id")) or self.annotator
        about = {**_timed(cells), **_unsaid(cells)}
        shared = {**self._pair(instance), **about, "judge": judge}
        answers = [
            (answer, _is_turned(cells, schema))
            for schema, given in labels.items()
            for answer in _answers(schema, given)
        ]
        if not answers:
            raise ValueError(f"instance {instance!r} has no pairwise answer")
        for answer, turned in answers:
            attribute = shared.get("attribute") or answer["attribute"]
            flat = {**shared, **answer, "attribute": attribute}
            yield _swapped(flat) if turned else flat

    def _pair(self, instance: str) -> dict[str, Any]:
        row = self.data.get(instance)
        if row is None:
            return self.named({"item": instance}, ("A", "B"))
        listed = next((name for name, value in row.items() if _are_two(value)), "")
        if not listed:
            return self.pair(row)
        two: Any = row[listed]
        about = {name: value for name, value in row.items() if name != listed}
        models: Any = next((about[n] for n in ("systems", "models") if _are_two(about.get(n))), "")
        data = {**about, "text_a": two[0], "text_b": two[1]}
        if models:
            data |= {"system_a": models[0], "system_b": models[1]}
        found = self.pair(data)
        if not found.get("item"):
            found["item"] = instance
        return found

    def _data(self) -> dict[str, Cells]:
        """instance -> what the data file says of it."""
        for path, columns in neighbours(self.given.path):
            if "id" in columns and not {"label_annotations", "labels"} & set(columns):
                rows = {str(cells.get("id")): cells for cells in cells_of(path)}
                if any(_are_two(value) for cells in rows.values() for value in cells.values()):
                    return rows
        return {}


def _are_two(value: object) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(isinstance(v, str) for v in value)


def _answers(schema: str, given: object) -> Iterator[dict[str, Any]]:
    """What a schema says of the two: one answer, or one for each dimension."""
    if not isinstance(given, dict):
        return
    comment = _justified(given.get("justification"))
    usual = "" if schema.casefold() in USUAL else schema
    for label, value in given.items():
        text = as_text(value) or ""
        if label == "scale_value":
            mark = as_number(value, "scale_value")
            winner = "a" if mark < 0 else "b" if mark > 0 else "tie"
            yield {
                "attribute": usual,
                "winner": winner,
                "strength": abs(mark),
                "raw": text,
                "comment": comment,
            }
        elif label != "justification" and (text in SELECTED or not text):
            attribute = usual if label == "selection" else label
            winner = SELECTED.get(text, "")
            yield {"attribute": attribute, "winner": winner, "comment": comment}


def _justified(given: object) -> str:
    """The reasons and the rationale of a justification, which is JSON within JSON."""
    if not isinstance(given, str):
        return ""
    with suppress(json.JSONDecodeError, AttributeError, TypeError, RecursionError):
        said = json.loads(given)
        parts = [", ".join(said.get("reasons") or []), said.get("rationale") or ""]
        return ": ".join(part for part in parts if part)
    return given


def _is_turned(cells: Cells, schema: str) -> bool:
    """Whether the second text of the data was shown first."""
    behaviour = cells.get("behavioral_data")
    orders = behaviour.get(ORDER) if isinstance(behaviour, dict) else None
    order = orders.get(schema) if isinstance(orders, dict) else None
    return isinstance(order, list) and [str(place) for place in order] == ["1", "0"]


def _timed(cells: Cells) -> dict[str, Any]:
    """When an instance was answered, and how long that took, where it is told."""
    given = cells.get("behavioral_data")
    behaviour = given if isinstance(given, dict) else {}
    moments = (
        cells.get("created_at"),
        behaviour.get("session_end"),
        behaviour.get("session_start"),
    )
    lasted = behaviour.get("total_time_ms")
    return {
        "created_at": next(filter(None, moments), None),
        "seconds": as_number(lasted, "total_time_ms") / 1000 if lasted else None,
    }


def _unsaid(cells: Cells) -> dict[str, str]:
    """What was said word for word, and why there is no answer, as Tandem's own export has it."""
    return {name: text for name in UNSAID if (text := as_text(cells.get(name)))}


def _swapped(flat: Mapping[str, Any]) -> dict[str, Any]:
    """The same with the second text of the data as A."""
    sides = {"a": "b", "b": "a"}
    turned = {
        f"{name}_{sides[side]}": flat[f"{name}_{side}"]
        for name in ("system", "text")
        for side in sides
        if f"{name}_{side}" in flat
    }
    return {**flat, **turned}


def _is_instances(source: Source) -> bool:
    columns = set(source.columns)
    return {"id", "label_annotations"} <= columns or {"instance_id", "user_id", "labels"} <= columns


LAYOUT = Layout(
    "potato",
    "Potato's pairwise annotations",
    {Instances: _is_instances},
    fields=OF_PAIR,
    settings=("systems", "kind"),
)
