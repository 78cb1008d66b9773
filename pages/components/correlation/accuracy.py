"""Accuracy, a part of the correlation page: how often single answers are right, according to
scores, gold labels or people.
"""

from __future__ import annotations

from functools import partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.findings.accuracy import (
    REFERENCES,
    AccuracySettings,
    accuracy,
    describe_accuracy,
    list_references,
)
from core.findings.accuracy.chart import PICTURE
from core.findings.judgements import Finding, Selection, label_rows, list_selected_comparers
from core.records import TandemError
from pages.components.shared.cached_report import cached_report
from pages.components.shared.filters import WIDE, choose_selection
from pages.components.shared.frame import Study, next_step_links
from pages.components.shared.notice import notice, show_caption, show_headline
from pages.components.shared.picture import caption, show_picture
from pages.components.shared.report import foot
from pages.components.shared.settings import choose_further, choose_setting, describe_setting
from pages.components.shared.tables import first_rows, show_rows

_accuracy = cached_report("Computing accuracy …")(accuracy)


def references(study: Study) -> list[str]:
    """Return what answers can be held against, the usual reference first."""
    return list_references(study.store, Selection(study.dataset))


def show_without_scores(study: Study) -> None:
    """Show who is right most often in a data set without scores, and how to get correlations."""
    row = st.container(horizontal=True)
    reference = _choose_reference(references(study), row)
    judges = list_selected_comparers(study.store, Selection(study.dataset))
    selection = choose_selection(study, row, judges=judges, key="-accuracy")
    further = choose_further(row, AccuracySettings, "against", width=WIDE)
    request = selection, AccuracySettings(reference, **further)
    try:
        result = _accuracy(study.store, request, study.judgements_stamp)
    except TandemError as error:
        notice(str(error))
        next_step_links(judge="Run a judge", data="Import scores", agreement="Agreement")
        return
    show_headline(describe_accuracy(result))
    _show(result)
    show_caption("To see correlations, import texts with a column score:ATTRIBUTE.")


def show_accuracy(study: Study, selection: Selection, rater: str, debias: str) -> None:
    """Show accuracy below the correlations, by the same scores or another reference."""
    described = describe_setting(AccuracySettings, "against")
    st.header("Accuracy", anchor=False, help=described["help"])
    row = st.container(horizontal=True)
    reference = _choose_reference(references(study) or ["scores"], row)
    further = choose_further(row, AccuracySettings, "against", "debias", width=WIDE)
    by_scores = {"rater": rater} if reference == "scores" else {}
    request = selection, AccuracySettings(reference, debias, **by_scores, **further)
    try:
        result = _accuracy(study.store, request, study.scores_stamp)
    except TandemError as error:
        show_caption(f"Accuracy cannot be computed: {error}.")
        return
    show_caption(describe_accuracy(result))
    _show(result)


def _choose_reference(offered: list[str], row: DeltaGenerator) -> str:
    if len(offered) == 1:
        return offered[0]
    return choose_setting(row, AccuracySettings, "against", offered, width=WIDE)


def _show(result: Finding) -> None:
    rows = label_rows(result.rows).sort_values("accuracy", ascending=False)
    rows = first_rows(rows, "judge", "judge", "accuracy")
    title = f"{PICTURE.title}, according to {REFERENCES[result.facts['against']]}"
    above = caption(result, title, result.interval)
    show_picture("accuracy", partial(PICTURE.draw, rows, result.facts), above, rows)
    _show_means(result)
    tables = {
        "accuracy": result.rows,
        "means": result.tables["averages"],
        "differences": result.tables["differences"],
        "systems": result.tables["systems"],
    }
    foot(result, result.interval, name="accuracy-tables", tables=tables)


def _show_means(result: Finding) -> None:
    """Show the means over each model's prompts."""
    rows = result.tables["averages"]
    if rows.empty:
        return
    show_caption("Means over each model's prompts")
    rows = rows.sort_values("accuracy", ascending=False)
    show_rows(rows, result.table_columns["averages"], "Means over prompts")
