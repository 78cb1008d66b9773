"""Trust in each judge, with and without votes, and what an added sentence turns."""

from __future__ import annotations

from functools import partial

import pandas as pd
import streamlit as st

from core.findings.attacks import attacks, describe_attacks
from core.findings.attacks.chart import PICTURE, draw_attacks
from core.findings.judgements import (
    JUDGING,
    WILSON,
    Finding,
    Selection,
    fill_sides,
    label_rows,
    list_comparers,
)
from core.findings.judges import MEASURES, RIGHT, describe_unlabelled, judges
from core.findings.judges.chart import scatter
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
**Discrimination**: how closely a judge follows what all judges together say; 1 is the average.
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
