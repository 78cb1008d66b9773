"""Foot of a finding's figures, to cite and export it; and the report of all findings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import pandas as pd
import streamlit as st

from core.findings.judgements import Finding, Selection, describe_difference, find_closest
from core.labels import pluralize
from core.records import plain_name
from core.reporting import ReportScope, archive, compile_report, page
from core.store import Store
from pages.components.shared.cached_report import cached_report
from pages.components.shared.counting import SLOW
from pages.components.shared.downloads import downloads, made_downloads, with_names
from pages.components.shared.frame import Study
from pages.components.shared.notice import show_caption, show_faults

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
    name: str = "", tables: Mapping[str, pd.DataFrame] | None = None, said: str = "",
) -> None:  # fmt: skip
    """Show the number of answers below a figure, the notes, the first ones openly, and one quiet
    menu to cite and export.

    `answers` is the noun for what it is based on, '' for texts, and `about` follows their number.
    The `tables` are offered as CSV in files of that `name`. What was `said` above is no note.
    """
    if answers:
        show_caption(f"{result.describe_basis(answers, about)} {intervals}")
    notes = result.name_settings(plain_name).list_unsaid_notes(said)
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


WHAT = (
    "Get all results as one page that opens anywhere, with tables, figures and a methods paragraph."
)
BUTTON = "Make the report"


class ReportFiles(NamedTuple):
    """A report as its files, and the parts it had to leave out."""

    page: bytes
    archive: bytes
    left_out: tuple[str, ...]


def offer_report(study: Study) -> None:
    """Show a button and, once it is clicked, the files."""
    st.header("Report", anchor=False)
    show_caption(WHAT)
    wanted = f"report of {study.dataset}"
    if st.button(BUTTON, key="report"):
        st.session_state[wanted] = True
    if not st.session_state.get(wanted):
        return
    judges = study.store.judgement_frames.count_answers(study.dataset)
    names = with_names("report", [judges])
    request = ReportScope(Selection(study.dataset), names=names)
    with show_faults():
        made = _make_files(study.store, request, study.scores_stamp, ReportFiles(b"", b"", ()))
        if made.page:
            made_downloads("report", {"html": made.page, "zip": made.archive}, names)
        for sentence in made.left_out:
            show_caption(sentence)


@cached_report("Making the report …", lane=SLOW)
def _make_files(store: Store, request: ReportScope) -> ReportFiles:
    report = compile_report(store, request)
    left_out = tuple(f"Without {part}: {why}." for part, why in report.left_out.items())
    return ReportFiles(page(report).encode(), archive(report), left_out)
