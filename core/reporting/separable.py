"""Separability, as a report says it: which systems can be told apart, where that was measured."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pandas as pd

from core.charts import BOUNDS
from core.findings.separability import Separability, Settings, separability
from core.reporting import cells, sentences
from core.reporting.material import Material
from core.reporting.parts import Section, figure, pictures, table
from core.similarity import METRICS, make_metric


def separabilities(material: Material) -> Iterator[Section]:
    """By the first metric that has been measured here, which is the one the pages open with."""
    similarities = material.store.similarities
    keys = {name: make_metric(name).signatures[name] for name in METRICS}
    measured = [name for name, key in keys.items() if similarities.any(key, material.dataset)]
    if not measured:
        return
    result = separability(material.store, material.selection, Settings(measured[0]))
    if result.rows["separability"].notna().any():
        yield _section(result)


def _section(result: Separability) -> Section:
    metric = METRICS[str(result.facts["metric"])].label
    low, high = BOUNDS
    rows = result.rows.assign(pair=result.rows["system_a"] + " / " + result.rows["system_b"])
    pairs = table("separability", f"Separability by {metric}.", by_pair(rows), {
        "System": "system_a", "and": "system_b",
        "Items": figure(cells.count, "items"),
        "Mean separability": figure(cells.decimal, "mean"),
        f"Items below {low}": figure(cells.percent, "below"),
        f"Items above {high}": figure(cells.percent, "above"),
    })  # fmt: skip
    return Section(
        "Separability",
        sentences.separability(replace(result, rows=rows)),
        pictures("separability", replace(result, rows=rows)),
        [pairs],
        result.notes,
        [result.signature],
        {"separability": result.document()},
    )


def by_pair(rows: pd.DataFrame) -> pd.DataFrame:
    """system_a, system_b, items, mean, below and above (shares of the items beyond BOUNDS), of
    rows with a separability; the pair that is told apart best first.
    """
    known = rows.dropna(subset="separability")
    low, high = BOUNDS
    known = known.assign(below=known["separability"] < low, above=known["separability"] > high)
    groups = known.groupby(["system_a", "system_b"], sort=False)
    return (
        groups.agg(
            items=("separability", "size"),
            mean=("separability", "mean"),
            below=("below", "mean"),
            above=("above", "mean"),
        )
        .sort_values("mean", ascending=False)
        .reset_index()
    )
