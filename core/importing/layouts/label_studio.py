"""Reader of Label Studio's JSON export of tasks with Pairwise annotations.

Layout: HumanSignal/label-studio, its page "Label Studio Task Format" and the template
pairwise-classification (config.xml); imported annotations as in label_studio/tasks/serializers.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from core.importing.cells import Cells, as_text, required
from core.importing.layout import Layout, Source
from core.importing.layouts.nested_votes import OF_PAIR, Flat, NestedVotes
from core.importing.winners import NO_ANSWER, WINNERS, word
from core.records import Kind, Outcome

USUAL = frozenset(("pw", "pairwise", "preference", "comparison", "choice", "choices", "tie"))
"""Names of a control that ask for nothing in particular."""
ANNOTATOR = "annotator"
"""The control in which Tandem's own export names the annotator, who may have no account there."""
UNSAID = ("raw", "failure")
"""Its controls for what was said word for word, and why there is no answer."""
SIDES = {"left": "a", "right": "b"}


class Tasks(NestedVotes):
    """`data` (whose fields are the two texts and what else is known of them) and `annotations`,
    each with who made it (`completed_by`), when, how long it took (`lead_time`) and its results:
    `pairwise` with the side that was selected, the first text being on the left. Where there is
    none, a choice may say it (`left`, `tie` ...). Texts that were written are comments.

    Predictions are votes of a model, `model_version`. What was skipped or is empty has no answer.
    """

    def answers(self, number: int, cells: Cells) -> Iterator[Flat]:
        shared = self.pair(required(cells, "data", dict))
        if not shared.get("item") and cells.get("id") is not None:
            shared["item"] = f"task-{cells['id']}"
        if not cells.get("annotations") and not cells.get("predictions"):
            yield shared
        for annotation in _listed(cells.get("annotations")):
            about = {"judge": _annotator(annotation), "judge_kind": self.given.kind.value}
            yield from self._votes(annotation, {**shared, **about})
        for prediction in _listed(cells.get("predictions")):
            judge = as_text(prediction.get("model_version")) or "prediction"
            about = {"judge": judge, "judge_kind": Kind.LLM.value}
            yield from self._votes(prediction, {**shared, **about})

    def _votes(self, answer: Mapping[str, Any], shared: Mapping[str, Any]) -> Iterator[Flat]:
        """One vote for each control that compares."""
        results = [result for result in _listed(answer.get("result")) if _value(result)]
        flat = {
            **shared,
            "comment": "\n".join(_written(results)),
            "created_at": answer.get("created_at"),
            "seconds": answer.get("lead_time"),
            "raw": _text_of("raw", results),
        }
        failure = _text_of("failure", results)
        if answer.get("was_cancelled") or failure:
            yield {**flat, "failure": failure or "skipped"}
            return
        said = {name: winner for name, winner in map(_said, results) if winner}
        for name, winner in said.items() or [("", "")]:
            attribute = flat.get("attribute") or ("" if name.casefold() in USUAL else name)
            yield {**flat, "winner": winner, "attribute": attribute}


def _listed(given: object) -> Sequence[Mapping[str, Any]]:
    return [each for each in given if isinstance(each, dict)] if isinstance(given, list) else []


def _value(result: Mapping[str, Any]) -> Mapping[str, Any]:
    value = result.get("value")
    return value if isinstance(value, dict) else {}


def _said(result: Mapping[str, Any]) -> tuple[str, str]:
    """The control of a result, and what it says of the two; '' where it does not compare."""
    value, name = _value(result), str(result.get("from_name") or "")
    if result.get("type") == "pairwise":
        return name, SIDES.get(str(value.get("selected")), str(value.get("selected") or ""))
    choices = value.get("choices")
    if isinstance(choices, list) and len(choices) == 1:
        meant = WINNERS.get(word(str(choices[0])))
        if meant is not None and meant != NO_ANSWER:
            return name, str(Outcome(meant))
    return name, ""


def _written(results: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """What was written beside an answer."""
    for result in results:
        text = _value(result).get("text")
        own = (ANNOTATOR, *UNSAID)
        if result.get("type") == "textarea" and result.get("from_name") not in own:
            yield from map(str, text if isinstance(text, list) else [text])


def _text_of(control: str, results: Sequence[Mapping[str, Any]]) -> str:
    """What was written in a control, '' where it is not there."""
    for result in results:
        if result.get("from_name") == control and result.get("type") == "textarea":
            text = _value(result).get("text")
            return str(text[0] if isinstance(text, list) and text else text)
    return ""


def _annotator(annotation: Mapping[str, Any]) -> str:
    """Who made an annotation: by name or address where it is told, else by number."""
    if named := _text_of(ANNOTATOR, _listed(annotation.get("result"))):
        return named
    by = annotation.get("completed_by")
    if isinstance(by, dict):
        by = by.get("email") or by.get("username") or by.get("id")
    return f"annotator-{by}" if isinstance(by, int) else as_text(by) or ""


def _is_tasks(source: Source) -> bool:
    columns = set(source.columns)
    return {"data", "annotations"} <= columns and "fields" not in columns


LAYOUT = Layout(
    "label-studio",
    "Label Studio's tasks with Pairwise annotations",
    {Tasks: _is_tasks},
    fields=OF_PAIR,
    settings=("systems", "kind"),
)
