"""No interval of a share leaves 0 to 1, and no correlation -1 to 1, in tables of whom to trust."""

from __future__ import annotations

import numpy as np
import pandas as pd

from core.findings import accuracy, agreement
from core.findings.accuracy import AccuracySettings
from core.findings.bias import bias
from core.findings.judgements import Finding, Selection
from core.store import Store
from tests.findings.tables import load

ODDS = {("lengths", ""), ("rows", "threshold_weight_")}
"""Odds and weights have no upper end."""
LOW, HIGH = ("low", "_low"), ("high", "_high")


def study(store: Store, seed: int, lean: float) -> None:
    """Two people and two models, one a system, both orders; the first is chosen this often."""
    rng = np.random.default_rng(seed)
    rows = []
    for item in range(7):
        for pair in (("x", "y"), ("y", "x"), ("x", "gpt"), ("gpt", "x")):
            for judge, kind in (("A", "human"), ("B", "human"), ("gpt", "llm"), ("m", "llm")):
                prob = float(np.clip(rng.beta(4 * lean, 4 * (1 - lean)), 0.001, 0.999))
                tie = rng.random() < 0.1
                rows.append({
                    "item": f"i{item}", "left": pair[0], "right": pair[1], "judge": judge,
                    "kind": kind, "winner": "tie" if tie else "a" if prob > 0.5 else "b",
                    "prob_a": "" if kind == "human" else 0.5 if tie else prob,
                    "text_a": "w" * int(5 + 3 * (len(pair[0]) + item % 3)),
                    "text_b": "w" * int(5 + 3 * (len(pair[1]) + item % 3)),
                })  # fmt: skip
    load(store, rows, f"d{seed}")


def ends(result: Finding) -> dict[tuple[str, str], pd.Series]:
    """Every column that is an end of an interval, by table and name."""
    tables = {"rows": result.rows, **result.tables}
    return {
        (name, str(column)): frame[column].dropna()
        for name, frame in tables.items()
        for column in frame.columns
        if str(column).endswith((*LOW, *HIGH)) and name != "distribution"
    }


def signed(table: str, column: str, result: str) -> bool:
    """Whether these are ends of kappa, alpha or a difference, which may be below 0."""
    plain = column in ("low", "high")
    kappas = result == "agreement" and table in ("rows", "groups", "majority", "alphas")
    return plain and (kappas or table in ("differences", "own"))


def test_intervals_stay_in_their_range(store: Store) -> None:
    for seed, lean in ((1, 0.97), (2, 0.5), (3, 0.04)):
        study(store, seed, lean)
        selection, checked = Selection(f"d{seed}"), 0
        results = {
            "bias": bias(store, selection),
            "agreement": agreement.agreement(store, selection),
            "accuracy": accuracy.accuracy(store, selection, AccuracySettings("human")),
        }
        for result, found in results.items():
            for (table, column), values in ends(found).items():
                if (table, column.removesuffix("low").removesuffix("high")) in ODDS:
                    continue
                least = -1 if signed(table, column, result) else 0
                assert values.between(least, 1).all(), (result, table, column, values.tolist())
                checked += len(values)
        assert checked > 100
