"""What the pages that say whom to trust have in common: their choices, what stands under a figure,
and the downloads.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import altair as alt
import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.analysis.export import for_spreadsheets
from core.analysis.judgements import Result, Selection, comparers
from core.charts import MOST_ROWS, picture
from pages.components.shared.frame import Study, ways_on
from pages.components.shared.notice import lead, notice, several, small

ALL = "all attributes"
WIDE = (
    208  # pixels of a choice: names stay legible, and choices that do not fit go into another row
)
WIDEST = 270  # of a column of judges' names: the figures beside them stay in sight
WILSON = (
    "Wilson's, at the number of independent answers they are worth (answers about one item "
    "are alike)"
)
AT_ONCE = 50_000  # judgements beyond which reading single answers waits to be asked for


def judged(study: Study, what: str) -> pd.DataFrame:
    """Who has compared what here, as in `comparers`; none after saying how to get `what`."""
    there = comparers(study.store, study.dataset)
    there = there[~there["by_name"]]
    if there.empty and len(study.store.datasets.systems(study.dataset)) < 2:
        notice(
            f"There is nothing to compare yet. Bring texts by two systems or more, and {what} "
            "can be seen here."
        )
        ways_on(data="Bring more texts")
    elif there.empty:
        notice(f"No judgements yet. Annotate some pairs, or run a judge, and {what} appears here.")
        ways_on(annotate="Annotate", judge="Run a judge")
    return there


def concluded(
    study: Study,
    what: str,
    counted: Callable[[Study, Selection], Result],
    sentence: Callable[[Result], str],
) -> tuple[Selection, Result] | None:
    """What was chosen and counted, after the sentence that says what it means; None where nobody
    has judged.
    """
    there = judged(study, what)
    if there.empty:
        return None
    chosen = selection(study, there, st.container(horizontal=True))
    result = counted(study, chosen)
    lead(sentence(result))
    if result.rows.empty or not result.judgements:
        ways_on(annotate="Annotate", judge="Run a judge")
    return chosen, result


def selection(study: Study, there: pd.DataFrame, row: DeltaGenerator) -> Selection:
    """The attribute and subset to look at, chosen in a row of choices."""
    attributes = list(dict.fromkeys(there["attribute"]))
    attribute = row.selectbox(
        "Attribute", [ALL, *attributes] if len(attributes) > 1 else attributes, width=WIDE
    )
    return Selection(
        study.dataset, subset=subset(study, row), attribute=None if attribute == ALL else attribute
    )


def subset(study: Study, row: DeltaGenerator) -> str | None:
    """The subset to look at; no choice, and None, where there is but one."""
    subsets = study.store.datasets.subsets(study.dataset)
    if len(subsets) < 2:
        return None
    return row.selectbox(
        "Subset", [None, *subsets], format_func=lambda one: one or "all subsets", width=WIDE
    )


def beyond(rows: pd.DataFrame, where: str = "all are in the table") -> None:
    """That a chart of rows holds the first of them only."""
    if len(rows) > MOST_ROWS:
        small(f"The first {MOST_ROWS} of {len(rows)} rows; {where}.")


def labelled(rows: pd.DataFrame) -> pd.DataFrame:
    """With what a row is called in a chart: its judge, and its attribute where there are
    several."""
    several = rows["attribute"].nunique() > 1
    return rows.assign(
        label=rows["judge"] + " · " + rows["attribute"] if several else rows["judge"]
    )


def percent(value: float, low: float | None = None, high: float | None = None) -> str:
    """72% (68 to 76)."""
    if low is None or high is None or pd.isna(low) or pd.isna(high):
        return f"{value:.0%}"
    return f"{value:.0%} (95% interval {100 * low:.0f} to {100 * high:.0f})"


def foot(result: Result, intervals: str) -> None:
    """What stands under a figure: what a reader must know, how many it is of, how it was made."""
    for note in result.notes[:8]:
        small(note)
    unanswered = (
        ", ".join(f"{count:,} {reason}" for reason, count in result.unanswered.items()) or "none"
    )
    small(f"{several(result.judgements, 'judgement')} used; unanswered: {unanswered}. {intervals}")
    st.code(result.signature, language=None, wrap_lines=True)


def downloads(name: str, tables: Mapping[str, pd.DataFrame], chart: alt.LayerChart | None) -> None:
    """Tables as CSV and the picture as PNG and SVG, in a row that breaks where the window is
    narrow.
    """
    with st.container(horizontal=True):
        for what, table in tables.items():
            several = len(tables) > 1
            st.download_button(
                f"CSV: {what}" if several else "CSV",
                for_spreadsheets(table),
                f"{name}-{what}.csv" if several else f"{name}.csv",
                "text/csv",
                key=f"{name}-{what}.csv",
                on_click="ignore",
            )
        for form, mime in (
            (("png", "image/png"), ("svg", "image/svg+xml")) if chart is not None else ()
        ):
            st.download_button(
                form.upper(),
                lambda form=form: picture(chart, form),
                f"{name}.{form}",
                mime,
                key=f"{name}.{form}",
                on_click="ignore",
            )
