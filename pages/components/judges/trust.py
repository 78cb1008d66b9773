"""Trust in each judge, with and without votes, and what moves it besides quality."""

from __future__ import annotations

from functools import partial

import pandas as pd
import streamlit as st

from core.findings.judgements import (
    JUDGING,
    Finding,
    Selection,
    fill_sides,
    label_rows,
    list_comparers,
)
from core.findings.judges import MEASURES, RIGHT, describe_unlabelled, judges
from core.findings.judges.chart import scatter
from core.findings.probes import CHANGE, probes
from core.findings.probes.chart import PICTURE, draw_probes
from core.labels import pluralize
from core.records import Kind
from core.rendering import describe_intervals
from core.rendering.charts import MOST_ROWS
from pages.components.shared.cached_report import cached_report
from pages.components.shared.counting import SLOW
from pages.components.shared.faults import show_faults
from pages.components.shared.filters import choose_measure
from pages.components.shared.frame import Study, next_step_links
from pages.components.shared.notice import show_caption, show_findings, show_headline
from pages.components.shared.picture import caption, show_picture
from pages.components.shared.report import foot
from pages.components.shared.tables import first_names, show_rows

_judges = cached_report("Comparing judges …", lane=SLOW)(judges)

HELP = """**Right**: as most people say, or the gold labels. **Same in both orders**: the judge
keeps its verdict when texts change places. **Three texts agree**: A over B, B over C, so A over C.
Only the first says whether a judge is right: one that always takes the longer text never
contradicts itself."""


def show_trust(study: Study) -> None:
    """Show how far to trust judges, in a sentence, chart and table."""
    every = list_comparers(study.store, study.dataset)
    if not every["kind"].isin(JUDGING).any():
        return
    attribute = st.query_params.get("attribute")
    attribute = attribute if attribute in set(every["attribute"]) else None
    selection = Selection(study.dataset, attribute=attribute)
    selection, people = fill_sides(study.store, selection, ())
    truth = every[every["judge"].isin(people) | every["kind"].isin(people)]
    kind = Kind(truth["kind"].iloc[0]) if truth["kind"].nunique() == 1 else Kind.HUMAN
    st.header("How far can each judge be trusted?", anchor=False, help=HELP)
    with show_faults():
        result = _judges(study.store, (selection, kind.value), study.scores_stamp)
        best = [RIGHT.name, *MEASURES]
        rows = label_rows(result.rows)
        rows = rows.sort_values(best, ascending=False, na_position="last", kind="stable")
        if rows.empty:
            show_caption("Nothing is known of these judges yet: let them answer more pairs.")
            return
        unlabelled = describe_unlabelled(rows, voted=not truth.empty)
        said = result.facts["right"] or " ".join([unlabelled, *result.facts["cautions"]])
        show_headline(said)
        names = first_names(rows["label"].tolist(), "judge", "trust")
        rows = rows[rows["label"].isin(names)]
        _show_picture(result, rows)
        columns = [column for column in result.columns if column.name in rows]
        show_rows(rows, columns, "How far each judge can be trusted")
        foot(result, result.interval, name="judges", tables={"judges": result.rows})


def _show_picture(result: Finding, rows: pd.DataFrame) -> None:
    """Show judges as points, if people voted and several can be compared."""
    is_right = rows[RIGHT.name].notna()
    held = [name for name in MEASURES if (rows[name].notna() & is_right).sum() > 1]
    if not held:
        return
    measure = MEASURES[choose_measure(held)]
    points = rows.dropna(subset=[measure.name, RIGHT.name])
    title = "Judges without labels, and how often they are right"
    number = pluralize(len(points), "judge")
    above = caption(result, title, describe_intervals(points, (measure, RIGHT)), number)
    show_picture("judges-trust", partial(scatter, points, measure), above, points)


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
        above = caption(result, PICTURE.title, describe_intervals(rows, [CHANGE]), answers)
        show_picture("bias-probes", partial(draw_probes, rows), above, rows)
        if len(rows) > MOST_ROWS:
            show_caption(f"Drawn are the {MOST_ROWS} largest changes of {len(rows)}.")
    with st.expander("Probes in figures"):
        show_rows(result.rows, result.columns, "What each probe changes")
        foot(result, result.interval, "answer", ABOUT)
