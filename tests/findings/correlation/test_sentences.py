"""What the Correlation page says first."""

from __future__ import annotations

import pandas as pd

from core.findings.correlation import describe_correlation
from core.findings.judgements import Finding


def test_who_hardly_correlates_does_not_follow() -> None:
    row = {
        "judge": "m", "kind": "llm", "attribute": "q", "of": "scores", "spearman_low": 0.2,
        "spearman_high": 0.4, "n": 50, "judgements": 0,
    }  # fmt: skip
    nobody = pd.DataFrame(columns=["attribute", "judge_1", "judge_2", "items", "difference", "low"])
    facts = {"level": "item", "against": "human"}
    for spearman, follows in ((0.29, "hardly follows"), (0.3, "follows")):
        rows = pd.DataFrame([row | {"spearman": spearman}])
        result = Finding(rows, "", 0, facts=facts, tables={"differences": nobody})
        said = describe_correlation(result)
        assert said.startswith(f"m {follows} ")
        assert ("from 0.3 on" in said) is (spearman < 0.3)
