"""The tables of the bias page: each system by position, what is left after correction, and all
figures.
"""

from __future__ import annotations

import streamlit as st

from core.findings.bias import columns, compare_places
from core.findings.judgements import Finding, label_rows
from pages.components.bias.figures import of_judges
from pages.components.shared.downloads import downloads
from pages.components.shared.filters import WIDE
from pages.components.shared.notice import small
from pages.components.shared.report import foot
from pages.components.shared.tables import show_rows

CORRECTIONS = """**Swap**: a pair asked in both orders counts once, as the mean of both.
**Threshold**: a judge's probabilities are shifted until both positions win equally often
(Liusie et al. 2024, eq. 8-10)."""
POSITIONS = """Points: the share of its comparisons a system wins, a tie counting half.
Probability: the mean probability the judge gives it. Each has a 95% interval. An average
system gets half. If it meets the same texts in both positions, the gain is position bias."""


def show_corrections(result: Finding, judges: list[str]) -> None:
    """Position bias after swap and threshold."""
    rows = of_judges(result.rows, judges)
    rows = rows[rows["p_first_swap"].notna() | rows["p_first_threshold"].notna()]
    if rows.empty:
        return
    with st.expander("After correction"):
        small(
            "Both corrections make the two positions win equally often. The Correlation page shows "
            "what they do to accuracy."
        )
        st.markdown(CORRECTIONS)
        show_rows(rows, columns.AFTER, "After correction")


def show_systems(result: Finding, judges: list[str]) -> None:
    """What a judge gives each system when it is shown first and when second."""
    rows = of_judges(result.tables["places"], judges)
    if rows.empty:
        return
    with st.expander("Each system by position"):
        small(POSITIONS)
        p_first = label_rows(result.rows).set_index("label")["p_first"]
        names = sorted(set(rows["label"]), key=lambda label: -abs(p_first.get(label, 0.5) - 0.5))
        name = names[0]
        if len(names) > 1:
            name = st.selectbox("Judge", names, key="sides", width=2 * WIDE)
        beside = compare_places(rows[rows["label"] == name])
        show_rows(beside, columns.BESIDE, "Each system by position")


def show_evidence(result: Finding, judges: list[str]) -> None:
    """The tables, notes, signature and files."""
    rows, lengths = (of_judges(one, judges) for one in (result.rows, result.tables["lengths"]))
    if len(rows):
        with st.expander("As a table"):
            show_rows(rows, result.columns, "Bias of each judge")
            if len(lengths):
                small("By length:")
                show_rows(lengths, columns.LENGTHS, "Length bias of each judge")
    foot(result, f"{result.interval} {columns.ODDS.caption}")
    tables = {"position": result.rows, "systems": result.tables["places"]}
    tables |= {"length": result.tables["lengths"], "differences": result.tables["differences"]}
    downloads("bias-tables", tables)
