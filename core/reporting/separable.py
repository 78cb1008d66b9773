"""Section of a report on separability: which systems are distinguishable, where that was
measured.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..catalogue import FINDINGS
from ..findings.separability import (
    Separability,
    choose_metric,
    columns,
    compare_pairs,
    describe_items,
)
from ..similarity import METRICS
from .material import Material
from .parts import Section, lay_table, pictures


def report_separability(material: Material) -> Iterator[Section]:
    """Yield a section on separability; nothing if no similarity is measured here."""
    chosen = material.get_chosen("separability").get("metric")
    if not chosen and not choose_metric(material.store, material.dataset):
        return
    result = material.find("separability")
    assert isinstance(result, Separability)
    if result.rows["separability"].notna().any():
        yield _section(result)


def _section(result: Separability) -> Section:
    metric = METRICS[str(result.facts["metric"])].label
    items, pairs = describe_items(result), compare_pairs(result.rows)
    return Section(
        "Separability",
        FINDINGS["separability"].describe_lead(result),
        pictures("separability", items),
        [lay_table("separability", f"Separability by {metric}.", pairs, columns.PAIRS)],
        result.notes,
        [result.signature],
        {"separability": result.document()},
        "separability",
    )
