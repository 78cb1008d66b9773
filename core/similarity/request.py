"""Requests for similarities: the generations to compare, and the metric."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..models.local import PRECISIONS, default_precision
from ..settings import declare
from ..store import ChosenGenerations, RunRow
from .metric import Metric
from .metrics import METRICS, make_metric


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
