"""What a perfect judge would reach, against mean squares by hand."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import numpy as np
import pandas as pd
import pytest

from core.findings import correlation
from core.findings.correlation import Level, Reference
from core.findings.correlation.figures import compute_ceilings
from core.findings.judgements import Selection
from core.importing import importer
from core.records import Dataset
from core.store import Store

ITEMS, SYSTEMS, RATERS = 12, 5, 3
RNG = np.random.default_rng(21)
MARKS = RNG.normal(size=(ITEMS, SYSTEMS, 1)) + RNG.normal(size=(ITEMS, SYSTEMS, RATERS))


@pytest.fixture
def rated(store: Store, tmp_path: Path) -> Store:
    """Three raters of 12 items x 5 systems, and a metric that says what the first of them does."""
    rows = [
        {"item": f"i{i}", "system": f"s{k}", "text": f"{i} by {k}"}
        | {f"score:r-{n}:q": MARKS[i, k, n] for n in range(RATERS)}
        | {"score:metric:q": MARKS[i, k, 0]}
        for i in range(ITEMS)
        for k in range(SYSTEMS)
    ]
    pd.DataFrame(rows).to_csv(tmp_path / "t.csv", index=False)
    assert importer.load(store, [tmp_path / "t.csv"], Dataset("d")).skipped == []
    return store


def by_hand(level: str) -> float:
    """The root of the reliability, from mean squares between and within texts."""
    means = MARKS.mean(axis=2)
    within = ((MARKS - means[:, :, None]) ** 2).sum() / (ITEMS * SYSTEMS * (RATERS - 1))
    if level == "system":
        error = within / (RATERS * ITEMS)
        return float(np.sqrt(max(1 - error / means.mean(axis=0).var(ddof=1), 0)))
    centre, free = means.mean(), ITEMS * SYSTEMS - 1
    if level == "item":
        centre, free = means.mean(axis=1, keepdims=True), ITEMS * (SYSTEMS - 1)
    between = RATERS * ((means - centre) ** 2).sum() / free
    return float(np.sqrt((between - within) / between))


def test_it_is_the_root_of_the_reliability(rated: Store) -> None:
    """It stands beside the correlations. One rater says nothing of others."""
    selection = Selection("d")
    for level in get_args(Level):
        found = compute_ceilings(rated, selection, Reference("r", level)).loc["q"]
        assert found["ceiling"] == pytest.approx(by_hand(level)), level
        assert 0 <= found["ceiling_low"] < found["ceiling"] < found["ceiling_high"] <= 1, level
    reference = Reference("r", "item")
    for result in (
        correlation.correlate_all(rated, selection, reference),
        correlation.correlate(rated, selection, reference, scores="metric"),
    ):
        assert result.rows["ceiling"].to_numpy() == pytest.approx(by_hand("item"))
    alone = correlation.correlate_all(rated, selection, Reference("r-1", "item", bootstrap=0))
    assert alone.rows["ceiling"].isna().all()
