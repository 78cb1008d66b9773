"""Separability, as a report says it: which systems can be told apart, where that was measured."""

from __future__ import annotations

from collections.abc import Iterator

from core.findings.separability import (
    Separability,
    Settings,
    columns,
    compare_pairs,
    describe_items,
    sentences,
    separability,
)
from core.reporting.material import Material
from core.reporting.parts import Section, lay_table, pictures
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
    items, pairs = describe_items(result), compare_pairs(result.rows)
    return Section(
        "Separability",
        sentences.summarise_items(items.rows),
        pictures("separability", items),
        [lay_table("separability", f"Separability by {metric}.", pairs, columns.PAIRS)],
        result.notes,
        [result.signature],
        {"separability": result.document()},
    )
