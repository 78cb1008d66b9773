"""Whom to trust, as a report says it: agreement, bias, accuracy, correlation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pandas as pd

from core.findings import accuracy, agreement, attacks, bias, correlation
from core.findings.judgements import Finding, label_rows
from core.labels import KINDS
from core.records import Kind
from core.reporting.material import Material
from core.reporting.parts import (
    ReportPicture,
    ReportTable,
    Section,
    across,
    based_on,
    lay_table,
    pictures,
)


def agreements(material: Material) -> Iterator[Section]:
    """Who agrees with whom; nothing where there is one judge."""
    if material.judges["judge"].nunique() < 2:
        return
    result = material.hidden(agreement.agreement(material.store, material.selection))
    of = result.table_columns
    tables = [
        lay_table("agreement-groups", "Kinds of judges.", result.tables["groups"], of["groups"]),
        lay_table("agreement-pairs", "Each two judges.", result.rows, result.columns),
        lay_table(
            "agreement-majority",
            "Each judge, and what most people say.",
            result.tables["majority"],
            of["majority"],
        ),
        lay_table("agreement-alpha", _of_whom(result), _alphas(result), of["alphas"]),
    ]
    charts = pictures("agreement", result) if len(result.rows) > 1 else []
    lead = agreement.describe_agreement(result)
    yield section("Agreement", lead, "agreement", result, charts, tables)


def _of_whom(result: Finding) -> str:
    kinds = str(result.facts["alpha_of"]).split("+")
    return f"Krippendorff's alpha of {' and '.join(KINDS.get(kind, kind) for kind in kinds)}."


def _alphas(result: Finding) -> pd.DataFrame:
    frame = result.tables["alphas"].dropna(subset="alpha")
    if frame["attribute"].nunique() < 2:  # of one attribute and of all it is the same
        frame = frame[frame["attribute"].isna()]
    return frame.assign(attribute=frame["attribute"].fillna("all"))


def biases(material: Material) -> Iterator[Section]:
    """What else than the texts decides."""
    if material.judges.empty:
        return
    result = material.hidden(bias.bias(material.store, material.selection))
    lengths, triples = (material.ordered(result.tables[name]) for name in ("lengths", "triples"))
    rows, of = material.ordered(result.rows), result.table_columns
    tables = [
        lay_table("bias-position", "Position: the text shown first.", rows, result.columns),
        lay_table("bias-length", "Length: the longer text.", lengths, of["lengths"]),
        lay_table("bias-triples", "Contradictions among three texts.", triples, of["triples"]),
    ]
    charts = pictures("bias-position", result) if rows["p_first"].notna().any() else []
    said = bias.describe_length(label_rows(lengths)) if len(lengths) else []
    lead = [bias.describe_position(result), *said, bias.describe_triples(triples)]
    yield section("Bias", " ".join(filter(None, lead)), "bias", result, charts, tables)


def attacked(material: Material) -> Iterator[Section]:
    """What added sentences turn; nothing where no judge was attacked."""
    result = material.hidden(attacks.attacks(material.store, material.selection))
    if result.rows.empty:
        return
    rows = material.ordered(result.rows)
    caption = "Verdicts against a text that an added sentence turns."
    tables = [lay_table("attacks", caption, rows, result.columns)]
    charts = pictures("attacks", result) if rows["flipped"].notna().any() else []
    lead = " ".join(attacks.describe_attacks(rows))
    yield section("Prompt injection", lead, "attacks", result, charts, tables)


def accuracies(material: Material) -> Iterator[Section]:
    """How often judges are right, by gold labels and by most people."""
    for kind in (Kind.GOLD, Kind.HUMAN):
        if kind not in material.kinds or material.judges["judge"].nunique() < 2:
            continue
        settings = accuracy.AccuracySettings(kind.value)
        found = accuracy.accuracy(material.store, material.selection, settings)
        result, name = material.hidden(found), f"accuracy-{kind.value}"
        reference = accuracy.REFERENCES[kind.value]
        rows = material.ordered(result.rows)
        caption = f"Right answers according to {reference}, a tie counting half."
        tables = [lay_table(name, caption, rows, result.columns)]
        charts = pictures(name, result)
        title, lead = f"Accuracy, according to {reference}", accuracy.describe_accuracy(result)
        yield section(title, lead, name, result, charts, tables)


def correlations(material: Material) -> Iterator[Section]:
    """How well judges follow the scores of people, within items."""
    against = material.against
    if not against:
        return
    found = correlation.correlate_all(
        material.store, material.selection, correlation.Reference(against, "item")
    )
    result = material.hidden(found)
    rows = label_rows(material.ordered(result.rows))
    judges = list(dict.fromkeys(rows["judge"]))
    caption = f"Spearman's correlation with the scores by {correlation.name_rater(against)}."
    spearman = next(column for column in result.columns if column.name == "spearman")
    long, by = material.by_attribute(rows), ("judge", judges)
    overview = across("correlation-spearman", caption, long, by, spearman.write_with_range)
    every = lay_table(
        "correlation", "All correlations, within items.", rows.drop(columns="label"), result.columns
    )
    charts = pictures("correlation", result) if rows["spearman"].notna().any() else []
    several = [overview] if rows["attribute"].nunique() > 1 else []
    tables = [*several, every]
    said = [correlation.describe_correlation(result), correlation.describe_ceiling(rows)]
    lead = " ".join(filter(None, said))
    yield section("Correlation with scores", lead, "correlation", result, charts, tables)


def section(
    title: str,
    lead: str,
    name: str,
    result: Finding,
    charts: list[ReportPicture],
    tables: list[ReportTable],
) -> Section:
    return Section(
        title,
        lead,
        charts,
        [_without_idle(one) for one in tables if len(one.frame)],
        [*(note for note in result.notes if note not in lead), based_on(result)],
        [result.signature],
        {name: result.document()},
    )


def _without_idle(one: ReportTable) -> ReportTable:
    """Without an attribute that is the same everywhere."""
    if "Attribute" in one.shown and one.shown["Attribute"].nunique() < 2:
        return replace(one, shown=one.shown.drop(columns="Attribute"))
    return one
