"""Whether each judge's preferences among three texts fit together."""

from __future__ import annotations

from functools import partial

import pandas as pd
import streamlit as st

from core.findings.bias import describe_triples
from core.findings.judgements import Finding
from core.labels import INTERVALS
from core.rendering.charts import Drawing, Estimate, Scale, dots
from core.statistics import transitivity
from pages.components.bias.figures import of_judges
from pages.components.shared.cells import shares
from pages.components.shared.notice import lead, several, small
from pages.components.shared.picture import caption, show_picture
from pages.components.shared.tables import COUNT, RIGHT, Column, show_table

TRIPLES = """Three texts of an item, and a verdict on each pair. Cyclic: A is better than B, B than
C, and C than A. A quarter of the triples are cyclic by chance (Kendall & Babington Smith 1940).
Triples with a tie, or a pair the judge contradicts itself on, are left out."""
COLUMNS = {
    "judge": Column("judge"),
    "attribute": Column("attribute"),
    "separability": Column("separability"),
    "decided": Column("triples", COUNT, "Triples with a verdict on each of the three pairs"),
    "cyclic": Column("cyclic", RIGHT, "The mean of both orders decides each pair"),
    "one_order": Column(
        "asked in one order", RIGHT, "To be expected if each pair had been asked in one order only"
    ),
    "by_position": Column(
        "by position", RIGHT, "Of these: those in which both orders of a pair contradict each other"
    ),
    "weak": Column(
        "weak violated", RIGHT,
        "By probabilities: P(A over B) and P(B over C) at least 1/2, P(A over C) below",
    ),
    "strong": Column(
        "strong violated", RIGHT, "By probabilities: P(A over C) below the greater of the two"
    ),
}  # fmt: skip


def show_triples(result: Finding, judges: list[str]) -> None:
    """Cyclic triples of each judge, and what position has to do with them."""
    rows = of_judges(result.tables["triples"], judges)
    said = describe_triples(rows)
    if not said:
        return
    st.header("Consistency among three texts", anchor=False, help=TRIPLES)
    lead(said)
    rows = rows[rows["decided"] > 0]
    drawn = partial(
        dots, rows, "triples that are cyclic", Estimate("cyclic", "low", "high", "decided"),
        Scale(None, reference=transitivity.CHANCE),
    )  # fmt: skip
    number = several(int(rows["decided"].sum()), "triple")
    above = caption(result, "How often judges contradict themselves", INTERVALS["share"], number)
    show_picture("bias-triples", Drawing(drawn, above), rows)
    small("The dashed line is chance: a quarter.")
    with st.expander("Triples in figures"):
        _show(rows, "Triples")
        by = of_judges(result.tables["triples_by"], judges)
        if by["separability"].nunique() > 1:
            small("By how far items tell their systems apart, in bins from low to high:")
            _show(by, "Triples by separability")


def _show(rows: pd.DataFrame, label: str) -> None:
    several_attributes = rows["attribute"].nunique() > 1
    shown = rows if several_attributes else rows.drop(columns="attribute")
    figures = {
        "cyclic": shares(rows, "cyclic", "low", "high"),
        "by_position": shares(rows, "by_position"),
        **{name: shares(rows, name, f"{name}_low", f"{name}_high")
           for name in ("one_order", "weak", "strong")},
    }  # fmt: skip
    known = {name: text for name, text in figures.items() if rows[name].notna().any()}
    show_table(shown.drop(columns=list(figures)).assign(**known), COLUMNS, label)
