"""The report of all results of a data set, made on demand as a page and as a folder."""

from __future__ import annotations

from typing import NamedTuple

import streamlit as st

from core.findings.accuracy import REFERENCES, AccuracySettings
from core.findings.judgements import Selection
from core.reporting import ReportScope, archive, compile_report, page
from core.settings import get_default
from core.store import Store
from pages.components.shared.cached_report import cached_report
from pages.components.shared.counting import SLOW
from pages.components.shared.downloads import made_downloads, with_names
from pages.components.shared.faults import show_faults
from pages.components.shared.filters import WIDE
from pages.components.shared.frame import Study
from pages.components.shared.notice import show_caption
from pages.components.shared.settings import choose_setting

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
    request = ReportScope(Selection(study.dataset), names=names, chosen=_choose_accuracy())
    with show_faults():
        made = _make_files(study.store, request, study.scores_stamp, ReportFiles(b"", b"", ()))
        if made.page:
            made_downloads("report", {"html": made.page, "zip": made.archive}, names)
        for sentence in made.left_out:
            show_caption(sentence)


def _choose_accuracy() -> dict[str, dict[str, str]]:
    """Ask how the report measures accuracy; return only the changed settings."""
    row = st.expander("Accuracy in the report").container(horizontal=True)
    offered = {"against": {"": "all there are", **REFERENCES}, "debias": None}
    chosen = {
        name: choose_setting(row, AccuracySettings, name, values, width=WIDE, key=f"report {name}")
        for name, values in offered.items()
    }
    changed = {
        name: value
        for name, value in chosen.items()
        if value not in ("", get_default(AccuracySettings, name))
    }
    return {"accuracy": changed} if changed else {}


@cached_report("Making the report …", lane=SLOW)
def _make_files(store: Store, request: ReportScope) -> ReportFiles:
    report = compile_report(store, request)
    left_out = tuple(f"Without {part}: {why}." for part, why in report.left_out.items())
    return ReportFiles(page(report).encode(), archive(report), left_out)
