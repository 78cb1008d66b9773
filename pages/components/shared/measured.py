"""What has been measured of a data set's texts."""

from __future__ import annotations

from core.similarity import METRICS, make_metric
from pages.components.shared.frame import Study


def first_measured(study: Study) -> str:
    """The first metric of which there are similarities; '' where there are none."""
    keys = {metric: make_metric(metric).signatures[metric] for metric in METRICS}
    measured = (
        metric for metric, key in keys.items() if study.store.similarities.any(key, study.dataset)
    )
    return next(measured, "")
