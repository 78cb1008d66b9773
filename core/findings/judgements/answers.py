"""The judgements and scores of a selection. Comparisons are derived from scores, and never stored:
of two texts of an item the one with the higher score is better.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated

import numpy as np
import pandas as pd

from ...frames import Schema, get_schema
from ...judging import registry
from ...records import Kind, Outcome, TandemError, option_ref
from ...store import JudgementRows, ScoreRows, Store
from .debiasing import drop_certainty
from .provenance import mark_rest
from .selection import (
    Selection,
    add_families,
    check_selection,
    check_systems,
    keep_chosen_items,
    load_judgements,
    name_some,
)

FamilyRows = Annotated[pd.DataFrame, get_schema(JudgementRows).extend({str: "family"})]
JudgedRows = Annotated[
    pd.DataFrame, get_schema(JudgementRows).extend({float: "points", str: "family"})
]
ChosenJudges = Annotated[pd.DataFrame, Schema({str: "judge kind", bool: "derived"})]
Comparers = Annotated[pd.DataFrame, Schema({str: "judge kind attribute", bool: "derived by_name"})]
ChosenScores = Annotated[pd.DataFrame, get_schema(ScoreRows).extend({str: "panel family"})]
TextScores = Annotated[
    pd.DataFrame, Schema({int: "generation", str: "item family system attribute", float: "value"})
]
TRUTH = (Kind.HUMAN, Kind.GOLD, Kind.SIMULATED)
"""The kinds whose answers are taken as right, first those that are preferred."""
JUDGING = (Kind.LLM, Kind.BASELINE)
"""The kinds that are held against them."""
POINTS = {outcome.value: outcome.points for outcome in Outcome}
_NUMBERED = re.compile(r"-\d+$")


def find_judges(store: Store, selection: Selection, *, excluded: bool = False) -> ChosenJudges:
    """Find the judges of a selection: judge, kind and `derived`. People excluded from statistics
    are included only on request. Raises TandemError if the selection is ambiguous.

    Raters who score texts compare them by the difference of scores (`derived`): scorers like any
    judge of their kind, other raters only by name.
    """
    every = _list_all_comparers(store, selection, excluded)
    there = every[~every["by_name"]]
    runs = selection.provenance.chosen_runs(store, selection.dataset)
    asked_by = () if runs is None else tuple(runs["judge"].unique())
    wanted = selection.judges or asked_by or (Kind.HUMAN.value,)
    named = every["judge"].isin(_list_names(wanted))
    found = every[named | (every["kind"].isin(wanted) & ~every["by_name"])]
    if not excluded:
        _check_excluded(store, selection, wanted, nobody=found.empty)
    if there.empty and not named.any():
        raise TandemError(
            f"data set {selection.dataset!r} has no judgements yet"
            f"{f' of {selection.attribute}' if selection.attribute else ''}: annotate, or run a "
            "judge"
        )
    unknown = [name for name in wanted if name not in {*every["judge"], *Kind}]
    if unknown:
        raise TandemError(
            f"no judgements by {unknown[0]!r} here; there are some by {name_some(there['judge'])}"
        )
    if found.empty:
        asked = "no human has judged here yet"
        if selection.judges:
            asked = f"no judgements by {' or '.join(wanted)} here"
        kinds = ", ".join(sorted(there["kind"].unique()))
        raise TandemError(
            f"{asked}: choose with {option_ref('judges')} {kinds}, or of "
            f"{name_some(there['judge'])}"
        )
    return found[["judge", "kind", "derived"]]


def _check_excluded(
    store: Store, selection: Selection, wanted: Sequence[str], *, nobody: bool
) -> None:
    """Check that no excluded person is named, and that exclusions did not remove all judges of the
    wanted kinds (`nobody`). Raises TandemError.
    """
    if not (out := store.exclusions.kinds(selection.dataset)):
        return
    named = [name for name in selection.judges if name in out]
    of_kind = [name for name, kind in out.items() if nobody and kind in wanted]
    if named or of_kind:
        raise TandemError(
            f"the votes of {name_some(named or of_kind)} are left out of statistics: lift the "
            "exclusion to count them"
        )


def list_comparers(store: Store, dataset: str, *, excluded: bool = False) -> Comparers:
    """List the judges with comparisons: judge, kind, attribute, whether they are `derived` from
    scores, and whether they count `by_name` only. With `excluded` also people excluded from
    statistics.
    """
    judges = store.judgement_frames.judges(dataset, excluded=excluded).assign(
        derived=False, by_name=False
    )
    marks = store.scores.scorers(dataset)
    marks = marks[~marks["judge"].isin(judges["judge"])]  # who has compared is asked for that
    modes = {member.mode for member in registry.members(["marks"])}
    every = pd.concat(
        [judges, marks.assign(derived=True, by_name=~marks["mode"].isin(modes))], ignore_index=True
    )
    columns = ["judge", "kind", "attribute", "derived", "by_name"]
    return every[columns].astype(
        {"derived": bool, "by_name": bool}
    )  # a column of no rows has no type


def list_selected_comparers(store: Store, selection: Selection) -> Comparers:
    """List the judges of a selection with comparisons on its attribute, of all kinds if none is
    named; who counts by name only is left out.
    """
    every = list_comparers(store, selection.dataset)
    every = every[~every["by_name"]]
    if selection.judges:
        every = every[every[["judge", "kind"]].isin(selection.judges).any(axis=1)]
    return every[every["attribute"] == selection.attribute] if selection.attribute else every


def choose_truth(store: Store, dataset: str) -> Kind:
    """Choose the kind whose answers are taken as right where nobody is named."""
    every = list_comparers(store, dataset)
    there = set(every.loc[~every["by_name"], "kind"]) or set(every["kind"])
    return next((kind for kind in TRUTH if kind in there), Kind.HUMAN)


def fill_sides(
    store: Store, selection: Selection, people: tuple[str, ...] = ()
) -> tuple[Selection, tuple[str, ...]]:
    """Return the selection with its judges, and the people they are held against, where these were
    not named: models, else baselines, and the kind of `choose_truth`.

    People among the named judges are held against the others of them. Who only gave scores compares
    by these.
    """
    every = list_comparers(store, selection.dataset)
    kinds = dict(zip(every["judge"], every["kind"], strict=True)) | {kind: kind for kind in Kind}
    judges = selection.judges
    named = tuple(name for name in judges if kinds.get(name) in TRUTH)
    if not people and 0 < len(named) < len(judges):
        people, judges = named, tuple(name for name in judges if name not in named)
    people = people or (choose_truth(store, selection.dataset).value,)
    usual = next((kind for kind in JUDGING if kind in set(every["kind"])), Kind.LLM)
    judges = judges or (usual.value,)
    sides = [every[every[["judge", "kind"]].isin(names).any(axis=1)] for names in (people, judges)]
    scores = any(len(side) and bool(side["by_name"].all()) for side in sides)
    return replace(selection, judges=judges, scores=selection.scores or scores), people


def _list_all_comparers(store: Store, selection: Selection, excluded: bool = False) -> Comparers:
    every = list_comparers(store, selection.dataset, excluded=excluded)
    if selection.scores:
        every = every.assign(by_name=every["by_name"] & _find_means(every))
    if selection.attribute:
        every = every[every["attribute"] == selection.attribute]
    return every.drop_duplicates("judge")


def _find_means(judges: pd.DataFrame) -> pd.Series:
    """Find the raters whose scores are means of others': an `expert` beside expert-1 .., a `human`
    beside other people. Including them would inflate agreement.
    """
    marked = judges[judges["by_name"]].drop_duplicates("judge")
    panels = {name_panel(rater) for rater in marked["judge"]} - {""}
    many = marked["kind"].value_counts()
    together = (judges["judge"] == judges["kind"]) & (judges["kind"].map(many) > 1)
    return judges["judge"].isin(panels) | together


def name_panel(rater: str) -> str:
    """The panel of a numbered rater, expert of expert-1; '' of any other."""
    return _NUMBERED.sub("", rater) if _NUMBERED.search(rater) else ""


def _list_names(wanted: Sequence[str]) -> list[str]:
    """Keep the words that name a judge. A word for a kind means the kind, even if a rater has the
    same name.
    """
    return [name for name in wanted if name not in tuple(Kind)]


def load_mark_comparisons(store: Store, selection: Selection) -> FamilyRows:
    """The comparisons that come out of the marks of the chosen judges, as `Store.judgements`, with
    the `family` of each item.
    """
    every = _list_all_comparers(store, selection)
    of_kind = every["kind"].isin(selection.judges) & ~every["by_name"]
    chosen = every["judge"].isin(_list_names(selection.judges)) | of_kind
    marks = load_marks(store, replace(selection, judges=()))
    frame = compare_marks(
        turn_marks(marks[marks["rater"].isin(every.loc[chosen & every["derived"], "judge"])])
    )
    return add_families(store, selection, frame)


def select_answered(
    store: Store, selection: Selection, *, rest: bool = False
) -> tuple[pd.DataFrame, dict[str, int]]:
    """The answered judgements of a selection with their `points` for A and the `family` of their
    item, and the unanswered ones counted by reason.
    """
    frame, unanswered = select_judgements(store, selection, rest=rest)
    return frame.dropna(subset="points"), unanswered


def select_judgements(
    store: Store, selection: Selection, *, rest: bool = False
) -> tuple[pd.DataFrame, dict[str, int]]:
    """All judgements of a selection with their `points` for A, NaN where unanswered, and those
    counted by reason. Where all samples are alike there is no `prob_a` (see `drop_certainty`).
    Votes on the `rest`, what judges were not trusted with, are no sample of all pairs, and are left
    out unless a figure weighs them.
    """
    check_selection(store, selection)
    check_systems(selection, "a comparison needs two")
    judges = find_judges(store, selection)
    frame = load_judgements(store, selection)
    frame = frame[frame["judge"].isin(judges.loc[~judges["derived"], "judge"])]
    if not rest:
        frame = frame[~mark_rest(store, selection.dataset, frame)]
    frame = add_families(store, selection, frame)
    answers = selection.provenance.answers(store, selection.dataset)
    frame = selection.provenance.of_judgements(frame, answers)
    if judges["derived"].any():
        meant = replace(selection, judges=selection.judges or tuple(judges["judge"]))
        frame = pd.concat([frame, load_mark_comparisons(store, meant)], ignore_index=True)
    if selection.systems:
        frame = frame[
            frame["system_a"].isin(selection.systems) & frame["system_b"].isin(selection.systems)
        ]
    frame = keep_chosen_items(store, selection, frame)
    if selection.pairs:
        pairs = np.sort(frame[["generation_a", "generation_b"]].to_numpy(), axis=1)
        frame = frame[[pair in selection.pairs for pair in map(tuple, pairs.tolist())]]
    frame = drop_certainty(store, frame)
    unanswered = Counter(frame.loc[frame["outcome"].isna(), "failure"].tolist())
    return frame.assign(points=frame["outcome"].map(POINTS).astype(float)), unanswered


def load_marks(store: Store, selection: Selection) -> ChosenScores:
    """The marks of a selection as they were given, with the `panel` of each rater and the `family`
    of each item.
    """
    frame = store.scores.load_all(selection.dataset).astype({"value": float})
    frame = selection.provenance.of_scores(store, selection.dataset, frame)
    frame = keep_chosen_items(store, selection, frame)
    keep = pd.Series(True, index=frame.index)
    for column, wanted in (("subset", selection.subset), ("attribute", selection.attribute)):
        if wanted:
            keep &= frame[column] == wanted
    if selection.systems:
        keep &= frame["system"].isin(selection.systems)
    frame = frame[keep]
    frame = frame.assign(panel=frame["rater"].str.replace(_NUMBERED, "", regex=True))
    if selection.judges:
        named = frame[["rater", "kind", "panel"]].isin(selection.judges).any(axis=1)
        frame = frame[named]
    return add_families(store, selection, frame)


def turn_marks(marks: pd.DataFrame) -> ChosenScores:
    """Marks as `load_marks` gives them, with the sign changed of those where lower is better."""
    lower = marks["lower_is_better"].to_numpy(bool)
    return marks.assign(value=marks["value"].where(~lower, -marks["value"]))


def average_rater_marks(store: Store, selection: Selection, rater: str) -> TextScores:
    """Average the marks of a rater, a panel (expert = expert-1, expert-2 ..), or a kind over raters
    and trials. Columns: generation, item, family, system, attribute, value. Raises TandemError if
    there are no marks.
    """
    return average_marks(load_rater_marks(store, selection, rater))


def average_marks(marks: pd.DataFrame) -> TextScores:
    """Average the marks of each text. Columns: generation, item, family, system, attribute,
    value.
    """
    keys = ["generation", "item", "family", "system", "attribute"]
    return marks.groupby(keys, sort=False)["value"].mean().reset_index()


def count_unscored(store: Store, selection: Selection, rater: str) -> dict[str, int]:
    """Count the missing marks of a rater, a panel or a kind by reason."""
    failures = load_rater_marks(store, selection, rater)["failure"]
    return dict(Counter(failures[failures != ""].tolist()))


def load_rater_marks(store: Store, selection: Selection, rater: str) -> ChosenScores:
    """Load the marks of a rater, a panel or a kind, a row for each rater and trial, NaN where one
    failed. Marks are turned so that higher is better. Raises TandemError if there are no marks.
    """
    every = load_marks(store, replace(selection, judges=()))
    frame = every[(every["rater"] == rater) | (every["panel"] == rater)]
    if frame.empty:
        frame = every[every["kind"] == rater]
    if frame.empty:
        there = every["rater"].unique()
        others = f"there are some by {name_some(there)}" if len(there) else "nobody has given any"
        raise TandemError(f"no scores by {rater!r} here; {others}")
    return turn_marks(frame)


GROUP = ["rater", "attribute", "trial", "item", "sample"]


def compare_marks(marks: pd.DataFrame) -> JudgementRows:
    """Convert marks (the store's frame of them) to comparisons of every two systems, in the columns
    of `Store.judgements`.

    One row for each judge, attribute, trial, item, two systems and sample j of both; the system
    first by name is A. Equal marks are a tie. Where one of the two marks failed, so does the
    comparison, with its reason; where one is not there, neither is the comparison. Nobody was shown
    anything first (order_known 0), and a difference of marks is no probability. The order is a
    shuffle that does not depend on when marks came, or on which: with a system's comparisons in a
    row Elo would be wrong about it.
    """
    sides = ["system", "generation", "value", "failure"]
    both = marks.merge(marks[[*GROUP, *sides]], on=GROUP, suffixes=("_a", "_b"))
    both = both[both["system_a"] < both["system_b"]].reset_index(drop=True)
    difference = (both["value_a"] - both["value_b"]).to_numpy()
    outcome = pd.Series(
        np.select([difference > 0, difference < 0], [Outcome.A, Outcome.B], Outcome.TIE),
        dtype="str",
    )
    frame = pd.DataFrame(
        {
            "judgement": 0,
            "comparison": 0,
            **both[["attribute", "item", "subset", "system_a", "system_b"]],
            "sample_a": both["sample"],
            "sample_b": both["sample"],
            **both[["generation_a", "generation_b"]],
            "judge": both["rater"],
            **both[["kind", "trial"]],
            "run": np.nan,
            "campaign": np.nan,
            "outcome": outcome.mask(np.isnan(difference)),
            "prob_a": np.nan,
            "failure": both["failure_a"].where(both["value_a"].isna(), both["failure_b"]),
            "seconds": np.nan,
            "order_known": 0,
        }
    )
    shuffled = pd.util.hash_pandas_object(
        frame[["item", "system_a", "system_b", "sample_a"]], index=False
    )
    order = np.lexsort((frame["trial"], frame["attribute"], frame["judge"], shuffled))
    number = -1 - np.arange(len(frame))  # rows of no table
    return frame.iloc[order].assign(judgement=number, comparison=number).reset_index(drop=True)
