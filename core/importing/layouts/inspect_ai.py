"""Reader of Inspect's logs, `.eval` or `.json`: the logs of several models become systems of one
data set.

Layout: UKGovernmentBEIS/inspect_ai, tests/log/test_eval_log/log_formats.json.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from core.importing.cells import Cells, as_text, as_whole, named, required
from core.importing.conversations import content, transcript
from core.importing.layout import Dropped, Layout, Record, Source, has, marks, system_of
from core.importing.winners import NO_ANSWER
from core.records import Generation, Item, JudgeSpec, Kind, Score

GRADES = {"C": 1.0, "P": 0.5, "I": 0.0}
"""Inspect's grades as it counts them: correct, partly correct, incorrect."""
NO_GRADE = "N"  # no answer: Inspect counts it as 0, here it has no mark
BY_MODEL = "model_graded"  # how the names of scorers begin that ask a model
ATTACHED = "attachment://"


class Samples:
    """A sample a row: the system is the log's model, the item TASK/id, an epoch a sample, the
    subset the task. Scorers are raters; where a scorer gives several values, each is an attribute.
    """

    def __init__(self, source: Source) -> None:
        self.source = source

    def records(self, number: int, cells: Cells) -> Iterator[Record]:
        about = required(cells, "eval", dict)
        task, system = named(about, "task"), named(about, "model")
        item, sample = (
            f"{task}/{named(cells, 'id')}",
            as_whole(cells.get("epoch") or 1, "the epoch") - 1,
        )
        yield Item(item, transcript(_resolved(cells.get("input"), cells)), subset=task)
        yield system_of(system)
        if cells.get("error"):
            yield Dropped(f"sample {cells['id']} ended in an error, so it has no text")
            return
        yield Generation(item, system, sample, _completion(cells))
        scores = cells.get("scores")
        for scorer, score in scores.items() if isinstance(scores, dict) else ():
            given = score.get("value") if isinstance(score, dict) else score
            kind = Kind.LLM if scorer.startswith(BY_MODEL) else Kind.BASELINE
            for attribute, value in _values(given):
                mark = Score(item, system, attribute, scorer, sample=sample, kind=kind)
                yield from self._mark(mark, value)

    def _mark(self, score: Score, value: object) -> Iterator[Record]:
        if value == NO_GRADE:
            yield self.source.attribute(score.attribute)
            yield JudgeSpec(score.judge, score.kind)
            yield Score(**{**vars(score), "failure": NO_ANSWER, "raw": NO_GRADE})
        else:
            yield from marks(self.source, score, _number(value))


def _completion(cells: Cells) -> str | None:
    """What the model answered, without its reasoning."""
    output = cells.get("output")
    choices = output.get("choices") if isinstance(output, dict) else None
    first = choices[0] if isinstance(choices, list) and choices else None
    message = first.get("message") if isinstance(first, dict) else None
    return content(_resolved(message, cells)) if isinstance(message, dict) else None


def _resolved(value: Any, cells: Cells) -> Any:
    """A value with its attachments in their places."""
    if isinstance(value, str) and value.startswith(ATTACHED):
        attachments = cells.get("attachments")
        kept = attachments if isinstance(attachments, dict) else {}
        return kept.get(value.removeprefix(ATTACHED), value)
    if isinstance(value, list):
        return [_resolved(each, cells) for each in value]
    if isinstance(value, dict):
        return {name: _resolved(each, cells) for name, each in value.items()}
    return value


def _values(given: object) -> Iterator[tuple[str, object]]:
    """attribute -> value of a score."""
    if isinstance(given, Mapping):
        yield from ((str(name), value) for name, value in given.items())
    elif not isinstance(given, list):
        yield "overall", given


def _number(value: object) -> object:
    if isinstance(value, bool):
        return int(value)
    return GRADES.get(value, as_text(value)) if isinstance(value, str) else value


LAYOUT = Layout(
    "inspect",
    "Inspect's logs",
    {Samples: has("id", "epoch", "input", "eval")},
    ("input", "output"),
)
