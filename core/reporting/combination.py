"""Section of a report on people and judges together: who is better, who may replace an annotator,
and how many more votes the combined estimate needs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from core.findings.judgements import Selection
from core.records import Kind
from core.reporting.material import Material
from core.reporting.parts import Section, lay_table, pictures
from core.reporting.trust import build_section

Votes = tuple[str, ...]


def report_combination(material: Material) -> Iterator[Section]:
    """Yield a section on people's votes and the answers of models combined."""
    for selection, people in _choose_both(material):
        result = material.find("combine", selection, people=people)
        caption = "Systems by votes, by judges, and by both."
        tables = [lay_table("together", caption, result.rows, result.columns)]
        yield build_section("combine", result, tables, pictures("together", result), "together")


def report_replacement(material: Material) -> Iterator[Section]:
    """Yield a section on whether a judge may replace an annotator."""
    for selection, people in _choose_both(material):
        result = material.find("replacement", selection, people=people)
        caption = "The alternative annotator test of each judge."
        tables = [lay_table("replacement", caption, result.rows, result.columns)]
        yield build_section("replacement", result, tables)


def report_plan(material: Material) -> Iterator[Section]:
    """Yield a section on how many more votes the combined estimate needs."""
    for selection, people in _choose_both(material):
        result = material.find("plan", selection, people=people)
        charts = pictures("plan", result) if result.facts["now"] < 1 else []
        yield build_section("plan", result, [], charts)


def _choose_both(material: Material) -> Iterator[tuple[Selection, Votes]]:
    """The models that are meant, and whose votes they are held against; nothing where either is
    missing.
    """
    if not {Kind.HUMAN, Kind.LLM} <= set(material.kinds):
        return
    models = material.judges[material.judges["kind"] == Kind.LLM]
    people = material.judges[material.judges["kind"] == Kind.HUMAN]
    named = bool(material.selection.judges)
    judges = tuple(models["judge"].unique()) if named else (Kind.LLM.value,)
    votes = tuple(people["judge"].unique()) if named else (Kind.HUMAN.value,)
    yield replace(material.selection, judges=judges), votes
