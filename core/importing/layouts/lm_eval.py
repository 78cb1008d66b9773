"""Reader of lm-evaluation-harness' sample logs (`--log_samples`): a folder for each model, in it a
file for each task.

Layout: EleutherAI/lm-evaluation-harness, lm_eval/loggers/evaluation_tracker.py
(save_results_samples) and lm_eval/utils.py (names of files and folders).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any

from ...scratch import is_scratch
from ..cells import Cells, as_number, read_name
from ..conversations import read_turns
from ..entry import TEXT, Entry
from ..graded_texts import check_system_name
from ..layout import Layout, Reader, Source, has_columns
from ..raters import score_by_metric
from ..values import find_list, find_object, find_text, load_object

NAME = re.compile(r"samples_(?P<task>.+)_(?P<date>\d{4}-\d\d-\d\dT[\d.-]+)$")
QUESTIONS = ("question", "query", "prompt", "instruction", "problem", "input", "text", "context",
             "sentence", "goal")  # fmt: skip
"""What the text of a task may be called in its documents."""
PLAIN = frozenset(("none", ""))  # filters that change nothing
KNOWN = frozenset(
    ("doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics",
     "doc_hash", "prompt_hash", "target_hash")
)  # fmt: skip
Request = Sequence[Any]
"""What was asked, and the option that was tried or how it was to be answered."""


class LmEvalSamples(Reader):
    """A document a row: what was asked (`arguments`), what came back (`resps`), and the metrics.
    The system is the model of the `results_*.json` beside it, else the name of the folder, unless
    it is named. The item is TASK/doc_id, the subset the task. Repeats are samples; of tasks with
    options the text is the likeliest one. Metrics are judges, METRIC or METRIC/FILTER; a row a
    filter.
    """

    def __init__(self, source: Source) -> None:
        found = NAME.match(source.stem)
        self.task = found["task"] if found else source.stem.removeprefix("samples_")
        lone = source.systems[0] if len(source.systems) == 1 else ""
        date = found["date"] if found else ""
        self.system = source.system_name or lone or _find_model(source, date)

    def entries(self, number: int, cells: Cells) -> Iterator[Entry]:
        requests = _list_requests(cells)
        of_text = {
            "item": f"{self.task}/{read_name(cells, 'doc_id')}",
            "context": _find_question(cells, requests),
            "subset": self.task,
            "system": self.system,
        }
        for sample, text in enumerate(_list_texts(cells, requests)):
            yield {"sort": TEXT, **of_text, "sample": sample, "text": text}
        filtered = find_text(cells, "filter")
        for metric in list_metrics(cells):
            judge = metric if filtered in PLAIN else f"{metric}/{filtered}"
            yield from score_by_metric({**of_text, "sample": 0}, judge, cells[metric])


def _find_model(source: Source, date: str) -> str:
    folder = source.path.parent
    name = load_object(folder / f"results_{date}.json").get("model_name")
    if isinstance(name, str) and name.strip():
        return name
    if is_scratch(folder):  # it was uploaded without its folder
        check_system_name(source, "model")
    return folder.resolve().name.replace("__", "/")


def _list_requests(cells: Cells) -> list[Request]:
    given = cells.get("arguments")
    if isinstance(given, dict):
        given = [[each.get("arg_0"), each.get("arg_1")] for each in given.values()]
    if not isinstance(given, list):  # of lists, as they were before 0.4.3
        raise ValueError("it has no arguments: write the log with --log_samples")
    return [[*each, None, None] for each in given]


def _find_question(cells: Cells, requests: Sequence[Request]) -> str:
    """Find the text of an item: the document's own text, because prompts differ with chat
    templates.
    """
    for text in map(find_object(cells, "doc").get, QUESTIONS):
        if isinstance(text, str) and text.strip():
            return text
    prompt = str((requests[0][0] if requests else None) or "")
    with suppress(ValueError):  # a chat is a list of messages, written as JSON
        return read_turns(prompt) or prompt
    return prompt


def _list_texts(cells: Cells, requests: Sequence[Request]) -> list[str | None]:
    """List the model's texts, one per sample; for options, the one it found likeliest."""
    replies, options = find_list(cells, "resps"), [request[1] for request in requests]
    if all(isinstance(option, str) for option in options) and len(options) == len(replies):
        with suppress(ValueError, TypeError, IndexError):
            chances = [as_number(reply[0][0], "a log-likelihood") for reply in replies]
            if len(options) > 1:
                return [str(options[chances.index(max(chances))]).strip()]
        return [None]
    first = replies[0] if replies and isinstance(replies[0], list) else replies[:1] or [None]
    return [reply if isinstance(reply, str) else None for reply in first]


def list_metrics(cells: Cells) -> list[str]:
    """Return the columns that hold metrics: those that are listed, else all that are numbers."""
    listed = cells.get("metrics")
    if isinstance(listed, list):
        return [name for name in listed if isinstance(name, str) and name in cells]
    numbers = (name for name, value in cells.items() if isinstance(value, int | float))
    return [name for name in numbers if name not in KNOWN]


LAYOUT = Layout(
    "lm-eval", "lm-evaluation-harness' sample logs",
    {LmEvalSamples: has_columns("doc_id", "doc", "target", "resps", "arguments")},
    ("question", "answer"), settings=("systems", "system_name"), looks_around=True,
)  # fmt: skip
