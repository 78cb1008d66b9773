"""Separability, as a report says it: which systems can be told apart, where that was measured."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from core.findings.combine import CombineSettings, combine
from core.findings.judgements import Finding, Selection
from core.findings.plan import PlanSettings, plan
from core.findings.replacement import ReplaceSettings, replacement
from core.findings.separability import (
    Separability,
    Settings,
    columns,
    compare_pairs,
    describe_items,
    sentences,
    separability,
)
from core.records import Kind
from core.reporting.material import Material
from core.reporting.parts import Section, lay_table, pictures
from core.reporting.trust import section
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
