"""Judges as points: what can be said of them without labels, and how often they are right."""

from __future__ import annotations

from functools import partial

import streamlit as st

from core.findings.judgements import Finding, Selection, label_rows
from core.findings.judges import MEASURES, RIGHT, describe_most, duration, judges
from core.findings.judges.chart import scatter
from core.rendering import describe_intervals
from core.rendering.charts import CaptionedChart
from pages.components.shared.cached_report import cached_report
from pages.components.shared.filters import choose_measure
from pages.components.shared.frame import Study
from pages.components.shared.notice import lead, several
from pages.components.shared.picture import caption, show_picture

_judges = cached_report("Comparing judges …", duration.seconds)(judges)

WITHOUT = """Figures that need no votes, beside the share of answers that are right by what most
people say. A judge may agree with itself and be wrong: always taking the longer text does."""


def show_judges(study: Study, selection: Selection, biased: Finding) -> None:
    """A scatter of the judges, where people have voted on what they answered."""
    kinds = set(biased.rows["kind"])
    if "human" not in kinds or len(kinds) < 2:
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
    lead(describe_most(of, measure))
    title = "Judges without labels, and by people's votes"
    interval = describe_intervals(of, (measure, RIGHT))
    above = caption(result, title, interval, several(len(of), "point"))
    show_picture("bias-judges", CaptionedChart(partial(scatter, of, measure), above), of)
