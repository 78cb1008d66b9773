"""People and judges together, as a report says it: who is better, who may replace an annotator, and
how many more votes settle the ranks.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from core.findings.judgements import Selection
from core.records import Kind
from core.reporting.material import Material
from core.reporting.parts import Section, lay_table, pictures
from core.reporting.trust import tell


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
    result = material.find("combine", selection, people=people)
    caption = "Systems by votes, by judges, and by both."
    tables = [lay_table("together", caption, result.rows, result.columns)]
    return tell("combine", result, tables, pictures("together", result), "together")


def _replacing(material: Material, selection: Selection, people: tuple[str, ...]) -> Section:
    result = material.find("replacement", selection, people=people)
    caption = "The alternative annotator test of each judge."
    return tell(
        "replacement", result, [lay_table("replacement", caption, result.rows, result.columns)]
    )


def _planned(material: Material, selection: Selection, people: tuple[str, ...]) -> Section:
    result = material.find("plan", selection, people=people)
    return tell("plan", result, [], pictures("plan", result) if result.facts["now"] < 1 else [])
