"""Runs of evaluation harnesses: lm-evaluation-harness, Inspect and HELM."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from ...records import Kind
from ...scratch import is_scratch
from ..cells import Cells, as_number, as_text, as_whole, read_name, require_cell
from ..conversations import content, read_turns, transcript
from ..entry import ITEM, TEXT, Entry, drop_part
from ..graded_texts import check_system_name, graded_text
from ..layout import Layout, Reader, Source, has_columns
from ..raters import score_by_metric
from ..templates import read_scores, read_with
from ..values import find_list, find_object, find_objects, find_text, find_value, load_object
from ..winners import NO_ANSWER

# Reader of lm-evaluation-harness' sample logs (`--log_samples`): a folder for each model, in it a
# file for each task. Layout: EleutherAI/lm-evaluation-harness,
# lm_eval/loggers/evaluation_tracker.py (save_results_samples) and lm_eval/utils.py (names of files
# and folders).

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
    for text in map(find_object(cells, "doc").get, QUESTIONS):  # prompts differ with templates
        if isinstance(text, str) and text.strip():
            return text
    prompt = str((requests[0][0] if requests else None) or "")
    with suppress(ValueError):  # a chat is a list of messages, written as JSON
        return read_turns(prompt) or prompt
    return prompt


def _list_texts(cells: Cells, requests: Sequence[Request]) -> list[str | None]:
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


LM_EVAL = Layout(
    "lm-eval", "lm-evaluation-harness' sample logs",
    {LmEvalSamples: has_columns("doc_id", "doc", "target", "resps", "arguments")},
    ("question", "answer"), settings=("systems", "system_name"), looks_around=True,
)  # fmt: skip


# Reader of Inspect's logs, `.eval` or `.json`: the logs of several models become systems of one
# data set. Layout: UKGovernmentBEIS/inspect_ai, tests/log/test_eval_log/log_formats.json.

GRADES = {"C": 1.0, "P": 0.5, "I": 0.0, True: 1, False: 0}
"""Inspect's grades as it counts them: correct, partly correct, incorrect."""
NO_GRADE = "N"  # no answer: Inspect counts it as 0, here it has no mark
BY_MODEL = "model_graded"  # how the names of scorers begin that ask a model
ATTACHED = "attachment://"


def read_sample(number: int, cells: Cells) -> Iterator[Entry]:
    """Read a sample: the system is the log's model, the item TASK/id, an epoch a sample, the
    subset the task. Scorers are judges; where a scorer gives several values, each is an attribute.
    """
    about = require_cell(cells, "eval", dict)
    task, system = read_name(about, "task"), read_name(about, "model")
    sample = as_whole(cells.get("epoch") or 1, "the epoch") - 1
    context = transcript(_resolve(cells.get("input"), cells))
    item = {"item": f"{task}/{read_name(cells, 'id')}", "context": context, "subset": task}
    if cells.get("error"):
        yield {"sort": ITEM, **item}
        yield drop_part(f"sample {cells['id']} ended in an error, so it has no text")
        return
    message = _resolve(find_value(cells, "output.choices[0].message"), cells)
    text = content(message) if isinstance(message, Mapping) else None  # without its reasoning
    of_text = {**item, "system": system, "sample": sample}
    yield {"sort": TEXT, **of_text, "text": text}
    for scorer, score in find_object(cells, "scores").items():
        kind = Kind.LLM if scorer.startswith(BY_MODEL) else Kind.BASELINE
        given = score.get("value") if isinstance(score, Mapping) else score
        values = given if isinstance(given, Mapping) else {"overall": given}
        if isinstance(given, list):
            continue  # nothing says what its values are of
        for each in read_scores(values, **of_text, judge=scorer, judge_kind=kind):
            grade = each["value"]
            if grade == NO_GRADE:
                yield each | {"failure": NO_ANSWER, "raw": NO_GRADE}
            else:
                is_grade = isinstance(grade, str | bool)
                yield each | {"value": GRADES.get(grade, grade) if is_grade else grade}


def _resolve(value: Any, cells: Cells) -> Any:
    if isinstance(value, str) and value.startswith(ATTACHED):
        return find_object(cells, "attachments").get(value.removeprefix(ATTACHED), value)
    if isinstance(value, list):
        return [_resolve(each, cells) for each in value]
    if isinstance(value, dict):
        return {name: _resolve(each, cells) for name, each in value.items()}
    return value


INSPECT_AI = Layout(
    "inspect", "Inspect's logs",
    {read_with(read_sample): has_columns("id", "epoch", "input", "eval")},
    ("input", "output"),
)  # fmt: skip


# Readers of a run of HELM: the texts of `scenario_state.json` or `display_predictions.json`, the
# metrics of `per_instance_stats.json`, and the inputs of `instances.json`. Layout:
# stanford-crfm/helm, src/helm/benchmark/runner.py (file names), adaptation/request_state.py
# (RequestState), metrics/metric.py (PerInstanceStats) and presentation/schema of
# DisplayPrediction.

MODEL = re.compile(r"(?:^|[:,])model=[^,]+|(?:^|[:,])model_deployment=[^,]+")
BOOKKEEPING = re.compile(
    r"num_|max_|inference_|finish_reason|batch_size|training_|estimated_|prompt_truncated|"
    r"logprob|perplexity|bits_per_byte|predicted_index|.*runtime"
)
"""How the names of statistics begin that do not say how good a text is."""


class _Run(Reader):
    """Run of a file: its name and the model that wrote its texts, by the run_spec.json beside the
    file.

    `scenario` is the run's name without its model, such as "mmlu:subject=philosophy"; '' where
    neither the spec nor the folder has one.
    """

    def __init__(self, source: Source) -> None:
        folder = source.path.resolve().parent
        spec = load_object(source.path.parent / "run_spec.json")
        name = find_text(spec, "name") or ("" if is_scratch(folder) else folder.name)
        self.scenario = MODEL.sub("", name) if MODEL.search(name) else ""
        self.model = source.system_name or find_text(spec, "adapter_spec.model")

    def find_item(self, about: Cells, key: str) -> Entry:
        """Return the item of an instance; a perturbed one is an item of its own."""
        parts = [self.scenario, read_name(about, key)]
        if isinstance(about.get("perturbation"), dict):
            parts.append(find_text(about, "perturbation.name") or "perturbed")
        return {"item": "/".join(filter(None, parts)), "subset": self.scenario}

    def find_instance(self, about: Cells) -> Entry:
        """Return the item of an instance with its input and its references: those that are right,
        or all where none is said to be.
        """
        context = find_text(require_cell(about, "input", dict), "text")
        every = find_objects(about, "references")
        right = [each for each in every if "correct" in (each.get("tags") or ())]
        texts = [find_text(each, "output.text") for each in right or every]
        return {**self.find_item(about, "id"), "context": context, "reference": texts}


class Requests(_Run):
    """`scenario_state.json`: a request a row. Its first completion is the text, or selects an
    option. A training set is a sample.
    """

    def entries(self, number: int, cells: Cells) -> Iterator[Entry]:
        if cells.get("reference_index") is not None:
            raise ValueError("it asks for the likelihood of one option, so it has no text")
        instance, request = (require_cell(cells, name, dict) for name in ("instance", "request"))
        item = {**self.find_instance(instance), "sample": cells.get("train_trial_index") or 0}
        failed = find_value(cells, "result.success") is False
        text = None if failed else as_text(find_value(cells, "result.completions[0].text"))
        if text:
            text = find_object(cells, "output_mapping").get(text.strip(), text)
        system = self.model or read_name(request, "model")
        return graded_text(item, system, text, (), "the request did not succeed")


class Predictions(_Run):
    """`display_predictions.json`: the text of an instance, and its main metrics, each a judge
    for `overall`; or `per_instance_stats.json`: metrics of a text.
    """

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        if not self.model:
            check_system_name(source)

    def entries(self, number: int, cells: Cells) -> Iterator[Entry]:
        about = {"system": self.model, "sample": cells.get("train_trial_index") or 0}
        of_text = {**self.find_item(cells, "instance_id"), **about}
        text = as_text(cells.get("mapped_output")) or as_text(cells.get("predicted_text"))
        yield {"sort": TEXT, **of_text, "text": text}
        stats = cells.get("stats")
        listed = stats.items() if isinstance(stats, dict) else [
            (read_name(require_cell(stat, "name", dict), "name"), stat.get("mean"))
            for stat in require_cell(cells, "stats", list)
        ]  # fmt: skip
        for name, value in listed:
            if not BOOKKEEPING.match(name):
                yield from score_by_metric(of_text, name, value)


class HelmInstances(_Run):
    """`instances.json`: inputs and references, whose texts are in the other files."""

    def entries(self, number: int, cells: Cells) -> Iterator[Entry]:
        yield {"sort": ITEM, **self.find_instance(cells)}


OF_INSTANCES = frozenset(
    ("id", "input", "references", "split", "sub_split", "perturbation", "contaminated_input",
     "extra_data", "all_classes")
)  # fmt: skip


HELM = Layout(
    "helm", "a run of HELM",
    {
        Requests: has_columns("instance", "request", "train_trial_index"),
        Predictions: has_columns("instance_id", "train_trial_index", "stats"),
        HelmInstances: lambda source: (
            {"id", "input", "references"} <= set(source.columns) <= OF_INSTANCES
            and source.path.name.startswith("instances")
        ),
    },
    ("input", "output"), settings=("system_name",), looks_around=True,
)  # fmt: skip
