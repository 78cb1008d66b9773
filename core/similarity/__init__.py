"""How alike two texts are."""

from core.similarity.metrics import CONTEXTUAL, METRICS, Bleu, Group, Metric, make_metric
from core.similarity.request import Measured

__all__ = ["CONTEXTUAL", "METRICS", "Bleu", "Group", "Measured", "Metric", "make_metric"]
