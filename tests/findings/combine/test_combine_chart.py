"""Votes, judges and both, drawn."""

from __future__ import annotations

import re

import pandas as pd

from core.findings.combine import chart as together


def test_three_estimates_of_each_system_best_first() -> None:
    """A system without an estimate is left out; screen readers are told who is first."""
    rows = pd.DataFrame({"system": ["b", "a", "c"], "combined": [0.6, 0.4, None]})
    for name in ("combined", "human", "judge_only"):
        value = rows["combined"].astype(float)
        rows = rows.assign(**{name: value, f"{name}_low": value - 0.1, f"{name}_high": value + 0.1})
    chart = together.estimates(rows.assign(votes=10, n_effective=12.5), "win-ratio").to_dict()
    (data,) = chart["datasets"].values()
    assert [(row["system"], row["estimate"]) for row in data] == [
        (system, estimate) for estimate in together.ESTIMATES.values() for system in ("b", "a")
    ]
    assert chart["layer"][0]["encoding"]["y"]["sort"] == ["b", "a"]
    assert re.search(r"\b2 systems\b.*\bb first\b", chart["description"])
