"""Separability: how distinguishable two systems are on an item, and its uses."""

from . import applications, columns, consistency
from .applications import likeness
from .compute import check_pair, compare_pairs, describe_items, separabilities, separability
from .settings import (
    Binning,
    Settings,
    choose_metric,
    label_metrics,
    list_measured,
    list_preferred,
    request_similarities,
)
