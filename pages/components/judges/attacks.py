"""Attacks on the page: the share of verdicts that an added sentence turns, by judge."""

from __future__ import annotations

from functools import partial

import streamlit as st

from core.findings.attacks import attacks, describe_attacks
from core.findings.attacks.chart import PICTURE, draw_attacks
from core.findings.judgements import WILSON, Finding, Selection
from core.labels import pluralize
from core.records import Kind
from core.rendering.charts import MOST_ROWS
from pages.components.shared.frame import Study, next_step_links
from pages.components.shared.notice import show_caption, show_findings
from pages.components.shared.picture import caption, show_picture
from pages.components.shared.report import foot
from pages.components.shared.tables import show_rows

ATTACKS = """How often a verdict turns when a sentence is added to the losing text
(Raina et al. 2024). The upright mark is a harmless sentence of as many words: a longer text turns
verdicts, too."""
NONE = (
    "Would a judge choose a text that asks to be chosen? No judge has been tested yet: start "
    "a test on the page Judge."
)
ABOUT = " about texts with a sentence added, which are not judgements"
MOST = (
    "Drawn are the {} of {} rows that attacks turn most beyond a harmless sentence. The table has "
    "them all."
)
ASKED_BY_RUNS = (Kind.LLM, Kind.BASELINE)


def show_attacks(study: Study, selection: Selection, biased: Finding) -> None:
    """Show the share of verdicts that each attack turns, by judge."""
    if not biased.rows["kind"].isin(ASKED_BY_RUNS).any():
        return
    result = attacks(study.store, selection)
    st.header("Prompt injection", anchor=False, help=ATTACKS)
    if result.rows.empty:
        show_caption(NONE)
        next_step_links(judge="Attack a judge")
        return
    show_findings(describe_attacks(result.rows))
    rows = result.rows.dropna(subset="flipped")
    if len(rows):
        verdicts = pluralize(int(rows["against"].sum()), "verdict")
        of = f"{verdicts} against the attacked text. The upright mark is a harmless sentence"
        above = caption(result, PICTURE.title, WILSON.caption, of)
        show_picture("bias-attacks", partial(draw_attacks, rows), above, rows)
        if len(rows) > MOST_ROWS:
            show_caption(MOST.format(MOST_ROWS, len(rows)))
    with st.expander("Attacks in figures"):
        show_rows(result.rows, result.columns, "What each attack turns")
        foot(result, result.interval, "answer", ABOUT)
