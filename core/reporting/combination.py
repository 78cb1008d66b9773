"""Section of a report on people and judges together: who is better, who may replace an annotator,
and how many more votes the combined estimate needs.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..findings.judgements import JUDGING, TRUTH, fill_sides, list_comparers
from .material import Material
from .parts import Section, lay_table, pictures
from .trust import build_section


def report_combination(material: Material) -> Iterator[Section]:
    """Yield a section on people's votes and the answers of models combined."""
    if _has_both(material):
        result = material.find("combine")
        caption = "Systems by votes, by judges, and by both."
        tables = [lay_table("together", caption, result.rows, result.columns)]
        yield build_section("combine", result, tables, pictures("together", result), "together")


def report_replacement(material: Material) -> Iterator[Section]:
    """Yield a section on whether a judge may replace an annotator."""
    if _has_both(material):
        result = material.find("replacement")
        caption = "The alternative annotator test of each judge."
        tables = [lay_table("replacement", caption, result.rows, result.columns)]
        yield build_section("replacement", result, tables)


def report_plan(material: Material) -> Iterator[Section]:
    """Yield a section on how many more votes the combined estimate needs."""
    if _has_both(material):
        result = material.find("plan")
        charts = pictures("plan", result) if result.facts["now"] < 1 else []
        yield build_section("plan", result, [], charts)


def _has_both(material: Material) -> bool:
    """Return whether there are votes or scores, and answers of judges to hold against them."""
    if material.selection.judges:
        return all(set(side) & set(material.kinds) for side in (TRUTH, JUDGING))
    every = list_comparers(material.store, material.dataset)
    selection, people = fill_sides(material.store, material.selection)
    sides = (every[["judge", "kind"]].isin(names) for names in (people, selection.judges))
    return all(bool(side.any(axis=None)) for side in sides)
