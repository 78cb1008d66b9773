"""Whose agreement the page is about, with or without those who have given scores."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
import streamlit as st

from core.findings.agreement import AgreementSettings
from core.findings.judgements import Selection, comparers
from core.labels import several
from pages.components.shared.filters import WIDE, choose_selection, comparers_of, first_measured
from pages.components.shared.frame import Study
from pages.components.shared.notice import small
from pages.components.shared.settings import choose_setting

SCORES_HELP = """Of two texts of an item the one with the higher score is better; equal scores are a
tie. Nobody was shown one text first. Means of several raters are left out where these are there."""


def choose(study: Study) -> tuple[Selection, AgreementSettings] | None:
    """What the reader asks about; None where nobody has judged, and no scores are taken."""
    judges, scores = _judges(study)
    if judges.empty:
        return None
    row = st.container(horizontal=True)
    selection = choose_selection(study, row, judges=judges)
    over = choose_setting(row, AgreementSettings, "over", width=WIDE)
    settings = AgreementSettings(first_measured(study), over=over)
    return replace(selection, scores=scores), settings


def _judges(study: Study) -> tuple[pd.DataFrame, bool]:
    """Those whose comparisons count, and whether scores are among them."""
    every = comparers(study.store, study.dataset)
    raters = every.loc[every["by_name"], "judge"].nunique()
    if raters and st.toggle(f"Compare scores of {several(raters, 'rater')}", help=SCORES_HELP):
        return every, True
    if raters and every["by_name"].all():
        small("Switch this on to see how far those agree who have scored the texts.")
    return comparers_of(study, "Agreement"), False
