"""Judges as points: what can be said of them without labels, and how often they are right."""

from __future__ import annotations

from functools import partial

import streamlit as st

from core.findings.judgements import Finding, Selection, label_rows
from core.findings.judges import MEASURES, duration, judges
from core.findings.judges.chart import judges as draw_judges
from core.labels import INTERVALS
from core.rendering.charts import Drawing
from core.reporting import sentences
from core.store import Store
from pages.components.shared.cached_report import cached_report
from pages.components.shared.frame import Study
from pages.components.shared.notice import lead, several
from pages.components.shared.picture import caption, show_picture

WITHOUT = """Figures that need no votes, beside the share of answers that are right by what most
people say. A judge may agree with itself and be wrong: always taking the longer text does."""
CHOICES = {
    "Both orders": "consistent", "Three texts": "transitive", "Discrimination": "discrimination",
}  # fmt: skip


@cached_report("Comparing judges …", duration.seconds)
def _judges(store: Store, selection: Selection) -> Finding:
    return judges(store, selection)


def show_judges(study: Study, selection: Selection, biased: Finding) -> None:
    """A scatter of the judges, where people have voted on what they answered."""
    kinds = set(biased.rows["kind"])
    if "human" not in kinds or len(kinds) < 2:
        return
    result = _judges(study.store, selection, study.judgements_stamp, otherwise=biased)
    if result is biased:  # still being counted
        return
    rows = label_rows(result.rows.dropna(subset="accuracy"))
    known = {name: of for name, of in CHOICES.items() if of in set(rows["measure"])}
    if rows["label"].nunique() < 2 or not known:
        return
    st.header("Consistent, and right?", anchor=False, help=WITHOUT)
    first = next(iter(known))
    chosen = st.segmented_control("Held against", list(known), default=first) or first
    of = rows[rows["measure"] == known[chosen]]
    lead(sentences.beside(of, MEASURES[known[chosen]]))
    form = ".2f" if known[chosen] == "discrimination" else ".0%"
    drawn = partial(draw_judges, of, MEASURES[known[chosen]], form=form)
    title = "Judges without labels, and by people's votes"
    above = caption(result, title, INTERVALS["share"], several(len(of), "point"))
    show_picture("bias-judges", Drawing(drawn, above), of)
