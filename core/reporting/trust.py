"""Sections of a report on trust in judges: agreement, bias, accuracy, correlation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

import pandas as pd

from ..catalogue import FINDINGS
from ..findings import accuracy, correlation
from ..findings.judgements import Finding, label_rows
from ..labels import KINDS
from .material import Material
from .parts import (
    ReportPicture,
    ReportTable,
    Section,
    build_sections,
    lay_across_attributes,
    lay_table,
    pictures,
)


def report_agreement(material: Material) -> Iterator[Section]:
    """Yield a section on agreement between judges; nothing if there is one judge."""
    if material.judges["judge"].nunique() < 2:
        return
    result = material.find("agreement")
    of = result.table_columns
    tables = [
        lay_table("agreement-groups", "Kinds of judges.", result.tables["groups"], of["groups"]),
        lay_table("agreement-pairs", "Each two judges.", result.rows, result.columns),
        lay_table(
            "agreement-majority",
            "Each judge, and what most annotators say.",
            result.tables["majority"],
            of["majority"],
        ),
        lay_table("agreement-alpha", _name_raters(result), _alphas(result), of["alphas"]),
    ]
    charts = pictures("agreement", result) if len(result.rows) > 1 else []
    yield build_section("agreement", result, tables, charts)


def _name_raters(result: Finding) -> str:
    kinds = str(result.facts["alpha_of"]).split("+")
    return f"Krippendorff's alpha of {' and '.join(KINDS.get(kind, kind) for kind in kinds)}."


def _alphas(result: Finding) -> pd.DataFrame:
    frame = result.tables["alphas"].dropna(subset="alpha")
    if frame["attribute"].nunique() < 2:  # of one attribute and of all it is the same
        frame = frame[frame["attribute"].isna()]
    return frame.assign(attribute=frame["attribute"].fillna("all"))


def report_biases(material: Material) -> Iterator[Section]:
    """Yield a section on biases in verdicts; nothing if there are no judges."""
    if material.judges.empty:
        return
    result = material.find("bias")
    lengths, triples = (material.order_rows(result.tables[name]) for name in ("lengths", "triples"))
    rows, of = material.order_rows(result.rows), result.table_columns
    tables = [
        lay_table("bias-position", "Position: the text shown first.", rows, result.columns),
        lay_table("bias-length", "Length: the longer text.", lengths, of["lengths"]),
        lay_table("bias-triples", "Contradictions among three texts.", triples, of["triples"]),
    ]
    charts = pictures("bias-position", result) if rows["p_first"].notna().any() else []
    yield build_section("bias", result, tables, charts)


def report_attacks(material: Material) -> Iterator[Section]:
    """Yield a section on verdicts that added sentences turn; nothing if no judge was attacked."""
    result = material.find("attacks")
    if result.rows.empty:
        return
    rows = material.order_rows(result.rows)
    caption = "Verdicts against a text that an added sentence turns."
    tables = [lay_table("attacks", caption, rows, result.columns)]
    charts = pictures("attacks", result) if rows["flipped"].notna().any() else []
    yield build_section("attacks", result, tables, charts)


def report_accuracy(material: Material) -> Iterator[Section]:
    """Yield sections on how often judges are right, by the chosen reference, else by each."""
    chosen = material.get_chosen("accuracy").get("against")
    usual = accuracy.list_references(material.store, material.selection)
    references = [str(chosen)] if chosen else usual
    yield from build_sections(
        partial(_build_accuracy_section, material, against) for against in references
    )


def _build_accuracy_section(material: Material, against: str) -> Section:
    result, name = material.find("accuracy", against=against), f"accuracy-{against}"
    reference = accuracy.REFERENCES[against]
    caption = f"Right answers according to {reference}, a tie counting half."
    tables = [lay_table(name, caption, material.order_rows(result.rows), result.columns)]
    return build_section("accuracy", result, tables, pictures(name, result), name, f" {reference}")


def report_correlation(material: Material) -> Iterator[Section]:
    """Yield a section on how well judges follow scores; nothing if nobody has scored."""
    named = material.get_chosen("correlation").get("against")
    if not named and not correlation.choose_reference(material.store, material.dataset):
        return
    result = material.find("correlation")
    rows, level = label_rows(material.order_rows(result.rows)), result.facts["level"]
    judges = list(dict.fromkeys(rows["judge"]))
    rater = correlation.name_rater(result.facts["against"])
    caption = f"Spearman's correlation with the scores by {rater}."
    spearman = next(column for column in result.columns if column.name == "spearman")
    long, by = material.by_attribute(rows), ("judge", judges)
    overview = lay_across_attributes(
        "correlation-spearman", caption, long, by, spearman.write_with_range
    )
    caption = f"All correlations, {correlation.LEVELS[level]}."
    every = lay_table("correlation", caption, rows.drop(columns="label"), result.columns)
    charts = pictures("correlation", result) if rows["spearman"].notna().any() else []
    several = [overview] if rows["attribute"].nunique() > 1 else []
    yield build_section("correlation", result, [*several, every], charts)


def build_section(
    of: str,
    result: Finding,
    tables: Sequence[ReportTable],
    charts: Sequence[ReportPicture] = (),
    name: str = "",
    title: str = "",
) -> Section:
    """The section of a declared finding, whose document has its name or this one, under its title,
    which this one ends.
    """
    declared = FINDINGS[of]
    lead = declared.describe_lead(result)
    return Section(
        f"{declared.title}{title}",
        lead,
        charts,
        [_drop_idle_attribute(one) for one in tables if len(one.frame)],
        [*(note for note in result.notes if note not in lead), result.describe_basis()],
        [result.signature],
        {name or of: result.document()},
        of,
    )


def _drop_idle_attribute(one: ReportTable) -> ReportTable:
    """Drop the column of attributes if all rows have the same one."""
    if "Attribute" in one.shown and one.shown["Attribute"].nunique() < 2:
        return replace(one, shown=one.shown.drop(columns="Attribute"))
    return one
