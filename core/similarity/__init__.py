"""Similarity of two texts."""

from ..models.local import PRECISIONS, default_precision
from .metric import DeclaredMetric, Group, Metric, MetricPace
from .metrics import METRICS, MeasurementRequest, make_metric
from .words import Bleu
