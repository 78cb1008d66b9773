"""The tables of the agreement page: each judge, and every two."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from core.findings.judgements import Finding
from pages.components.agreement.figures import KAPPA, VERDICT, in_order
from pages.components.shared import tables
from pages.components.shared.cells import shares
from pages.components.shared.tables import COUNT, Column, show_table

SAME = "Pairs of texts on which the judge says what most people say, of those with such a majority"
RIGHT = """Single answers that prefer what most people prefer, a tie being half right; as on the
page Correlation"""
TIES = "Pairs on which the judge never preferred either text"
FEW = 8  # judges whose table stands open
CONTRADICTS = """Pairs answered more than once, such as in both orders, with as many answers for the
one text as for the other"""


def show_judges(result: Finding, judges: list[str]) -> None:
    """How each judge stands to most people, ties, and contradicts itself."""
    every = result.tables["judges"].set_index("judge")
    if not judges:
        return
    rows = every.reindex([judge for judge in judges if judge in every.index])
    shown = pd.DataFrame(index=rows.index).assign(pairs=rows["pairs"])
    if len(majority := result.tables["majority"]):
        most = majority.set_index("judge").reindex(rows.index)
        shown["same as most"] = shares(most, "agreement", "agreement_low", "agreement_high")
        shown["right"] = shares(most, "accuracy", "accuracy_low", "accuracy_high")
    shown["ties"] = shares(rows, "ties", "ties_low", "ties_high")
    if rows["repeated"].any():
        shown["contradicts itself"] = shares(
            rows, "contradicts", "contradicts_low", "contradicts_high"
        )
        shown["of pairs answered twice"] = rows["repeated"]
    helps = {"same as most": SAME, "right": RIGHT, "ties": TIES, "contradicts itself": CONTRADICTS}
    forms = {"judge": "", "pairs": COUNT, "of pairs answered twice": COUNT}
    shown = shown.reset_index()
    columns = {
        name: Column(name, forms.get(name, tables.RIGHT), helps.get(name, "")) for name in shown
    }
    if len(judges) > FEW:
        with st.expander("Each judge"):
            show_table(shown, columns, "Each judge")
    else:
        st.header("Each judge", anchor=False)
        show_table(shown, columns, "Each judge")


def show_every_two(result: Finding, judges: list[str]) -> None:
    """Each pair of the judges in sight."""
    rows = in_order(result.rows, judges)
    if rows.empty:
        return
    shown = rows[["judge_1", "judge_2", "items", "verdicts"]].assign(
        **{
            "same verdict": shares(rows, "agreement", "agreement_low", "agreement_high"),
            "kappa": [
                _kappa(*of) for of in zip(rows["kappa"], rows["low"], rows["high"], strict=True)
            ],
        }
    )
    with st.expander("All pairs of judges as a table"):
        helps = {"same verdict": VERDICT, "kappa": KAPPA}
        forms = {"judge_1": "", "judge_2": "", "items": COUNT, "verdicts": COUNT}
        titles = {"judge_1": "judge", "judge_2": "and judge"}
        columns = {
            name: Column(titles.get(name, name), forms.get(name, tables.RIGHT), helps.get(name, ""))
            for name in shown
        }
        show_table(shown, columns, "All pairs of judges")


def _kappa(value: float, low: float, high: float) -> str:
    if pd.isna(value):
        return "–"
    figures = [f"{round(figure, 2) + 0.0:.2f}" for figure in (value, low, high)]
    return figures[0] if pd.isna(low) else f"{figures[0]} ({figures[1]} to {figures[2]})"
