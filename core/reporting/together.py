"""People and judges together, as a report says it: who is better, who may replace an annotator, and
how many more votes settle the ranks.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from core.findings.combine import CombineSettings, combine
from core.findings.judgements import Finding, Selection
from core.findings.plan import PlanSettings, plan
from core.findings.replacement import ReplaceSettings, replacement
from core.records import Kind
from core.reporting.material import Material
from core.reporting.parts import Section, lay_table, pictures
from core.reporting.trust import section


def together(material: Material) -> Iterator[Section]:
    """What people's votes and the answers of models say together; nothing where either is missing.
    Raises TandemError where people have voted on too few of the pairs.
    """
    if not {Kind.HUMAN, Kind.LLM} <= set(material.kinds):
        return
    models = material.judges[material.judges["kind"] == Kind.LLM]
    people = material.judges[material.judges["kind"] == Kind.HUMAN]
    named = bool(material.selection.judges)
    selection = replace(
        material.selection, judges=tuple(models["judge"].unique()) if named else (Kind.LLM.value,)
    )
    votes = tuple(people["judge"].unique()) if named else (Kind.HUMAN.value,)
    yield _combined(material, selection, votes)
    yield _replacing(material, selection, votes)
    yield _planned(material, selection, votes)


def _combined(material: Material, selection: Selection, people: tuple[str, ...]) -> Section:
    result = material.hidden(combine(material.store, selection, CombineSettings(people)))
    caption = "Systems by votes, by judges, and by both."
    tables = [lay_table("together", caption, result.rows, result.columns)]
    charts = pictures("together", result)
    return section("People and judges together", _lead(result), "together", result, charts, tables)


def _replacing(material: Material, selection: Selection, people: tuple[str, ...]) -> Section:
    result = material.hidden(replacement(material.store, selection, ReplaceSettings(people)))
    caption = "The alternative annotator test of each judge."
    tables = [lay_table("replacement", caption, result.rows, result.columns)]
    title = "May a judge replace an annotator?"
    return section(title, _lead(result), "replacement", result, [], tables)


def _planned(material: Material, selection: Selection, people: tuple[str, ...]) -> Section:
    result = material.hidden(plan(material.store, selection, PlanSettings(people)))
    charts = pictures("plan", result) if result.facts["now"] < 1 else []
    return section("How many more votes", _lead(result), "plan", result, charts, [])


def _lead(result: Finding) -> str:
    return " ".join(result.facts["sentences"])
