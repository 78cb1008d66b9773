"""How far each judge can be trusted: right by people's votes, and at one with itself."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import NamedTuple

import pandas as pd
import streamlit as st

from core.findings.judgements import Finding, label_rows, unless_refused
from core.findings.judges import (
    MEASURES,
    RIGHT,
    describe_unlabelled,
    duration,
    judges,
    name_measure,
)
from core.findings.judges.chart import scatter
from core.findings.replacement import VERDICT, ReplaceSettings, replacement
from core.rendering import describe_intervals
from core.rendering.charts import AxisScale, CaptionedChart, EstimateColumns, dots
from core.store import Store
from pages.components.shared.cached_report import cached_report
from pages.components.shared.faults import told
from pages.components.shared.filters import choose_measure
from pages.components.shared.first_rows import first_names
from pages.components.shared.frame import Study
from pages.components.shared.notice import lead, several, small
from pages.components.shared.picture import caption, show_picture
from pages.components.shared.tables import show_rows
from pages.components.together.choices import CombinedJudges
from pages.components.together.closer import show_closer

HELP = """**Right**: as most people say, or the gold labels. **Same in both orders**: the judge
keeps its verdict when texts change places. **Three texts agree**: A over B, B over C, so A over C.
**Discrimination**: how closely a judge follows what all judges together say; 1 is the average.
Only the first says whether a judge is right: one that always takes the longer text never
contradicts itself."""
KEYS = ["judge", "attribute"]
PLACE = replace(VERDICT, label="an annotator's place", help="The alternative annotator test")


class Trust(NamedTuple):
    """What is known of judges, and where there are votes whether they may replace an annotator."""

    measured: Finding
    replacing: Finding | None


def show_trust(study: Study, chosen: CombinedJudges) -> None:
    """The answer in a sentence, a picture and a table, and what there is to look at closer."""
    if not chosen.judged:
        return
    st.header("How far can each judge be trusted?", anchor=False, help=HELP)
    with told():
        found = _trust(study.store, chosen, study.scores_stamp)
        rows = _table(found)
        if rows.empty:
            small("Nothing can be told of these judges yet: let them answer more pairs.")
            return
        unlabelled = describe_unlabelled(rows, voted=chosen.voted)
        lead(found.measured.facts["right"] or unlabelled)
        names = first_names(rows["label"].tolist(), "judge", "trust")
        rows = rows[rows["label"].isin(names)]
        _show_picture(found, rows)
        columns = [column for column in found.measured.columns if column.name in rows]
        if "verdict" in rows and rows[RIGHT.name].notna().any():
            columns.append(PLACE)
        show_rows(rows, columns, "How far each judge can be trusted")
        show_closer(study, chosen, found.replacing)


def _seconds(store: Store, chosen: CombinedJudges) -> float:
    return duration.seconds(store, chosen.selection)


@cached_report("Comparing judges …", _seconds)
def _trust(store: Store, chosen: CombinedJudges) -> Trust:
    selection = chosen.selection
    return Trust(
        judges(store, selection, chosen.against),
        unless_refused(partial(replacement, store, selection, ReplaceSettings(chosen.people))),
    )


def _table(found: Trust) -> pd.DataFrame:
    """A row for each judge and attribute: what is right and what fits together, the best first."""
    rows = label_rows(found.measured.rows)
    if found.replacing is not None:
        rows = rows.merge(found.replacing.rows[[*KEYS, "verdict"]], how="left", on=KEYS)
    best = [RIGHT.name, *MEASURES]
    return rows.sort_values(best, ascending=False, na_position="last", kind="stable")


def _show_picture(found: Trust, rows: pd.DataFrame) -> None:
    """Judges as points where people voted and several can be held beside each other; else dots."""
    is_right = rows[RIGHT.name].notna()
    held = [name for name in MEASURES if (rows[name].notna() & is_right).sum() > 1]
    if held:
        measure = MEASURES[choose_measure(held)]
        points = rows.dropna(subset=[measure.name, RIGHT.name])
        title, of = (
            "Judges without labels, and how often they are right",
            several(len(points), "judge"),
        )
        above = caption(found.measured, title, describe_intervals(points, (measure, RIGHT)), of)
        show_picture(
            "together-trust", CaptionedChart(partial(scatter, points, measure), above), points
        )
        return
    column = next(one for one in (RIGHT, *MEASURES.values()) if rows[one.name].notna().any())
    title = "right answers (a tie is half)" if column is RIGHT else name_measure(column)
    scale = AxisScale(reference=0.5)
    if column.name == "discrimination":
        scale = AxisScale(None, column.unit.form, 1.0)
    [counted] = [one for one in found.measured.columns if one.name == f"{column.name}_n"]
    drawn = partial(dots, rows, column.label, EstimateColumns.of(column.name, counted.name), scale)
    number = f"{rows[counted.name].sum():,.0f} {counted.label}"
    title = f"{title[:1].upper()}{title[1:]}"
    above = caption(found.measured, title, describe_intervals(rows, (column,)), number)
    show_picture("together-trust", CaptionedChart(drawn, above), rows)
