"""The section Lab: judges on the same pairs, on development items or on opened test items."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import pandas as pd
import streamlit as st

from core.findings.accuracy import REFERENCES, list_references
from core.findings.judgements import JUDGING, Finding, Selection, label_rows, list_comparers
from core.findings.lab import LabSettings, is_open, open_test
from core.findings.lab.chart import PICTURE
from core.labels import pluralize
from pages.components.shared.filters import Choices, comparers_of
from pages.components.shared.finding import FindingFigure, FindingSection, Table, declare_table
from pages.components.shared.frame import Study
from pages.components.shared.settings import Offered

SHUT = "Each opening is stored with your name, counted, and part of the signature."


def _find_judges(study: Study) -> pd.DataFrame:
    """Return the models and baselines that have answered, or say how to get some."""
    judges = comparers_of(study, "The lab")
    every = list_comparers(study.store, study.dataset)
    return judges if judges.empty else every[every["kind"].isin(JUDGING)]


def _offer_references(study: Study) -> Mapping[str, Offered]:
    there = list_references(study.store, Selection(study.dataset))
    return {"against": {name: REFERENCES[name] for name in there}}


def _open_on_request(study: Study, choices: Choices, selection: Selection) -> Selection:
    """Offer to open the test items where the address asks for them and they are shut."""
    settings = LabSettings(open_test=True)
    is_shut = st.query_params.get("open_test") and not is_open(study.store, selection, settings)
    if is_shut and st.button("Open the test items", help=SHUT):
        open_test(study.store, selection, settings, by=study.visit.audit_name)
        st.rerun()
    return selection


def _sort_rows(result: Finding, judges: Sequence[str] = ()) -> pd.DataFrame:
    rows = label_rows(result.rows)
    return rows[rows["judge"].isin(judges)] if judges else rows


LAB = FindingSection(
    "lab",
    (
        FindingFigure(
            "lab", PICTURE.title,
            _sort_rows,
            lambda result, rows: partial(PICTURE.draw, rows, result.facts),
            lambda result, rows: result.interval,
            lambda result, rows: pluralize(len(rows), "judge"),
        ),
    ),
    _find_judges,
    (
        Table("Each judge", _sort_rows, lambda result: result.columns, is_folded=False),
        declare_table("Judges held against the best", "differences"),
        declare_table("What needs no labels", "without_labels"),
        declare_table("Bias for systems", "systems"),
    ),
    offer=_offer_references,
    order=lambda result: list(dict.fromkeys(result.rows["judge"])),
    adjust=_open_on_request,
)  # fmt: skip
