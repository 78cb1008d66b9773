"""The registry of metrics: `make_metric("bertscore")` and `metric.measure(groups)`. To add one,
write its file and name it here.
"""

from __future__ import annotations

from ..records import TandemError
from .bleu import BLEU
from .contextual import BERTSCORE, BERTSCORE_LENGTH, COSINE
from .ensemble import ENSEMBLE
from .entity import ENTITY
from .length import LENGTH
from .metric import DeclaredMetric, Metric
from .rouge import ROUGE1

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
