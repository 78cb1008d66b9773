"""Choices of the page that combines votes with judges.

They are which votes are the truth, and which judges are combined with them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.findings.judgements import Selection, list_comparers
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
TRUTH = (Kind.HUMAN, Kind.GOLD, Kind.SIMULATED)
JUDGING = (Kind.LLM, Kind.BASELINE)
WIDEST = 320  # pixels of a choice of names


@dataclass(frozen=True)
class CombinedJudges:
    """Votes and judges that the page combines.

    The selection holds the `judges`, and `people` the voters, both as names or kinds as on the
    command line. `voted` and `judged` say whether there are any answers of each. `kind` is the kind
    of the votes, human if several are mixed. `truth` is the rater who knows the true order of
    simulated votes.
    """

    selection: Selection
    people: tuple[str, ...]
    voted: bool
    judged: bool
    kind: Kind
    truth: str = ""

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

    @property
    def reference_kind(self) -> str:
        """Return the kind of the votes that judges are compared with."""
        return self.kind.value


def choices(study: Study) -> CombinedJudges | None:
    """Ask for the votes and judges; None, with a notice, if there are no answers."""
    every = list_comparers(study.store, study.dataset)
    if every.empty:
        _show_nothing_yet(study)
        return None
    row = st.container(horizontal=True)
    people = _choose_people(every, row)
    judges = _choose_judges(every, row)
    selection = Selection(
        study.dataset,
        attribute=choose_attribute(every["attribute"], row),
        subset=choose_subset(study, row),
        item_set=choose_item_set(study, row),
    )
    truth, judging = _select_judges(every, people), _select_judges(every, judges)
    if Kind.SIMULATED in people:
        truth = truth[~truth["by_name"]]
    scores = any(len(side) and bool(side["by_name"].all()) for side in (truth, judging))
    selection = replace(choose_answers(study, selection), judges=judges, scores=scores)
    kind = Kind(truth["kind"].iloc[0]) if truth["kind"].nunique() == 1 else Kind.HUMAN
    return CombinedJudges(
        selection,
        people,
        voted=not truth.empty,
        judged=not judging.empty,
        kind=kind,
        truth=_find_truth(every) if kind is Kind.SIMULATED else "",
    )


def _find_truth(every: pd.DataFrame) -> str:
    """Return the simulated rater who gave only scores; '' if there is no such rater."""
    known = every[(every["kind"] == Kind.SIMULATED) & every["by_name"]]
    return "" if known.empty else str(known["judge"].iloc[0])


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


def _choose_people(every: pd.DataFrame, row: DeltaGenerator) -> tuple[str, ...]:
    """Ask for the voters; by default the first kind in TRUTH that has voted."""
    there = set(every.loc[~every["by_name"], "kind"]) or set(every["kind"])
    default = next((kind for kind in TRUTH if kind in there), Kind.HUMAN).value
    voting = every["kind"].isin(TRUTH)
    if default == Kind.SIMULATED:
        voting &= ~every["by_name"]  # the rater who knows the truth is no annotator
    names = list(every.loc[voting, "judge"].unique())
    if len(names) < 2:
        return (default if names else Kind.HUMAN.value,)
    named = row.multiselect(
        "Votes of", names, placeholder=POOLS[Kind(default)], help=VOTES_HELP, width=WIDEST
    )
    return tuple(named) or (default,)


def _choose_judges(every: pd.DataFrame, row: DeltaGenerator) -> tuple[str, ...]:
    """Ask for the judges; by default all language models or, without any, all baselines."""
    there = [kind for kind in JUDGING if kind in set(every["kind"])]
    if not there:
        return (Kind.LLM.value,)
    names = list(every.loc[every["kind"].isin(there), "judge"].unique())
    if len(names) < 2:
        return (there[0].value,)
    named = row.multiselect(
        "Judges", names, placeholder=POOLS[there[0]], help=JUDGES_HELP, width=WIDEST
    )
    return tuple(named) or (there[0].value,)
