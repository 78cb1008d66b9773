"""Two judges on the same items."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import ttest_rel

from core.findings.judgements.paired import ahead


def rows(right: dict[str, list[float]], attribute: str = "q") -> pd.DataFrame:
    return pd.DataFrame(
        [
            (judge, attribute, f"i{n}", f"i{n}", 2 * n, 2 * n + 1, value)
            for judge, values in right.items()
            for n, value in enumerate(values)
            if not np.isnan(value)
        ],
        columns=["judge", "attribute", "item", "family", "candidate_1", "candidate_2", "right"],
    )


def test_it_is_the_paired_t_test_where_items_have_one_pair() -> None:
    rng = np.random.default_rng(3)
    hard = rng.random(40)
    one, other = ((rng.random(40) > hard * scale).astype(float) for scale in (0.8, 1.1))
    (found,) = ahead(rows({"one": one.tolist(), "other": other.tolist()}), "right").itertuples()
    theirs = ttest_rel(one, other).confidence_interval()
    assert (found.judge_1, found.judge_2, found.pairs, found.items) == ("one", "other", 40, 40)
    assert found.difference == pytest.approx(one.mean() - other.mean())
    assert (found.low, found.high) == pytest.approx((theirs.low, theirs.high))


def test_only_what_both_have_answered_is_compared() -> None:
    """b is right on what a has not answered; on the two of both, a is right once, b never."""
    nan = np.nan
    found = ahead(rows({"a": [1, 0, nan, nan, nan], "b": [0, 0, 1, 0, 0]}), "right")
    assert found[["judge_1", "judge_2", "pairs", "difference"]].to_numpy().tolist() == [
        ["a", "b", 2, 0.5]
    ]
    alone = ahead(rows({"a": [1, nan], "b": [nan, 0]}), "right")
    assert alone.empty


def test_answers_in_both_orders_are_one() -> None:
    twice = pd.concat([rows({"a": [1, 1], "b": [0, 1]}), rows({"a": [0, 1], "b": [0, 1]})])
    (found,) = ahead(twice, "right").itertuples()
    assert (found.pairs, found.difference) == (2, 0.25)
