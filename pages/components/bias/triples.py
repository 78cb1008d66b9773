"""Whether each judge's preferences among three texts fit together."""

from __future__ import annotations

from functools import partial

import streamlit as st

from core.findings.bias import columns, describe_triples
from core.findings.judgements import Finding
from core.rendering.charts import AxisScale, CaptionedChart, EstimateColumns, dots
from core.statistics import transitivity
from pages.components.bias.figures import of_judges
from pages.components.shared.notice import lead, several, small
from pages.components.shared.picture import caption, show_picture
from pages.components.shared.tables import show_rows

TRIPLES = """Three texts of an item, and a verdict on each pair. Cyclic: A is better than B, B than
C, and C than A. A quarter of the triples are cyclic by chance (Kendall & Babington Smith 1940).
Triples with a tie, or a pair the judge contradicts itself on, are left out."""


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
        dots, rows, "triples that are cyclic", EstimateColumns("cyclic", "low", "high", "decided"),
        AxisScale(None, reference=transitivity.CHANCE),
    )  # fmt: skip
    number = several(int(rows["decided"].sum()), "triple")
    above = caption(
        result, "How often judges contradict themselves", columns.CYCLIC.caption, number
    )
    show_picture("bias-triples", CaptionedChart(drawn, above), rows)
    small("The dashed line is chance: a quarter.")
    with st.expander("Triples in figures"):
        show_rows(rows, columns.TRIPLES, "Triples")
        by = of_judges(result.tables["triples_by"], judges)
        if by["separability"].nunique() > 1:
            small("By how far items tell their systems apart, in bins from low to high:")
            show_rows(by, columns.TRIPLES_BY, "Triples by separability")
