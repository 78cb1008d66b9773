"""Reader of Label Studio's JSON: tasks with Pairwise annotations, or tasks to annotate.

Layout: HumanSignal/label-studio, its page "Label Studio Task Format" and the template
pairwise-classification (config.xml); imported annotations as in label_studio/tasks/serializers.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from core.importing.cells import Cells, as_text, required
from core.importing.entry import VOTE, Entry
from core.importing.layout import Layout, Reader, Source
from core.importing.pairs_in_tools import OF_PAIR, PairFields, all_rows, give_texts
from core.importing.values import Object, find_list, find_object, find_objects
from core.importing.winners import NO_ANSWER, meaning_of
from core.records import Kind

USUAL = frozenset(("pw", "pairwise", "preference", "comparison", "choice", "choices", "tie"))
"""Names of a control that ask for nothing in particular."""
ANNOTATOR = "annotator"
"""The control in which Tandem's own export names the annotator, who may have no account there."""
RAW, FAILURE = "raw", "failure"
"""Its controls for what was said word for word, and why there is no answer."""
ANSWERS = ("annotations", "predictions")
TO_ANNOTATE = frozenset(("id", "data", "meta", "predictions"))
"""The keys of tasks as they are imported into Label Studio."""


class Tasks(Reader):
    """`data` (whose fields are the two texts and what else is known of them) and `annotations`,
    each with who made it (`completed_by`), when, how long it took (`lead_time`) and its results:
    `pairwise` with the side that was selected, the first text being on the left. Where there is
    none, a choice may say it (`left`, `tie` ...). Texts that were written are comments.

    Predictions are votes of a model, `model_version`. What was skipped or is empty has no answer.
    """

    def __init__(self, source: Source) -> None:
        self.kind, self.pairs = source.kind, PairFields(source)
        self.pairs.ask_systems(all_rows(source), self.is_answered, self.find_pair)

    def entries(self, number: int, cells: Cells) -> Iterator[Entry]:
        pair = self.find_pair(cells)
        if not self.is_answered(cells):
            yield from give_texts(pair)
        for annotation in find_objects(cells, "annotations"):
            judge = {"judge": _name_annotator(annotation), "judge_kind": self.kind.value}
            yield from _read_votes(annotation, {**pair, **judge})
        for prediction in find_objects(cells, "predictions"):
            model = as_text(prediction.get("model_version")) or "prediction"
            judge = {"judge": model, "judge_kind": Kind.LLM.value}
            yield from _read_votes(prediction, {**pair, **judge})

    def find_pair(self, cells: Cells) -> Entry:
        pair = self.pairs.find_pair(required(cells, "data", dict))
        if not (pair.get("item") or pair.get("context")) and cells.get("id") is not None:
            pair["item"] = f"task-{cells['id']}"
        return pair

    @staticmethod
    def is_answered(cells: Cells) -> bool:
        return any(cells.get(name) for name in ANSWERS)


def _read_votes(answer: Object, pair: Entry) -> Iterator[Entry]:
    """A vote for each control that compares."""
    results = [result for result in find_objects(answer, "result") if find_object(result, "value")]
    written = _read_texts(results)
    comments = (text for name in written if name not in (ANNOTATOR, RAW, FAILURE)
                for text in written[name])  # fmt: skip
    raw, failure = (next(iter(written.get(name, ())), "") for name in (RAW, FAILURE))
    vote = {
        "sort": VOTE,
        **pair,
        "comment": "\n".join(comments),
        "created_at": answer.get("created_at"),
        "seconds": answer.get("lead_time"),
        "raw": raw,
    }
    if answer.get("was_cancelled") or failure:
        yield {**vote, "failure": failure or "skipped"}
        return
    said = {name: said for name, said in map(_read_side, results) if said}
    for name, side in said.items() or [("", "")]:
        attribute = vote.get("attribute") or ("" if name.casefold() in USUAL else name)
        yield {**vote, "winner": side, "attribute": attribute}


def _read_side(result: Object) -> tuple[str, str]:
    """The control of a result, and its word for a side; '' where it does not compare."""
    name = str(result.get("from_name") or "")
    if result.get("type") == "pairwise":
        return name, str(find_object(result, "value").get("selected") or "")
    choices = find_list(result, "value.choices")
    said = meaning_of(str(choices[0])) if len(choices) == 1 else None
    return name, str(choices[0]) if said and said.outcome != NO_ANSWER else ""


def _read_texts(results: Sequence[Object]) -> Mapping[str, list[str]]:
    """control -> what was written in it."""
    written: dict[str, list[str]] = {}
    for result in results:
        if result.get("type") == "textarea":
            text = find_object(result, "value").get("text")
            texts = text if isinstance(text, list) else [text]
            written.setdefault(str(result.get("from_name")), []).extend(map(str, texts))
    return written


def _name_annotator(annotation: Object) -> str:
    """Who made an annotation: by name or address where it is told, else by number."""
    if named := _read_texts(find_objects(annotation, "result")).get(ANNOTATOR):
        return named[0]
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
    "label-studio",
    "Label Studio's tasks with Pairwise annotations",
    {Tasks: _is_tasks},
    fields=OF_PAIR,
    settings=("systems", "kind"),
)
