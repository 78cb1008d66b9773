"""Similarity of two texts."""

from core.similarity.bleu import Bleu
from core.similarity.metric import DeclaredMetric, Group, Metric, MetricPace
from core.similarity.metrics import METRICS, make_metric
from core.similarity.request import MeasurementRequest

__all__ = [
    "METRICS",
    "Bleu",
    "DeclaredMetric",
    "Group",
    "MeasurementRequest",
    "Metric",
    "MetricPace",
    "make_metric",
]
