"""Readers of a run of HELM: the texts of `scenario_state.json` or `display_predictions.json`, the
metrics of `per_instance_stats.json`, and the inputs of `instances.json`.

Layout: stanford-crfm/helm, src/helm/benchmark/runner.py (file names),
adaptation/request_state.py (RequestState), metrics/metric.py (PerInstanceStats) and
presentation/schema of DisplayPrediction.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from core.importing.cells import Cells, as_text, as_whole, named, required
from core.importing.graded_texts import check_system_name
from core.importing.layout import Dropped, Layout, Record, Source, has, marks, system_of
from core.importing.text_encoding import open_text
from core.records import Generation, Item, Kind, Score, TandemError
from core.scratch import is_scratch

RUN_SPEC = "run_spec.json"
MODEL = re.compile(r"(?:^|[:,])model=[^,]+|(?:^|[:,])model_deployment=[^,]+")
BOOKKEEPING = re.compile(
    r"num_|max_|inference_|finish_reason|batch_size|training_|estimated_|prompt_truncated|"
    r"logprob|perplexity|bits_per_byte|predicted_index|.*runtime"
)
"""How the names of statistics begin that do not say how good a text is."""


@dataclass
class Run:
    """What a file's run is called, and whose texts it has."""

    source: Source

    @cached_property
    def spec(self) -> Mapping[str, Any]:
        """The run_spec.json beside the file; empty where there is none."""
        path = self.source.path.parent / RUN_SPEC
        with suppress(OSError, ValueError, TandemError, RecursionError), open_text(path) as stream:
            spec = json.load(stream)
            return spec if isinstance(spec, dict) else {}
        return {}

    @cached_property
    def scenario(self) -> str:
        """The run's name without its model, such as "mmlu:subject=philosophy"; '' where neither the
        spec nor the folder has one.
        """
        folder = self.source.path.resolve().parent
        name = as_text(self.spec.get("name")) or ("" if is_scratch(folder) else folder.name)
        return MODEL.sub("", name) if MODEL.search(name) else ""

    @cached_property
    def model(self) -> str:
        """The model, as it was named for the file, else as the spec has it."""
        adapter = self.spec.get("adapter_spec")
        named = as_text(adapter.get("model")) if isinstance(adapter, dict) else ""
        return self.source.system_name or named or ""

    def item(self, about: Cells, key: str, context: str = "", references: Any = ()) -> Item:
        """The item of an instance; a perturbed one is an item of its own."""
        perturbed = about.get("perturbation")
        parts = [self.scenario, named(about, key)]
        if isinstance(perturbed, dict):
            parts.append(as_text(perturbed.get("name")) or "perturbed")
        return Item("/".join(filter(None, parts)), context, references, self.scenario)


class _Reader:
    def __init__(self, source: Source) -> None:
        self.source, self.run = source, Run(source)

    def texts(self, item: Item, model: str, cells: Cells, text: str | None) -> Iterator[Record]:
        yield item
        yield system_of(model)
        yield Generation(item.key, model, _trial(cells), text)


class Requests(_Reader):
    """`scenario_state.json`: a request a row, whose first completion is the text, or the option it
    stands for. A training set is a sample.
    """

    def records(self, number: int, cells: Cells) -> Iterator[Record]:
        if cells.get("reference_index") is not None:
            raise ValueError("it asks for the likelihood of one option, so it has no text")
        instance, request = (required(cells, name, dict) for name in ("instance", "request"))
        model = self.run.model or named(request, "model")
        item = self.run.item(instance, "id", _input(instance), _references(instance))
        text = _completion(cells)
        yield from self.texts(item, model, cells, text)
        if text is None:
            yield Dropped(f"item {item.key!r}: the request did not succeed, so it has no text")


class Predictions(_Reader):
    """`display_predictions.json`: the text of an instance, and its main metrics."""

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        if not self.run.model:
            check_system_name(source)

    def records(self, number: int, cells: Cells) -> Iterator[Record]:
        item, model = self.run.item(cells, "instance_id"), self.run.model
        text = as_text(cells.get("mapped_output")) or as_text(cells.get("predicted_text"))
        yield from self.texts(item, model, cells, text)
        stats = cells.get("stats")
        for name, value in stats.items() if isinstance(stats, dict) else ():
            yield from _mark(self.source, item, model, cells, name, value)


class Statistics(Predictions):
    """`per_instance_stats.json`: metrics of a text, each a rater for `overall`."""

    def records(self, number: int, cells: Cells) -> Iterator[Record]:
        item, model = self.run.item(cells, "instance_id"), self.run.model
        yield from self.texts(item, model, cells, None)
        for stat in required(cells, "stats", list):
            about = required(stat, "name", dict)
            yield from _mark(
                self.source, item, model, cells, named(about, "name"), stat.get("mean")
            )


class Instances(_Reader):
    """`instances.json`: inputs and references, whose texts are in the other files."""

    def records(self, number: int, cells: Cells) -> Iterator[Record]:
        yield self.run.item(cells, "id", _input(cells), _references(cells))


def _mark(
    source: Source, item: Item, model: str, cells: Cells, metric: str, value: object
) -> Iterator[Record]:
    if BOOKKEEPING.match(metric):
        return
    score = Score(item.key, model, "overall", metric, sample=_trial(cells), kind=Kind.BASELINE)
    yield from marks(source, score, value)


def _trial(cells: Cells) -> int:
    return as_whole(cells.get("train_trial_index") or 0, "train_trial_index")


def _input(instance: Cells) -> str:
    return as_text(required(instance, "input", dict).get("text")) or ""


def _references(instance: Cells) -> tuple[str, ...]:
    """The references that are right, or all where none is said to be."""
    given = instance.get("references")
    every = [each for each in given if isinstance(each, dict)] if isinstance(given, list) else []
    right = [each for each in every if "correct" in (each.get("tags") or ())]
    outputs = [each.get("output") for each in right or every]
    return tuple(
        text for output in outputs if isinstance(output, dict)
        if (text := as_text(output.get("text")))
    )  # fmt: skip


def _completion(cells: Cells) -> str | None:
    """What the model wrote, as the option it stands for where options have letters."""
    result = cells.get("result")
    if not isinstance(result, dict) or result.get("success") is False:
        return None
    completions = result.get("completions")
    first = completions[0] if isinstance(completions, list) and completions else None
    text = as_text(first.get("text")) if isinstance(first, dict) else None
    options = cells.get("output_mapping")
    return options.get(text.strip(), text) if text and isinstance(options, dict) else text


OF_INSTANCES = frozenset(
    ("id", "input", "references", "split", "sub_split", "perturbation", "contaminated_input",
     "extra_data", "all_classes")
)  # fmt: skip


def _of_instances(source: Source) -> bool:
    columns, name = set(source.columns), source.path.name
    return {"id", "input", "references"} <= columns <= OF_INSTANCES and name.startswith("instances")


LAYOUT = Layout(
    "helm",
    "a run of HELM",
    {
        Requests: has("instance", "request", "train_trial_index"),
        Predictions: has("instance_id", "train_trial_index", "predicted_text"),
        Statistics: has("instance_id", "train_trial_index", "stats"),
        Instances: _of_instances,
    },
    ("input", "output"),
    settings=("system_name",),
)
