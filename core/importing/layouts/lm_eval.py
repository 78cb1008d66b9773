"""Reader of lm-evaluation-harness' sample logs (`--log_samples`): a folder for each model, in it a
file for each task.

Layout: EleutherAI/lm-evaluation-harness, lm_eval/loggers/evaluation_tracker.py
(save_results_samples) and lm_eval/utils.py (names of files and folders).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from core.importing.cells import Cells, as_number, named
from core.importing.conversations import transcript
from core.importing.entry import SCORE, TEXT, Entry, is_score
from core.importing.layout import Layout, Reader, Source, has
from core.importing.values import find_list, find_object, find_text, load_object, parse_json
from core.records import Kind, TandemError, setting
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
Request = tuple[object, object]
"""What was asked, and the option that was tried or how it was to be answered."""


class Samples(Reader):
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
        self.system = source.system_name or lone or _find_model(source.path, date)

    def entries(self, number: int, cells: Cells) -> Iterator[Entry]:
        requests = _list_requests(cells)
        of_text = {
            "item": f"{self.task}/{named(cells, 'doc_id')}",
            "context": _find_question(cells, requests),
            "subset": self.task,
            "system": self.system,
        }
        for sample, text in enumerate(_list_texts(cells, requests)):
            yield {"sort": TEXT, **of_text, "sample": sample, "text": text}
        filtered = find_text(cells, "filter")
        for metric in list_metrics(cells):
            value = cells[metric]
            # Parts of an aggregate, such as the counts of BLEU, are no metrics.
            if is_score(value) and not isinstance(value, list | Mapping):
                name = metric if filtered in PLAIN else f"{metric}/{filtered}"
                judge = {"judge": name, "judge_kind": Kind.BASELINE.value}
                value = int(value) if isinstance(value, bool) else value
                yield {"sort": SCORE, **of_text, "sample": 0, **judge, "value": value}


def _find_model(path: Path, date: str) -> str:
    """The model's name as the results of the same run have it, else as its folder is called."""
    name = load_object(path.parent / f"results_{date}.json").get("model_name")
    if isinstance(name, str) and name.strip():
        return name
    if is_scratch(path.parent):  # it was uploaded without its folder
        raise TandemError(
            f"{path.name} does not say which model wrote its texts: name it with "
            f"{setting('system_name')}"
        )
    return path.resolve().parent.name.replace("__", "/")


def _list_requests(cells: Cells) -> list[Request]:
    given = cells.get("arguments")
    if isinstance(given, dict):
        objects = (each for each in given.values() if isinstance(each, dict))
        return [(each.get("arg_0"), each.get("arg_1")) for each in objects]
    if isinstance(given, list):  # as they were before 0.4.3
        return [(*each, None, None)[:2] for each in given if isinstance(each, list)]
    raise ValueError("it has no arguments: write the log with --log_samples")


def _find_question(cells: Cells, requests: Sequence[Request]) -> str:
    """What the item is about: the document's own text, as prompts differ with chat templates."""
    doc = find_object(cells, "doc")
    for text in map(doc.get, QUESTIONS):
        if isinstance(text, str) and text.strip():
            return text
    prompt = str((requests[0][0] if requests else None) or "")
    with suppress(ValueError):  # a chat is a list of messages, written as JSON
        return transcript(chat) if isinstance(chat := parse_json(prompt), list) else prompt
    return prompt


def _list_texts(cells: Cells, requests: Sequence[Request]) -> list[str | None]:
    """What the model wrote, a sample each; of options, which one it found likeliest."""
    replies = find_list(cells, "resps")
    options = [option for _, option in requests]
    if not replies:
        return [None]
    if all(isinstance(option, str) for option in options) and len(options) == len(replies):
        return [_choose_likeliest(options, replies) if len(options) > 1 else None]
    first = replies[0] if isinstance(replies[0], list) else [replies[0]]
    return [reply if isinstance(reply, str) else None for reply in first]


def _choose_likeliest(options: list[Any], replies: list[Any]) -> str | None:
    with suppress(ValueError, TypeError, IndexError):
        chances = [as_number(reply[0][0], "a log-likelihood") for reply in replies]
        return str(options[chances.index(max(chances))]).strip()
    return None


def list_metrics(cells: Cells) -> list[str]:
    """The columns that hold metrics: those that are listed, else all that are numbers."""
    listed = cells.get("metrics")
    if isinstance(listed, list):
        return [name for name in listed if isinstance(name, str) and name in cells]
    numbers = (name for name, value in cells.items() if isinstance(value, int | float))
    return [name for name in numbers if name not in KNOWN]


LAYOUT = Layout(
    "lm-eval",
    "lm-evaluation-harness' sample logs",
    {Samples: has("doc_id", "doc", "target", "resps", "arguments")},
    ("question", "answer"),
    settings=("systems", "system_name"),
    looks_around=True,
)
