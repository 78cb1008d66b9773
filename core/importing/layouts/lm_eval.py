"""Reader of lm-evaluation-harness' sample logs (`--log_samples`): a folder for each model, in it a
file for each task.

Layout: EleutherAI/lm-evaluation-harness, lm_eval/loggers/evaluation_tracker.py
(save_results_samples) and lm_eval/utils.py (names of files and folders).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from core.importing.cells import Cells, as_number, as_text, named
from core.importing.conversations import transcript
from core.importing.layout import Layout, Record, Source, has, marks, system_of
from core.importing.text_encoding import open_text
from core.records import Generation, Item, Kind, Score, TandemError, setting
from core.scratch import is_scratch

NAME = re.compile(r"samples_(?P<task>.+)_(?P<date>\d{4}-\d\d-\d\dT[\d.-]+)$")
QUESTIONS = ("question", "query", "prompt", "instruction", "problem", "input", "text", "context",
             "sentence", "goal")  # fmt: skip
"""What the text of a task may be called in its documents."""
PLAIN = frozenset(("none", ""))  # filters that change nothing
KNOWN = frozenset(
    ("doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics",
     "doc_hash", "prompt_hash", "target_hash")
)  # fmt: skip


class Samples:
    """A document a row: what was asked (`arguments`), what came back (`resps`), and the metrics.
    The system is the model of the `results_*.json` beside it, else the name of the folder, unless
    it is named. The item is TASK/doc_id, the subset the task. Repeats are samples; of tasks with
    options the text is the likeliest one. Metrics are raters, METRIC or METRIC/FILTER; a row a
    filter.
    """

    def __init__(self, source: Source) -> None:
        self.source = source
        found = NAME.match(source.stem)
        self.task = found["task"] if found else source.stem.removeprefix("samples_")
        if source.system_name or len(source.systems) == 1:
            self.system = source.system_name or source.systems[0]
        else:
            self.system = _model(source.path, found["date"] if found else "")

    def records(self, number: int, cells: Cells) -> Iterator[Record]:
        item = f"{self.task}/{named(cells, 'doc_id')}"
        asked = _arguments(cells)
        yield Item(item, _question(cells, asked), subset=self.task)
        yield system_of(self.system)
        for sample, text in enumerate(_texts(cells, asked)):
            yield Generation(item, self.system, sample, text)
        filtered = as_text(cells.get("filter")) or ""
        for metric in _metrics(cells):
            rater = metric if filtered in PLAIN else f"{metric}/{filtered}"
            score = Score(item, self.system, "overall", rater, kind=Kind.BASELINE)
            yield from marks(self.source, score, _number(cells[metric]))


def _model(path: Path, date: str) -> str:
    """The model's name as the results of the same run have it, else as its folder is called."""
    results = path.parent / f"results_{date}.json"
    with suppress(OSError, ValueError, TandemError), open_text(results) as stream:
        name = json.load(stream).get("model_name")
        if isinstance(name, str) and name.strip():
            return name
    if is_scratch(path.parent):  # it was uploaded without its folder
        raise TandemError(
            f"{path.name} does not say which model wrote its texts: name it with "
            f"{setting('system_name')}"
        )
    return path.resolve().parent.name.replace("__", "/")


def _arguments(cells: Cells) -> list[tuple[object, object]]:
    """The requests: what was asked, and the option that was tried or how it was to be answered."""
    given = cells.get("arguments")
    if isinstance(given, dict):
        return [
            (each.get("arg_0"), each.get("arg_1"))
            for each in given.values()
            if isinstance(each, dict)
        ]
    if isinstance(given, list):  # as they were before 0.4.3
        return [(*each, None, None)[:2] for each in given if isinstance(each, list)]
    raise ValueError("it has no arguments: write the log with --log_samples")


def _question(cells: Cells, asked: list[tuple[object, object]]) -> str:
    """What the item is about: the document's own text, as prompts differ with chat templates."""
    doc = cells.get("doc")
    if isinstance(doc, dict):
        for name in QUESTIONS:
            if isinstance(doc.get(name), str) and doc[name].strip():
                return str(doc[name])
    prompt = asked[0][0] if asked else None
    return _prompt(prompt)


def _prompt(prompt: object) -> str:
    with suppress(
        ValueError, TypeError, RecursionError
    ):  # a chat is a list of messages, written as JSON
        return transcript(json.loads(str(prompt)))
    return str(prompt or "")


def _texts(cells: Cells, asked: list[tuple[object, object]]) -> list[str | None]:
    """What the model wrote, a sample each; of options, which one it found likeliest."""
    replies: Any = cells.get("resps")
    if not isinstance(replies, list) or not replies:
        return [None]
    options = [option for _, option in asked]
    if all(isinstance(option, str) for option in options) and len(options) == len(replies):
        return [_likeliest(options, replies)] if len(options) > 1 else [None]
    first = replies[0] if isinstance(replies[0], list) else [replies[0]]
    return [reply if isinstance(reply, str) else None for reply in first]


def _likeliest(options: list[Any], replies: list[Any]) -> str | None:
    with suppress(ValueError, TypeError, IndexError):
        chances = [as_number(reply[0][0], "a log-likelihood") for reply in replies]
        return str(options[chances.index(max(chances))]).strip()
    return None


def _metrics(cells: Cells) -> list[str]:
    """The columns that hold metrics: those that are listed, else all that are numbers."""
    listed = cells.get("metrics")
    if isinstance(listed, list):
        return [name for name in listed if isinstance(name, str) and name in cells]
    return [
        name
        for name, value in cells.items()
        if name not in KNOWN and isinstance(value, int | float)
    ]


def _number(value: object) -> object:
    """A metric as a number; parts of an aggregate, such as the counts of BLEU, are none."""
    if isinstance(value, bool):
        return int(value)
    return None if isinstance(value, list | Mapping) else value


LAYOUT = Layout(
    "lm-eval",
    "lm-evaluation-harness' sample logs",
    {Samples: has("doc_id", "doc", "target", "resps", "arguments")},
    ("question", "answer"),
    settings=("systems", "system_name"),
)
