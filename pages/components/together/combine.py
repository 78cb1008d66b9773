"""The sections Combine and Plan: who is better by votes and judges, and whom to ask next."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

import pandas as pd
import streamlit as st

from core.findings.chart import draw_chances
from core.findings.combine import FEWEST
from core.findings.combine.chart import estimates
from core.findings.judgements import (
    JUDGING,
    TRUTH,
    Selection,
    choose_truth,
    fill_sides,
    list_comparers,
)
from core.labels import POOLS, pluralize
from core.pairing import WAYS
from core.records import Kind
from pages.components.campaigns.new_campaign import begin_by
from pages.components.shared.address import bind_choice
from pages.components.shared.filters import Choices
from pages.components.shared.finding import (
    FindingFigure,
    FindingSection,
    declare_table,
    show_finding,
)
from pages.components.shared.frame import Study, carry_parameters, next_step_links
from pages.components.shared.notice import notice, show_caption
from pages.components.shared.settings import Offered

TITLE = "Systems by votes, by judges, and by both"
JUDGES_HELP = "Pairs count that all of these judges have answered."
WIDEST = 320  # pixels of a choice of names
NO_VOTES = (
    "No human votes yet, so nothing tells how far people would agree. Let people vote on "
    f"{FEWEST} items or more: both are combined from then on."
)
NO_JUDGES = "No judge has answered yet. One that answers all pairs makes few votes tell more."
UNTOLD = f"Once {FEWEST} items have votes, you see here how many more the estimate needs."
REPLAYS = "Simulated; the range holds four of five cases."
INFORMATIVE = "informative"


def find_answers(study: Study) -> pd.DataFrame:
    """Return who has answered; if nobody has, say how to get answers."""
    every = list_comparers(study.store, study.dataset)
    if every.empty and len(study.store.datasets.systems(study.dataset)) < 2:
        notice("Nothing to compare yet. People and judges need texts by at least two systems.")
        next_step_links(data="Import texts")
    elif every.empty:
        notice(
            "No judgements yet. Let a judge answer all pairs and people some of them: this page "
            "then combines both."
        )
        next_step_links(judge="Run a judge", annotate="Annotate")
    return every


def offer_people(study: Study) -> Mapping[str, Offered]:
    """Return whose votes may be taken as right."""
    every = list_comparers(study.store, study.dataset)
    voting = every["kind"].isin(TRUTH)
    if choose_truth(study.store, study.dataset) == Kind.SIMULATED:
        voting &= ~every["by_name"]  # the rater who knows the truth is no annotator
    return {"people": list(every.loc[voting, "judge"].unique())}


def choose_judges(study: Study, choices: Choices, selection: Selection) -> Selection:
    """Ask for the judges, where there are several."""
    every = list_comparers(study.store, study.dataset)
    there = [kind for kind in JUDGING if kind in set(every["kind"])]
    names = list(every.loc[every["kind"].isin(there), "judge"].unique())
    if len(names) < 2:
        return selection
    judges = choices.place().multiselect(
        "Judges", names, placeholder=POOLS[there[0]], help=JUDGES_HELP, width=WIDEST,
        **bind_choice("judges", (), names),
    )  # fmt: skip
    return replace(selection, judges=tuple(judges))


COMBINE = FindingSection(
    "combine",
    (
        FindingFigure(
            "together-systems", TITLE,
            lambda result, names: result.rows[result.rows["system"].isin(names)],
            lambda result, rows: partial(estimates, rows, result.facts["method"]),
            lambda result, rows: result.interval,
            lambda result, rows: (
                f"{result.facts['voted']:,} of {pluralize(result.facts['pairs'], 'pair')} "
                "with votes"
            ),
        ),
    ),
    find_answers,
    (
        declare_table(TITLE, is_folded=False),
        declare_table("Judges that are combined with votes", "judges"),
    ),
    offer=offer_people,
    order=lambda result: list(result.rows["system"]),
    noun="system",
    adjust=choose_judges,
)  # fmt: skip
PLAN = FindingSection(
    "plan",
    (
        FindingFigure(
            "together-plan", "How many more votes the combined estimate needs",
            lambda result, names: (
                result.rows if result.facts["now"] < 1 else result.rows.iloc[:0]
            ),
            lambda result, rows: partial(draw_chances, rows, result.facts["level"]),
            lambda result, rows: REPLAYS,
            lambda result, rows: pluralize(result.facts["voted"], "pair") + " with votes so far",
        ),
    ),
    find_answers,
    (declare_table("What tells the ranks apart", "needed", is_folded=False),),
    offer=offer_people,
    adjust=choose_judges,
)  # fmt: skip


def show_combined(study: Study) -> None:
    """Show the ranking by votes and judges; where one side is missing, say how to get it."""
    voted, judged = _find_sides(study)
    if (voted and judged) or not (voted or judged):
        show_finding(study, COMBINE)
    elif judged:
        notice(NO_VOTES)
        next_step_links(
            annotate="Annotate", campaigns="Open a campaign", leaderboard="See what judges say"
        )
    else:
        notice(NO_JUDGES)
        next_step_links(judge="Run a judge", leaderboard="See who leads by votes")


def _find_sides(study: Study) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return whose votes and which judges are combined; () where there are none."""
    selection, people = fill_sides(study.store, Selection(study.dataset), ())
    every = list_comparers(study.store, study.dataset)
    there = {*every["judge"], *every["kind"]}
    return tuple(people if there & {*people} else ()), tuple(
        selection.judges if there & {*selection.judges} else ()
    )


def show_plan(study: Study) -> None:
    """Show how many more votes the estimate needs, and offer a campaign of such pairs."""
    voted, judged = _find_sides(study)
    if judged and not voted:
        show_caption(UNTOLD)
    else:
        show_finding(study, PLAN)
    if judged:
        _offer_campaign(study.dataset)


def _offer_campaign(dataset: str) -> None:
    show_caption(
        "Votes help most where judges are unsure or disagree. A campaign can ask about such pairs "
        "more often. Figures stay unbiased, as the chance of every pair is stored."
    )
    if st.button(f"Open a campaign: {WAYS[INFORMATIVE].label.lower()}", key="ask next"):
        begin_by(dataset, INFORMATIVE)
        st.switch_page("pages/campaigns.py", query_params=carry_parameters())
