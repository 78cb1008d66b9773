"""Whom to trust, as a report says it: agreement, bias, accuracy, correlation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np
import pandas as pd

from core.findings import accuracy, agreement, attacks, bias
from core.findings.judgements import Finding, label_rows
from core.findings.trust import Reference, correlation
from core.labels import KINDS
from core.records import Kind
from core.reporting import cells, sentences
from core.reporting.material import Material
from core.reporting.parts import (
    Cell,
    Picture,
    Row,
    Section,
    Table,
    across,
    based_on,
    figure,
    lay_table,
    pictures,
    table,
)

COEFFICIENTS = {"spearman": "Spearman", "kendall": "Kendall's tau-b", "pearson": "Pearson"}
ACCORDING = {"gold": "gold labels", "human": "the majority of people"}

Columns = Mapping[str, Cell | str]

JUDGE: Columns = {"Judge": "judge", "Attribute": "attribute"}
POSITION: Columns = {
    **JUDGE,
    "Judgements": figure(cells.count, "comparisons"),
    "First chosen (95%)": figure(cells.percent, "p_first", "low", "high"),
    "Ties (95%)": figure(cells.percent, "tie_rate", "tie_low", "tie_high"),
    "Pairs in both orders": figure(cells.count, "pairs_both_orders"),
    "Same verdict (95%)": figure(cells.percent, "consistent", "consistent_low", "consistent_high"),
}
TRIPLES: Columns = {
    **JUDGE,
    "Triples": figure(cells.count, "decided"),
    "Cyclic (95%)": figure(cells.percent, "cyclic", "low", "high"),
    "In one order (95%)": figure(cells.percent, "one_order", "one_order_low", "one_order_high"),
    "By position": figure(cells.percent, "by_position"),
    "Weak violated (95%)": figure(cells.percent, "weak", "weak_low", "weak_high"),
    "Strong violated (95%)": figure(cells.percent, "strong", "strong_low", "strong_high"),
}
CORRELATED: Columns = {
    **JUDGE,
    **{
        f"{title} (95%)": figure(cells.decimal, name, f"{name}_low", f"{name}_high")
        for name, title in COEFFICIENTS.items()
    },
    "Pairs in order (95%)": figure(
        cells.percent, "pair_accuracy", "pair_accuracy_low", "pair_accuracy_high"
    ),
    "Items": figure(cells.count, "n"),
}


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
    yield section(
        "Agreement", agreement.describe_agreement(result), "agreement", result, charts, tables
    )


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
    rows, lengths = (material.ordered(one) for one in (result.rows, result.tables["lengths"]))
    pairs = rows["pairs_both_orders"].replace(0, np.nan)
    both = rows.assign(consistent=rows["consistent_both_orders"] / pairs)
    length = {
        **JUDGE,
        "Answers": figure(cells.count, "comparisons"),
        "Longer chosen (95%)": figure(cells.percent, "longer", "longer_low", "longer_high"),
        "Odds if twice as long (95%)": _odds,
    }
    triples = material.ordered(result.tables["triples"])
    tables = [
        table("bias-position", "Position: the text shown first.", both, POSITION),
        table("bias-length", "Length: the longer text.", lengths, length),
        table("bias-triples", "Contradictions among three texts.", triples, TRIPLES),
    ]
    known = rows["p_first"].notna().any()
    charts = pictures("bias-position", result) if known else []
    said = bias.describe_length(label_rows(lengths)) if len(lengths) else []
    among = bias.describe_triples(triples)
    lead = " ".join(filter(None, [bias.describe_position(result), *said, among]))
    yield section("Bias", lead, "bias", result, charts, tables)


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


def _odds(row: Row) -> str:
    if row["unbounded"]:
        return f"always the {row['always']}" if row["always"] else f"no bound ({row['unbounded']})"
    return cells.decimal(row["odds"], row["low"], row["high"])


def accuracies(material: Material) -> Iterator[Section]:
    """How often judges are right, by gold labels and by most people."""
    for kind in (Kind.GOLD, Kind.HUMAN):
        if kind not in material.kinds or material.judges["judge"].nunique() < 2:
            continue
        found = accuracy.accuracy(material.store, material.selection, against=kind.value)
        result, name = material.hidden(found), f"accuracy-{kind.value}"
        reference = ACCORDING[kind.value]
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
    found = correlation.table(material.store, material.selection, Reference(against, "item"))
    result = material.hidden(found)
    rows = label_rows(material.ordered(result.rows))
    judges = list(dict.fromkeys(rows["judge"]))
    caption = f"Spearman's correlation with the scores by {sentences.who(against)}."
    spearman = figure(cells.decimal, "spearman", "spearman_low", "spearman_high")
    long = material.by_attribute(rows)
    overview = across("correlation-spearman", caption, long, ("judge", judges), spearman)
    every = table("correlation", "All correlations, within items.", rows, CORRELATED)
    charts = pictures("correlation", result) if rows["spearman"].notna().any() else []
    several = [overview] if rows["attribute"].nunique() > 1 else []
    tables = [*several, every]
    lead = sentences.correlation(result)
    yield section("Correlation with scores", lead, "correlation", result, charts, tables)


def section(
    title: str, lead: str, name: str, result: Finding, charts: list[Picture], tables: list[Table]
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


def _without_idle(one: Table) -> Table:
    """Without an attribute that is the same everywhere."""
    if "Attribute" in one.shown and one.shown["Attribute"].nunique() < 2:
        return replace(one, shown=one.shown.drop(columns="Attribute"))
    return one
