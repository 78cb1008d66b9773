"""Similarity of two texts."""

from core.similarity.bleu import Bleu
from core.similarity.metric import Declared, Group, Metric, MetricPace
from core.similarity.metrics import METRICS, make_metric
from core.similarity.request import Measured

__all__ = [
    "METRICS",
    "Bleu",
    "Declared",
    "Group",
    "Measured",
    "Metric",
    "MetricPace",
    "make_metric",
]
