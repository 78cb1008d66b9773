"""Measure how well separability predicts consistent preferences, with an upper bound for any
predictor.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ...rendering import list_names
from ...statistics import Codes, Floats, correlation, intervals
from ...statistics import reliability as reliable
from ..judgements import code_families
from .columns import AGAINST, PREDICTION

RESAMPLES = 200
CELL = ["item", "system_a", "system_b"]


@dataclass(frozen=True)
class _PairedItems:
    """Items and pairs of systems: codes of their item and of their pair of systems (in their
    subset), separability, and the mean consistency of their rating sets.
    """

    item: Codes
    pair: Codes
    separability: Floats
    consistency: Floats


def predict(sets: pd.DataFrame, *, seed: int, beside: str = "") -> dict[str, Any]:
    """Predict the `consistency` of rating sets from their `subset` and `separability`: PREDICTION
    over `items` (items and pairs of systems) and `pairs` (two systems on one subset), with `judges`
    a cell on average; with the separability by another metric in the column `beside` also AGAINST.
    """
    known = sets.dropna(subset=["separability", *([beside] if beside else [])])
    if known.empty:
        return dict.fromkeys(
            ["items", "pairs", "judges", *list_names([*PREDICTION, *(AGAINST if beside else ())])]
        )
    cell, first = _code_rows(known[CELL])
    heads = known.iloc[first]
    # Rounded, so that equal means are equal however they were summed up.
    means = known["consistency"].groupby(cell).mean().to_numpy(float).round(9)
    pair, _ = _code_rows(heads[["system_a", "system_b", "subset"]].fillna(""))
    item = pd.factorize(heads["item"])[0]
    family = code_families(heads)
    size = int(family.max()) + 1
    drawn = intervals.resample_counts(size, RESAMPLES, np.random.default_rng(seed))
    counts = drawn[:, code_families(heads.drop_duplicates("item"))]
    found = _ceilings(known["consistency"].to_numpy(float), cell, pair, counts[:, item])
    by = {
        name: _correlate(_PairedItems(item, pair, heads[name].to_numpy(float), means), counts)
        for name in ("separability", *([beside] if beside else []))
    }
    found |= by["separability"]
    if beside:
        other, own = by[beside], by["separability"]
        found["spearman_beside"] = other["spearman"]
        for name, of in (("difference", "spearman"), ("difference_within", "spearman_within")):
            found[name] = (own[of][0] - other[of][0], own[of][1] - other[of][1])
    figures: dict[str, Any] = {"items": len(heads), "pairs": int(pair.max()) + 1}
    figures["judges"] = len(known) / len(heads)
    for name, (value, drawn) in found.items():
        low, high = map(float, intervals.percentiles(drawn, groups=size))
        figures |= {name: float(value), f"{name}_low": low, f"{name}_high": high}
    return figures


def _code_rows(frame: pd.DataFrame) -> tuple[Codes, Codes]:
    """Return each row's code, and the first position of each code."""
    code = np.asarray(frame.groupby(list(frame), sort=False).ngroup(), dtype=np.int64)
    return code, np.asarray(np.unique(code, return_index=True)[1], dtype=np.int64)


def _correlate(cells: _PairedItems, counts: Floats) -> dict[str, tuple[float, Floats]]:
    """spearman and spearman_within, each with what it is on the resamples of the items."""
    whole, *drawn = (
        _correlate_both(
            cells, np.repeat(np.arange(len(cells.item)), times[cells.item].astype(np.int64))
        )
        for times in (np.ones(counts.shape[1]), *counts)
    )
    columns = np.array(drawn).T
    return dict(zip(("spearman", "spearman_within"), zip(whole, columns, strict=True), strict=True))


def _correlate_both(cells: _PairedItems, rows: Codes) -> tuple[float, float]:
    x, y = cells.separability[rows], cells.consistency[rows]
    within = correlation.correlate_by_item(cells.pair[rows], x, y).spearman
    return correlation.spearman(x, y), within


def _ceilings(
    values: Floats, cell: Codes, pair: Codes, counts: Floats
) -> dict[str, tuple[float, Floats]]:
    """ceiling and ceiling_within, each with what it is on resamples (B, cells)."""
    found = {}
    for name, group in (("ceiling", None), ("ceiling_within", pair)):
        whole, drawn = (
            reliable.ceiling(reliable.reliability(values, cell, group=group, weights=weights))
            for weights in (None, counts)
        )
        found[name] = (float(whole), drawn)
    return found
