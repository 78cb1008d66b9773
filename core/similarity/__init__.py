"""Similarity of two texts."""

from .bleu import Bleu
from .metric import DeclaredMetric, Group, Metric, MetricPace
from .metrics import METRICS, make_metric
from .request import MeasurementRequest

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
