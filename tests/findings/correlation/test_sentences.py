"""What the Correlation page says first."""

from __future__ import annotations

import pandas as pd
import pytest

from core.findings.correlation import describe_correlation
from core.findings.judgements import Finding


@pytest.mark.parametrize(("spearman", "follows"), [(0.29, "hardly follows"), (0.3, "follows")])
def test_who_hardly_correlates_does_not_follow(spearman: float, follows: str) -> None:
    row = {
        "judge": "m", "kind": "llm", "attribute": "q", "of": "scores", "spearman": spearman,
        "spearman_low": 0.2, "spearman_high": 0.4, "n": 50, "judgements": 0,
    }  # fmt: skip
    nobody = pd.DataFrame(columns=["attribute", "judge_1", "judge_2", "items", "difference", "low"])
    facts = {"level": "item", "against": "human"}
    result = Finding(pd.DataFrame([row]), "", 0, facts=facts, tables={"differences": nobody})
    said = describe_correlation(result)
    assert said.startswith(f"m {follows} the scores by people. Its Spearman correlation is 0.")
    assert ("from 0.3 on" in said) is (spearman < 0.3)
