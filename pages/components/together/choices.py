"""Choices of the page that combines votes with judges.

They are which votes are the truth, and which judges are combined with them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.findings.judgements import (
    JUDGING,
    TRUTH,
    Selection,
    choose_truth,
    fill_sides,
    list_comparers,
)
from core.labels import POOLS
from core.records import Kind
from pages.components.shared.filters import (
    choose_answers,
    choose_attribute,
    choose_item_set,
    choose_subset,
)
from pages.components.shared.frame import Study, next_step_links
from pages.components.shared.notice import notice

VOTES_HELP = """Whose answers are taken as right. The combined figures estimate what these people
would say about all pairs. Scores count as votes: the higher wins."""
JUDGES_HELP = "Pairs count that all of these judges have answered."
WIDEST = 320  # pixels of a choice of names


@dataclass(frozen=True)
class CombinedJudges:
    """Votes and judges that the page combines.

    The selection holds the `judges`, and `people` the voters, both as names or kinds as on the
    command line. `voted` and `judged` say whether there are any answers of each. `kind` is the kind
    of the votes, human if several are mixed.
    """

    selection: Selection
    people: tuple[str, ...]
    voted: bool
    judged: bool
    kind: Kind

    @property
    def of_people(self) -> Selection:
        """Select the answers by people in place of the judges'."""
        return replace(self.selection, judges=self.people)

    @property
    def with_people(self) -> Selection:
        """Select the answers by people beside the judges'. Gold labels are nobody's judgements."""
        if not self.voted or self.kind is Kind.GOLD:
            return self.selection
        return replace(self.selection, judges=(*self.selection.judges, *self.people))


def choices(study: Study) -> CombinedJudges | None:
    """Ask for the votes and judges; None, with a notice, if there are no answers."""
    every = list_comparers(study.store, study.dataset)
    if every.empty:
        _show_nothing_yet(study)
        return None
    row = st.container(horizontal=True)
    people = _choose_people(study, every, row)
    judges = _choose_judges(every, row)
    selection = Selection(
        study.dataset,
        attribute=choose_attribute(every["attribute"], row),
        subset=choose_subset(study, row),
        item_set=choose_item_set(study, row),
    )
    selection = replace(choose_answers(study, selection), judges=judges)
    selection, people = fill_sides(study.store, selection, people)
    truth, judging = _select_judges(every, people), _select_judges(every, selection.judges)
    kind = Kind(truth["kind"].iloc[0]) if truth["kind"].nunique() == 1 else Kind.HUMAN
    return CombinedJudges(
        selection,
        people,
        voted=not truth.empty,
        judged=not judging.empty,
        kind=kind,
    )


def _select_judges(every: pd.DataFrame, wanted: tuple[str, ...]) -> pd.DataFrame:
    return every[every["judge"].isin(wanted) | every["kind"].isin(wanted)]


def _show_nothing_yet(study: Study) -> None:
    if len(study.store.datasets.systems(study.dataset)) < 2:
        notice("Nothing to compare yet. People and judges need texts by at least two systems.")
        next_step_links(data="Import texts")
        return
    notice(
        "No judgements yet. Let a judge answer all pairs and people some of them: this page then "
        "combines both."
    )
    next_step_links(judge="Run a judge", annotate="Annotate")


def _choose_people(study: Study, every: pd.DataFrame, row: DeltaGenerator) -> tuple[str, ...]:
    """Ask for the voters; () leaves the choice to the data."""
    default = choose_truth(study.store, study.dataset)
    voting = every["kind"].isin(TRUTH)
    if default == Kind.SIMULATED:
        voting &= ~every["by_name"]  # the rater who knows the truth is no annotator
    names = list(every.loc[voting, "judge"].unique())
    if len(names) < 2:
        return ()
    return tuple(
        row.multiselect(
            "Votes of", names, placeholder=POOLS[default], help=VOTES_HELP, width=WIDEST
        )
    )


def _choose_judges(every: pd.DataFrame, row: DeltaGenerator) -> tuple[str, ...]:
    """Ask for the judges; () leaves the choice to the data."""
    there = [kind for kind in JUDGING if kind in set(every["kind"])]
    names = list(every.loc[every["kind"].isin(there), "judge"].unique())
    if len(names) < 2:
        return ()
    return tuple(
        row.multiselect(
            "Judges", names, placeholder=POOLS[there[0]], help=JUDGES_HELP, width=WIDEST
        )
    )
