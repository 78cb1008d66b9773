"""Section of a report on separability: which systems are distinguishable, where that was
measured.
"""

from __future__ import annotations

from collections.abc import Iterator

from core.findings.separability import (
    Separability,
    columns,
    compare_pairs,
    describe_items,
    sentences,
)
from core.reporting.material import Material
from core.reporting.parts import Section, lay_table, pictures
from core.similarity import METRICS, make_metric


def report_separability(material: Material) -> Iterator[Section]:
    """Yield a section on separability by the metric chosen, else by the first one measured here, as
    the pages do.
    """
    similarities = material.store.similarities
    keys = {name: make_metric(name).signatures[name] for name in METRICS}
    measured = [name for name, key in keys.items() if similarities.has_any(key, material.dataset)]
    metric = material.get_chosen("separability").get("metric") or next(iter(measured), "")
    if not metric:
        return
    result = material.find("separability", metric=metric)
    assert isinstance(result, Separability)
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
        "separability",
    )
