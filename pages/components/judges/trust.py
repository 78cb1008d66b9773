"""Judges as points: what is known of them without labels, and how often they are right.

For attacked judges, it also shows how many verdicts an added sentence turned.
"""

from __future__ import annotations

from functools import partial

import streamlit as st

from core.findings.attacks import attacks, describe_attacks
from core.findings.attacks.chart import PICTURE, draw_attacks
from core.findings.judgements import WILSON, Finding, Selection, label_rows
from core.findings.judges import MEASURES, RIGHT, describe_most, judges
from core.findings.judges.chart import scatter
from core.labels import VOTES, pluralize
from core.records import Kind, choose_voting_kind
from core.rendering import describe_intervals
from core.rendering.charts import MOST_ROWS
from pages.components.shared.cached_report import cached_report
from pages.components.shared.counting import SLOW
from pages.components.shared.filters import choose_measure
from pages.components.shared.frame import Study, next_step_links
from pages.components.shared.notice import show_caption, show_findings, show_headline
from pages.components.shared.picture import caption, show_picture
from pages.components.shared.report import foot
from pages.components.shared.tables import show_rows

_judges = cached_report("Comparing judges …", lane=SLOW)(judges)

WITHOUT = """Figures that need no votes, beside the share of answers that are right by what most
people say. A judge may agree with itself and be wrong: always taking the longer text does."""


def show_trust(study: Study, selection: Selection, biased: Finding) -> None:
    """Show a scatter of the judges, if people have voted on what they answered."""
    kinds = set(biased.rows["kind"])
    voting = choose_voting_kind(kinds)
    if voting not in kinds or len(kinds) < 2:
        return
    result = _judges(study.store, selection, study.judgements_stamp, otherwise=biased)
    if result is biased:  # still being counted
        return
    rows = label_rows(result.rows.dropna(subset="accuracy"))
    known = [name for name in MEASURES if rows[name].notna().any()]
    if rows["label"].nunique() < 2 or not known:
        return
    st.header("Consistent, and right?", anchor=False, help=WITHOUT)
    measure = MEASURES[choose_measure(known)]
    of = rows.dropna(subset=measure.name)
    show_headline(" ".join([describe_most(of, measure), *result.facts["cautions"]]))
    title = f"Judges without labels, and by {VOTES[voting]}s"
    interval = describe_intervals(of, (measure, RIGHT))
    above = caption(result, title, interval, pluralize(len(of), "point"))
    show_picture("bias-judges", partial(scatter, of, measure), above, of)


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
