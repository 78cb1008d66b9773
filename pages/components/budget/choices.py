"""Whose answers are asked once more, and by what."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.findings.budget import QUICK, BudgetSettings
from core.findings.judgements import Selection
from core.records import Kind
from pages.components.shared.filters import (
    WIDE,
    choose_answers,
    choose_attribute,
    choose_subset,
    comparers_of,
)
from pages.components.shared.frame import Study
from pages.components.shared.settings import choose_setting, choose_several, describe_setting

PEOPLE = "people"


def choices(study: Study) -> tuple[Selection, BudgetSettings] | None:
    """What the page is about; None where nobody has compared."""
    judges = comparers_of(study, "A budget")
    if judges.empty:
        return None
    people = judges["kind"] == Kind.HUMAN
    others = judges[~people].sort_values("derived", kind="stable")
    names = [*others["judge"].unique(), *([PEOPLE] if people.any() else [])]
    row = st.container(horizontal=True)
    judge = row.selectbox(
        "Whose answers", names, width=300, help="Answers of one judge, or of people together"
    )
    of_judge = judges[people] if judge == PEOPLE else judges[judges["judge"] == judge]
    attribute = choose_attribute(of_judge["attribute"], row)
    subset = choose_subset(study, row)
    level = choose_setting(row, BudgetSettings, "level", width=WIDE)
    more = st.expander("More")
    settings = _more(more, level)
    chosen = (Kind.HUMAN.value if judge == PEOPLE else judge,)
    selection = Selection(study.dataset, subset=subset, attribute=attribute, judges=chosen)
    return choose_answers(study, selection, more=more), settings


def _more(more: DeltaGenerator, level: str) -> BudgetSettings:
    row = more.container(horizontal=True)
    pairings = choose_several(row, BudgetSettings, "pairings", QUICK, width=3 * WIDE)
    methods = choose_several(row, BudgetSettings, "methods", width=2 * WIDE)
    replays = row.number_input(
        **describe_setting(BudgetSettings, "replays"),
        min_value=1, max_value=1000, value=BudgetSettings.replays,
    )  # fmt: skip
    goal = row.number_input(
        **describe_setting(BudgetSettings, "goal"),
        min_value=0.5, max_value=1.0, value=BudgetSettings.goal, step=0.01,
    )  # fmt: skip
    return BudgetSettings(
        level, pairings=pairings, methods=methods, replays=int(replays), goal=float(goal)
    )
