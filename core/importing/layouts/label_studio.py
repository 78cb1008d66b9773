"""Reader of Label Studio's JSON: tasks with Pairwise annotations, or tasks to annotate.

Layout: HumanSignal/label-studio, its page "Label Studio Task Format" and the template
pairwise-classification (config.xml); imported annotations as in label_studio/tasks/serializers.py.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import chain

from ...records import Kind
from ..cells import Cells, as_text, require_cell
from ..entry import VOTE, Entry
from ..layout import Layout, Source
from ..pairs_in_tools import OF_PAIR, PairReader, is_side, name_attribute
from ..values import Object, find_list, find_object, find_objects

OWN = ("annotator", "raw", "failure")
"""Controls of Tandem's own export: the annotator, who may have no account there, what was said word
for word, and why there is no answer.
"""
TO_ANNOTATE = frozenset(("id", "data", "meta", "predictions"))
"""The keys of tasks as they are imported into Label Studio."""


class Tasks(PairReader):
    """`data` (whose fields are the two texts and what else is known of them) and `annotations`,
    each with who made it (`completed_by`), when, how long it took (`lead_time`) and its results:
    `pairwise` with the side that was selected, the first text being on the left. If
    missing, a choice may say it (`left`, `tie` ...). Texts that were written are comments.

    Predictions are votes of a model, `model_version`. What was skipped or is empty has no answer.
    """

    def is_answered(self, cells: Cells) -> bool:
        return bool(cells.get("annotations") or cells.get("predictions"))

    def find_pair(self, cells: Cells) -> Entry:
        pair = super().find_pair(require_cell(cells, "data", dict))
        if not (pair.get("item") or pair.get("context")) and cells.get("id") is not None:
            pair["item"] = f"task-{cells['id']}"
        return pair

    def read_votes(self, cells: Cells) -> Iterator[Entry]:
        pair = self.find_pair(cells)
        for annotation in find_objects(cells, "annotations"):
            judge = {"judge": _name_annotator(annotation), "judge_kind": self.kind}
            yield from _read_answer(annotation, {**pair, **judge})
        for prediction in find_objects(cells, "predictions"):
            model = as_text(prediction.get("model_version")) or "prediction"
            yield from _read_answer(prediction, {**pair, "judge": model, "judge_kind": Kind.LLM})


def _read_answer(answer: Object, pair: Entry) -> Iterator[Entry]:
    written, sides = defaultdict[str, list[str]](list), dict[str, str]()
    for result in find_objects(answer, "result"):
        name, value = str(result.get("from_name") or ""), find_object(result, "value")
        if result.get("type") == "textarea" and value:
            text = value.get("text")
            written[name] += map(str, text if isinstance(text, list) else [text])
        elif side := _read_side(result.get("type"), value):
            sides[name] = side
    annotator, raw, failure = (next(iter(written.pop(name, ())), "") for name in OWN)
    vote = {
        "sort": VOTE,
        **pair,
        "judge": annotator or pair["judge"],
        "comment": "\n".join(chain(*written.values())),
        "created_at": answer.get("created_at"),
        "seconds": answer.get("lead_time"),
        "raw": raw,
    }
    if answer.get("was_cancelled") or failure:
        yield {**vote, "failure": failure or "skipped"}
        return
    for name, side in sides.items() or [("", "")]:
        yield {**vote, "winner": side, "attribute": vote.get("attribute") or name_attribute(name)}


def _read_side(sort: object, value: Object) -> str:
    """Return the word for a side in a result; '' where it does not compare."""
    if sort == "pairwise":
        return str(value.get("selected") or "")
    choices = find_list(value, "choices")
    return str(choices[0]) if len(choices) == 1 and is_side(str(choices[0])) else ""


def _name_annotator(annotation: Object) -> str:
    by = annotation.get("completed_by")
    if isinstance(by, dict):
        by = by.get("email") or by.get("username") or by.get("id")
    return f"annotator-{by}" if isinstance(by, int) else as_text(by) or ""


def _is_tasks(source: Source) -> bool:
    columns = set(source.columns)
    if "annotations" in columns:
        return "data" in columns and "fields" not in columns
    if "data" not in columns or columns - TO_ANNOTATE or "." in "".join(source.mapping.values()):
        return False
    return all(isinstance(cells.get("data"), dict) for cells in source.cells(20))


LAYOUT = Layout(
    "label-studio", "Label Studio's tasks with Pairwise annotations", {Tasks: _is_tasks},
    fields=OF_PAIR, settings=("systems", "kind"),
)  # fmt: skip
