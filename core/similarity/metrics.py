"""The registry of metrics: `make_metric("bertscore")` and `metric.measure(groups)`. To add one,
write its file and name it here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import chain
from typing import Any

import numpy as np

from ..models.local import PRECISIONS, default_precision
from ..records import TandemError
from ..settings import declare
from ..statistics import Floats
from ..store import ChosenGenerations, RunRow
from .contextual import BERTSCORE, BERTSCORE_LENGTH, COSINE, Contextual
from .metric import DeclaredMetric, Group, Metric, MetricPace
from .named_entities import ENTITY, Entity
from .words import BLEU, LENGTH, ROUGE1, Bleu, Length, Rouge1

MEMBERS = ("bertscore", "cosine", "rouge1", "bleu", "entity", "length")
"""One of each kind; `bertscore-length` is made of two of them."""


class Ensemble:
    """The mean of the MEMBERS' similarities. Nothing is fitted, so it needs no labels.

    Separability by it orders items by their mean rank over the members
    (core/findings/separability/compute.py).
    """

    name = "ensemble"
    breadth = 1

    def __init__(self, encoder: str = "", precision: str = "") -> None:
        contextual = Contextual("bertscore", encoder, precision)
        self._metrics: tuple[Metric, ...] = (contextual, Rouge1(), Bleu(), Entity(), Length())

    @property
    def signatures(self) -> Mapping[str, str]:
        """Name of a metric -> its signature; the ensemble's digests those of its members."""
        signatures = (metric.signatures.items() for metric in self._metrics)
        every = dict(chain.from_iterable(signatures))
        # Their signatures are long, and are written beside every value.
        measured = sha256("\n".join(every[name] for name in MEMBERS).encode()).hexdigest()[:12]
        return {**every, self.name: f"ensemble|{'+'.join(MEMBERS)}|as:{measured}"}

    def load(self) -> None:
        """Load the metrics of all members."""
        for metric in self._metrics:
            metric.load()

    def measure(self, groups: Sequence[Group]) -> list[dict[str, Floats]]:
        """Compute all members' similarities of the pairs of each group, and their mean.

        The mean is 1 for two blank texts, and 0 if one text is blank.
        """
        by_metric = [metric.measure(groups) for metric in self._metrics]
        measured = []
        for group, *found in zip(groups, *by_metric, strict=True):
            values = {name: column for one in found for name, column in one.items()}
            blank = np.array([not text.strip() for text in group.texts], dtype=bool)
            first, second = blank[group.first], blank[group.second]
            mean = np.mean([values[name] for name in MEMBERS], axis=0)
            values[self.name] = np.where(first | second, (first & second).astype(float), mean)
            measured.append(values)
        return measured


ENSEMBLE = DeclaredMetric(
    "ensemble",
    "all of these together",
    "items in the order of their mean rank by meaning, words, phrases, names and length",
    Ensemble,
    MetricPace(load=8.0, characters=15_000, pairs=6_000),
    ("encoder", "precision"),
    MEMBERS,
)

METRICS: dict[str, DeclaredMetric] = {
    metric.name: metric
    for metric in (BERTSCORE, BERTSCORE_LENGTH, COSINE, ROUGE1, BLEU, ENTITY, LENGTH, ENSEMBLE)
}


def make_metric(name: str, *, encoder: str = "", precision: str = "") -> Metric:
    """Return the metric of that name.

    Cheap: models load on `load`. Raises TandemError naming what exists.
    """
    if name not in METRICS:
        raise TandemError(f"unknown metric {name!r}; there are {', '.join(METRICS)}")
    metric = METRICS[name].make(encoder, precision)
    if encoder and "encoder" not in METRICS[name].takes:
        raise TandemError(f"the metric {name} has no encoder: leave out {encoder!r}")
    return metric


@dataclass(frozen=True)
class MeasurementRequest:
    """A request to measure all pairs of the chosen generations of an item.

    The pairs are within systems and across them.
    """

    chosen: ChosenGenerations
    metric: str = declare("bertscore-length", "similarity metric", label="Similarity metric")
    encoder: str = declare(
        "",
        "a model by name or folder (default: MiniLM)",
        label="Encoder",
        more="The name of a Hugging Face model, or a folder.",
        metavar="NAME",
    )
    precision: str = declare(
        "",
        "of the encoder (default: as measured before, else bf16 on a GPU, fp32 on a CPU)",
        label="Precision",
        more="Left open: as measured before, else bf16 on a GPU and fp32 on a CPU.",
        choices={"": "as suits this machine", **{name: name for name in PRECISIONS}},
    )

    def settings(self) -> dict[str, Any]:
        """Return the settings that a run is known by."""
        suits = default_precision() if "precision" in METRICS[self.metric].takes else "fp32"
        return {
            "metric": self.metric,
            "encoder": self.encoder,
            "precision": self.precision or suits,
            "systems": self.chosen.systems,
            "subset": self.chosen.subset,
            "samples": self.chosen.samples,
        }

    @classmethod
    def from_run(cls, run: RunRow) -> MeasurementRequest:
        """Build the request of a run from its settings."""
        values = dict(run.settings)
        own = {name: values.pop(name) for name in ("metric", "encoder", "precision")}
        return cls(
            ChosenGenerations(
                run.dataset, tuple(values["systems"]), values["subset"], values["samples"]
            ),
            **own,
        )

    def make(self) -> Metric:
        """Make the metric of the request."""
        return make_metric(self.metric, encoder=self.encoder, precision=self.precision)
