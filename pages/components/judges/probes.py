"""Probes on the page: what a change without quality gains a text, by judge."""

from __future__ import annotations

from functools import partial

import streamlit as st

from core.findings.chart import OF_PROBES, draw_probes
from core.findings.judgements import Finding, Selection
from core.findings.probes import CHANGE, probes
from core.labels import pluralize
from core.records import Kind
from core.rendering import describe_intervals
from core.rendering.charts import MOST_ROWS
from pages.components.shared.frame import Study, next_step_links
from pages.components.shared.notice import show_caption, show_findings
from pages.components.shared.picture import caption, show_picture
from pages.components.shared.report import foot
from pages.components.shared.tables import show_rows

PROBES = """What a text gains by a change that says nothing about its quality: 100 points would be
from never chosen to always. Beside a sentence, a harmless one of as many words is added: a longer
text moves judges, too."""
NONE = (
    "Would a judge choose a text that cites a source, or asks to be chosen? No judge has been "
    "probed yet: start a probe on the page Judge."
)
ABOUT = " about changed texts, which are not judgements"
ASKED_BY_RUNS = (Kind.LLM, Kind.BASELINE)


def show_probes(study: Study, selection: Selection, biased: Finding) -> None:
    """Show what each probe changes, by judge."""
    if not biased.rows["kind"].isin(ASKED_BY_RUNS).any():
        return
    result = probes(study.store, selection)
    st.header("Probes", anchor=False, help=PROBES)
    if result.rows.empty:
        show_caption(NONE)
        next_step_links(judge="Probe a judge")
        return
    show_findings(result.facts["sentences"])
    rows = result.rows.dropna(subset="change")
    if len(rows):
        answers = pluralize(int(rows["answers"].sum()), "answer")
        above = caption(result, OF_PROBES.title, describe_intervals(rows, [CHANGE]), answers)
        show_picture("bias-probes", partial(draw_probes, rows), above, rows)
        if len(rows) > MOST_ROWS:
            show_caption(f"Drawn are the {MOST_ROWS} largest changes of {len(rows)}.")
    with st.expander("Probes in figures"):
        show_rows(result.rows, result.columns, "What each probe changes")
        foot(result, result.interval, "answer", ABOUT)
