"""Requests for similarities: the generations to compare, and the metric."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..models.local import PRECISIONS
from ..settings import declare
from ..store import ChosenGenerations, RunRow
from .metric import Metric
from .metrics import make_metric


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
        "fp32",
        "bf16 is faster on AMX and GPUs",
        label="Precision",
        more="bf16 is faster on GPUs and on CPUs with AMX.",
        choices=PRECISIONS,
    )

    def settings(self) -> dict[str, Any]:
        """Return the settings that a run is known by."""
        own = {"metric": self.metric, "encoder": self.encoder, "precision": self.precision}
        return {
            **own,
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
