"""How far the best of several judges is ahead, held against scipy."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import ttest_1samp

from core.findings.judgements.judge_differences import compare_to_best


def test_intervals_are_paired_t_tests_for_all_pairs_of_judges() -> None:
    """Bonferroni: 95% of two judges, and 1 - 5% / 6 each of four."""
    compare(2)
    compare(4)


def compare(judges: int) -> None:
    points = np.random.default_rng(3).integers(0, 2, (judges, 30)).astype(float)
    judge, item = np.indices(points.shape).reshape(2, -1)
    about = {"attribute": "", "item": item, "family": item, "candidate_1": 0, "candidate_2": 1}
    frame = pd.DataFrame({"judge": judge, "right": points.ravel(), **about})
    rows = compare_to_best(frame, "right")
    best = int(points.mean(axis=1).argmax())
    level = 1 - 0.05 / (judges * (judges - 1) / 2)
    assert len(rows) == judges - 1
    for row in rows.to_dict("records"):
        assert int(row["judge_1"]) == best
        apart = points[best] - points[int(row["judge_2"])]
        theirs = ttest_1samp(apart, 0).confidence_interval(level)
        assert (row["low"], row["high"]) == pytest.approx((theirs.low, theirs.high))
