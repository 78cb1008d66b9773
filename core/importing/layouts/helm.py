"""Readers of a run of HELM: the texts of `scenario_state.json` or `display_predictions.json`, the
metrics of `per_instance_stats.json`, and the inputs of `instances.json`.

Layout: stanford-crfm/helm, src/helm/benchmark/runner.py (file names),
adaptation/request_state.py (RequestState), metrics/metric.py (PerInstanceStats) and
presentation/schema of DisplayPrediction.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...scratch import is_scratch
from ..cells import Cells, as_text, read_name, require_cell
from ..entry import ITEM, TEXT, Entry
from ..graded_texts import check_system_name, graded_text
from ..layout import Layout, Reader, Source, has_columns
from ..raters import score_by_metric
from ..values import find_object, find_objects, find_text, find_value, load_object

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
        for name, value in _list_stats(cells):
            if not BOOKKEEPING.match(name):
                yield from score_by_metric(of_text, name, value)


class HelmInstances(_Run):
    """`instances.json`: inputs and references, whose texts are in the other files."""

    def entries(self, number: int, cells: Cells) -> Iterator[Entry]:
        yield {"sort": ITEM, **self.find_instance(cells)}


def _list_stats(cells: Cells) -> Iterator[tuple[str, object]]:
    if isinstance(stats := cells.get("stats"), dict):
        yield from stats.items()
        return
    for stat in require_cell(cells, "stats", list):
        yield read_name(require_cell(stat, "name", dict), "name"), stat.get("mean")


OF_INSTANCES = frozenset(
    ("id", "input", "references", "split", "sub_split", "perturbation", "contaminated_input",
     "extra_data", "all_classes")
)  # fmt: skip


def _is_instances(source: Source) -> bool:
    columns, name = set(source.columns), source.path.name
    return {"id", "input", "references"} <= columns <= OF_INSTANCES and name.startswith("instances")


LAYOUT = Layout(
    "helm", "a run of HELM",
    {
        Requests: has_columns("instance", "request", "train_trial_index"),
        Predictions: has_columns("instance_id", "train_trial_index", "stats"),
        HelmInstances: _is_instances,
    },
    ("input", "output"), settings=("system_name",), looks_around=True,
)  # fmt: skip
