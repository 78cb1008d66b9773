"""What has been measured of a data set's texts."""

from __future__ import annotations

from core.similarity import METRICS, make_metric
from pages.components.shared.frame import Study, ways_on
from pages.components.shared.notice import notice


def first_measured(study: Study) -> str:
    """The first metric of which there are similarities; '' where there are none."""
    keys = {metric: make_metric(metric).signatures[metric] for metric in METRICS}
    measured = (
        metric for metric, key in keys.items() if study.store.similarities.any(key, study.dataset)
    )
    return next(measured, "")


def lacks_texts(study: Study, needs: str) -> bool:
    """Whether none of the data set's texts is there; if so, says whom that stops, such as "A judge
    reads texts", and what works.
    """
    if not study.store.datasets.lacks_texts(study.dataset):
        return False
    notice(f"{needs}, and {study.dataset} holds votes without theirs. Import the texts first.")
    ways_on(data="Import texts", leaderboard="See the leaderboard")
    return True
