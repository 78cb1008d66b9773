"""Similarity of two texts."""

from ..models.local import PRECISIONS, default_precision
from .bleu import Bleu
from .metric import DeclaredMetric, Group, Metric, MetricPace
from .metrics import METRICS, make_metric
from .request import MeasurementRequest
