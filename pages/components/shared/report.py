"""Foot of a report's figures: counts, notes, citation and export."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd
import streamlit as st

from core.findings.judgements import Finding, describe_difference, find_closest
from core.labels import pluralize
from core.records import plain_name
from pages.components.shared.downloads import downloads
from pages.components.shared.notice import show_caption

WIDEST = 270  # pixels of a column of judges' names: the figures beside them stay in sight
MOST_SENTENCES = 8
OPEN_NOTES = 2  # that are read without a press
AT_ONCE = 50_000  # judgements beyond which reading single answers waits to be asked for


def compare_judges(differences: pd.DataFrame, does: str) -> list[str]:
    """Say for each attribute which judge is farthest ahead, and who comes closest."""
    attributes = list(dict.fromkeys(differences["attribute"]))
    sentences = []
    for attribute in attributes[:MOST_SENTENCES]:
        row = find_closest(differences, attribute=attribute)
        if row is not None:
            named = f"{attribute}: " if len(attributes) > 1 else ""
            sentences.append(f"{named}{describe_difference(row, does)}")
    return sentences


def foot(
    result: Finding, intervals: str, answers: str = "judgement", about: str = "", *,
    name: str = "", tables: Mapping[str, pd.DataFrame] | None = None,
) -> None:  # fmt: skip
    """Show the number of answers below a figure, the notes, the first ones openly, and one quiet
    menu to cite and export.

    Args:
        result: the finding that is shown.
        intervals: sentence about its intervals.
        answers: noun for the answers it is based on, in the singular; '' if it is based on texts.
        about: words that follow the number of answers.
        name: name of its files.
        tables: tables offered as CSV, by the name of each.
    """
    if answers:
        show_caption(f"{result.describe_basis(answers, about)} {intervals}")
    notes = result.name_settings(plain_name).notes
    for note in notes[:OPEN_NOTES]:
        show_caption(note)
    with st.container(horizontal=True):
        if more := notes[OPEN_NOTES:]:
            with st.popover(pluralize(len(more), "more note"), type="tertiary"):
                for note in more:
                    show_caption(note)
        with st.popover("Cite and export" if tables else "Cite", type="tertiary"):
            show_caption(
                "These settings reproduce the figures. Copy them beside any number you quote."
            )
            st.code(result.signature, language=None, wrap_lines=True)
            if tables:
                downloads(name, {what: table for what, table in tables.items() if len(table)})
