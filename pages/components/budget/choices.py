"""Whose answers are asked once more, and by what."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.findings.budget import METHODS, PAIRINGS, QUICK, BudgetSettings
from core.findings.judgements import Selection
from core.labels import glossary
from core.pairing import STRATEGIES
from core.records import Kind
from core.statistics import RATINGS
from pages.components.shared.filters import (
    WIDE,
    choose_answers,
    choose_attribute,
    choose_subset,
    comparers_of,
)
from pages.components.shared.frame import Study

PEOPLE = "people"
RANKED = {"": "chosen by the data", "item": "each item's texts", "system": "systems"}
LEVEL_HELP = """Rank the texts of each item, or the systems over all items. Items with three texts
or more are ranked one by one unless you choose."""
REPLAYS_HELP = """How often each strategy draws anew. Strategies that look at answers take long, and
are replayed a fifth as often."""
GOAL_HELP = "The Spearman correlation with the ranking by all comparisons that is good enough."


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
    level = row.selectbox(
        "Rank", list(RANKED), format_func=RANKED.__getitem__, width=WIDE, help=LEVEL_HELP
    )
    more = st.expander("More")
    settings = _more(more, level)
    chosen = (Kind.HUMAN.value if judge == PEOPLE else judge,)
    selection = Selection(study.dataset, subset=subset, attribute=attribute, judges=chosen)
    return choose_answers(study, selection, more=more), settings


def _more(more: DeltaGenerator, level: str) -> BudgetSettings:
    row = more.container(horizontal=True)
    pairings = row.multiselect(
        "Pairs",
        PAIRINGS,
        default=QUICK,
        help=glossary(STRATEGIES[name] for name in PAIRINGS),
        width=3 * WIDE,
    )
    methods = row.multiselect(
        "Methods",
        METHODS,
        format_func=lambda name: RATINGS[name].label,
        placeholder="chosen by the data",
        help=glossary(RATINGS[name] for name in METHODS),
        width=2 * WIDE,
    )
    replays = row.number_input("Replays", 1, 1000, BudgetSettings.replays, help=REPLAYS_HELP)
    goal = row.number_input("Goal", 0.5, 1.0, BudgetSettings.goal, 0.01, help=GOAL_HELP)
    return BudgetSettings(
        level,
        pairings=tuple(pairings),
        methods=tuple(methods),
        replays=int(replays),
        goal=float(goal),
    )
