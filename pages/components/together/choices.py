"""Whose votes are the truth, and which judges stand beside them."""

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
from pages.components.shared.frame import Study, ways_on
from pages.components.shared.notice import notice

VOTES_HELP = """Whose answers are taken as right. The combined figures estimate what these people
would say about all pairs. Scores count as votes: the higher wins."""
JUDGES_HELP = "Pairs count that all of these judges have answered."
TRUTH = (Kind.HUMAN, Kind.GOLD, Kind.SIMULATED)
JUDGING = (Kind.LLM, Kind.BASELINE)
WIDEST = 320  # pixels of a choice of names


@dataclass(frozen=True)
class CombinedJudges:
    """What the page is about: the selection's `judges`, beside the votes of `people`, both names or
    kinds as the command line takes them; whether anybody has `voted`, or `judged`, at all; and
    of which kind the votes are, people's where several are mixed. Of simulated votes `truth` is the
    rater who knows what they come to.
    """

    selection: Selection
    people: tuple[str, ...]
    voted: bool
    judged: bool
    kind: Kind
    truth: str = ""

    @property
    def of_people(self) -> Selection:
        """The same answers, by people in place of the judges."""
        return replace(self.selection, judges=self.people)

    @property
    def with_people(self) -> Selection:
        """The same answers, by people beside the judges; gold labels are nobody's judgement."""
        if not self.voted or self.kind is Kind.GOLD:
            return self.selection
        return replace(self.selection, judges=(*self.selection.judges, *self.people))

    @property
    def against(self) -> str:
        """What judges are held against."""
        return self.kind.value


def choices(study: Study) -> CombinedJudges | None:
    """What the reader asks about; None, after a sentence, where nothing has been answered."""
    every = list_comparers(study.store, study.dataset)
    if every.empty:
        _nothing_yet(study)
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
    truth, judging = _of(every, people), _of(every, judges)
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
    """The rater of a simulation who has only given marks; '' where there is none."""
    known = every[(every["kind"] == Kind.SIMULATED) & every["by_name"]]
    return "" if known.empty else str(known["judge"].iloc[0])


def _of(every: pd.DataFrame, wanted: tuple[str, ...]) -> pd.DataFrame:
    return every[every["judge"].isin(wanted) | every["kind"].isin(wanted)]


def _nothing_yet(study: Study) -> None:
    if len(study.store.datasets.systems(study.dataset)) < 2:
        notice("Nothing to compare yet. People and judges need texts by at least two systems.")
        ways_on(data="Import texts")
        return
    notice(
        "No judgements yet. Let a judge answer all pairs and people some of them: this page then "
        "combines both."
    )
    ways_on(judge="Run a judge", annotate="Annotate")


def _choose_people(every: pd.DataFrame, row: DeltaGenerator) -> tuple[str, ...]:
    """Those that are named, else the first kind of TRUTH that has voted."""
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
    """Those that are named, else all language models, else all baselines."""
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
