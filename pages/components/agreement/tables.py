"""The tables of the agreement page: each judge, and every two."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
import streamlit as st

from core.findings.agreement import columns as declared
from core.findings.judgements import Finding
from core.rendering import Column
from pages.components.agreement.figures import in_order
from pages.components.shared.tables import show_rows

FEW = 8  # judges whose table stands open


def show_judges(result: Finding, judges: list[str]) -> None:
    """How each judge stands to most people, ties, and contradicts itself."""
    if not judges:
        return
    alone = result.tables["judges"]
    most = result.tables["majority"].drop(columns="kind")
    rows = alone.merge(most, on="judge", how="left").set_index("judge")
    rows = rows.reindex([judge for judge in judges if judge in rows.index]).reset_index()
    rows = rows.assign(repeated=rows["repeated"].where(rows["repeated"] > 0))
    columns = _join_columns(result)
    if len(judges) > FEW:
        with st.expander("Each judge"):
            show_rows(rows, columns, "Each judge")
    else:
        st.header("Each judge", anchor=False)
        show_rows(rows, columns, "Each judge")


def _join_columns(result: Finding) -> list[Column]:
    """Those of each judge alone, and of each beside most people."""
    judge, kind, pairs, *alone = result.table_columns["judges"]
    most = {column.name: column for column in declared.AGAINST_MOST}
    beside = [replace(most["agreement"], label="same as most"), most["accuracy"]]
    return [judge, kind, pairs, *beside, *alone]


def show_every_two(result: Finding, judges: list[str]) -> None:
    """Each pair of the judges in sight."""
    rows: pd.DataFrame = in_order(result.rows, judges)
    if rows.empty:
        return
    with st.expander("All pairs of judges as a table"):
        show_rows(rows, result.columns, "All pairs of judges")
