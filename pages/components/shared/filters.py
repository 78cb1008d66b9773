"""Which judgements a page is about: the attribute and the subset, chosen in a row."""

from __future__ import annotations

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.analysis.judgements import Selection, comparers
from pages.components.shared.frame import Study, ways_on
from pages.components.shared.notice import notice

ALL = "all attributes"
# pixels of a choice: names stay legible, and choices that do not fit go into another row
WIDE = 208


def comparers_of(study: Study, what: str) -> pd.DataFrame:
    """The judges of the data set, as in `comparers`; where there are none, how to get `what`."""
    judges = comparers(study.store, study.dataset)
    judges = judges[~judges["by_name"]]
    if judges.empty and len(study.store.datasets.systems(study.dataset)) < 2:
        notice(f"Nothing to compare yet. {what} needs texts by at least two systems.")
        ways_on(data="Import texts")
    elif judges.empty:
        notice(f"No judgements yet. Annotate some pairs or run a judge to see {what.lower()}.")
        ways_on(annotate="Annotate", judge="Run a judge")
    return judges


def choose_selection(
    study: Study, row: DeltaGenerator | None = None, *, judges: pd.DataFrame
) -> Selection:
    """The attribute and subset to look at, of those these judges have compared."""
    row = row or st.container(horizontal=True)
    attribute = choose_attribute(judges["attribute"], row)
    return Selection(study.dataset, subset=choose_subset(study, row), attribute=attribute)


def choose_attribute(attributes: pd.Series, row: DeltaGenerator) -> str | None:
    """One of these attributes; None for all of them."""
    names = list(dict.fromkeys(attributes))
    attribute = row.selectbox("Attribute", [ALL, *names] if len(names) > 1 else names, width=WIDE)
    return None if attribute == ALL else attribute


def choose_subset(study: Study, row: DeltaGenerator) -> str | None:
    """The subset to look at; None for all, without a choice where there is at most one."""
    subsets = study.store.datasets.subsets(study.dataset)
    if len(subsets) < 2:
        return None
    return row.selectbox(
        "Subset", [None, *subsets], format_func=lambda name: name or "all subsets", width=WIDE
    )
