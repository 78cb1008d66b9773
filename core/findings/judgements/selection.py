"""Select the judgements and scores of a figure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any

import pandas as pd

from ... import __version__
from ...frames import Schema, get_schema
from ...judging import registry
from ...records import Kind, Outcome, TandemError, option_ref
from ...settings import Part, check_choices, declare
from ...store import JudgementRows, ScoreRows, Store
from .chosen_items import exclusion_notes, keep_chosen_items, list_chosen_items, note_item_set
from .families import FAMILIES, add_family_column, describe_families
from .provenance import Provenance
from .score_comparisons import compare_marks
from .usable_verdicts import drop_certainty

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
OF_ANSWERS = Part("which answers", lambda values: True)
POINTS = {outcome.value: outcome.points for outcome in Outcome}
_NUMBERED = re.compile(r"-\d+$")


@dataclass(frozen=True)
class Selection:
    """Judgements or scores that a figure is about. `judges` are names or kinds; empty = the humans,
    if there are any. `items`, or an `item_set` of the store, restrict the items; empty = all.
    `runs`, `trials` and `strategies` are those of `Provenance`; where they are given and no judges,
    the runs' own are meant. With `scores`, all raters' scores count as comparisons, too, also of
    raters that are not named.
    """

    dataset: str
    subset: str | None = declare(None, "only items of this task, language or split", metavar="S")
    attribute: str | None = declare(None, "only this attribute", metavar="A")
    judges: tuple[str, ...] = declare(
        (), "whose judgements", metavar="human|simulated|llm|baseline|gold|NAME"
    )
    systems: tuple[str, ...] = declare((), "only these systems", metavar="SYSTEM")
    seed: int = declare(0, "random seed", metavar="N")
    items: tuple[str, ...] = ()
    runs: tuple[int, ...] = declare(
        (), "of models and baselines only the answers of these runs", metavar="ID", option="run",
        least=1, part=OF_ANSWERS,
    )  # fmt: skip
    trials: tuple[int, ...] = declare(
        (), "only these trials", metavar="N", option="trial", least=0, part=OF_ANSWERS
    )
    strategies: tuple[str, ...] = declare(
        (), "of models and baselines only the answers of runs with these pairing strategies",
        metavar="NAME", option="strategy", part=OF_ANSWERS,
    )  # fmt: skip
    scores: bool = declare(
        False,
        "raters who scored texts take part, too: the text with the higher score is better",
        option="with_scores",
    )
    families: str = declare(
        "found",
        "items that count as one in intervals: found (of a named family, else equal contexts), "
        "named (of a family), none",
        choices=FAMILIES,
        label="Families",
        more="Items that repeat a prompt, a document or a template are answered alike. They count "
        "as one in intervals, which are wider for it.",
    )
    item_set: str | None = declare(
        None,
        "only the items of this set, which `items` saved",
        metavar="NAME",
        label="Item set",
        more="Items that were found and named, on the page Data.",
    )

    @property
    def provenance(self) -> Provenance:
        """Filter of these judges' answers, by the run that asked for them."""
        return Provenance(self.runs, self.trials, self.strategies)

    def signature_values(self, nobody: str = "all") -> dict[str, object]:
        """Return the signature values of the selection; `nobody` is the default where no judge is
        named.
        """
        return {
            "judges": "+".join(self.judges) or (None if self.provenance.by_run else str(nobody)),
            "attribute": self.attribute or "all",
            "subset": self.subset,
            "systems": "+".join(self.systems),
            "scores": "compared" if self.scores else None,
            "families": self.families if self.families != "found" else None,
            "set": self.item_set,
            **self.provenance.signature_values(),
        }


def write_signature(name: str, **settings: object) -> str:
    """The settings behind a figure in one line, such as `elo|k:4|boot:100|seed:1|v:0.1.0`; blank
    ones are left out.
    """
    given = [f"{key}:{value}" for key, value in settings.items() if value not in (None, "", ())]
    return "|".join([name, *given, f"v:{__version__}"])


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
        asked = (
            f"no judgements by {' or '.join(wanted)} here"
            if selection.judges
            else "no human has judged here yet"
        )
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


def add_families(store: Store, selection: Selection, frame: pd.DataFrame) -> pd.DataFrame:
    """Rows about an `item` of a selection each, with its `family`: what intervals draw."""
    return add_family_column(store, selection.dataset, selection.families, frame)


def selection_notes(store: Store, selection: Selection) -> list[str]:
    """Note what restricts a selection: an item set, excluded votes, and items that count as one."""
    families = describe_families(
        store,
        selection.dataset,
        selection.families,
        selection.subset,
        list_chosen_items(store, selection),
    )
    return [*note_item_set(store, selection), *exclusion_notes(store, selection), *families]


def select_answered(store: Store, selection: Selection) -> tuple[pd.DataFrame, dict[str, int]]:
    """The answered judgements of a selection with their `points` for A and the `family` of their
    item, and the unanswered ones counted by reason.
    """
    frame, unanswered = select_judgements(store, selection)
    return frame.dropna(subset="points"), unanswered


def select_judgements(store: Store, selection: Selection) -> tuple[pd.DataFrame, dict[str, int]]:
    """All judgements of a selection with their `points` for A, NaN where unanswered, and those
    counted by reason. Where all samples are alike there is no `prob_a` (see `drop_certainty`).
    """
    check_selection(store, selection)
    check_systems(selection, "a comparison needs two")
    judges = find_judges(store, selection)
    frame = store.judgement_frames.load_all(
        selection.dataset,
        attribute=selection.attribute,
        subset=selection.subset,
        systems=selection.systems,
    )
    frame = frame[frame["judge"].isin(judges.loc[~judges["derived"], "judge"])]
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
    frame = drop_certainty(store, frame)
    unanswered = Counter(frame.loc[frame["outcome"].isna(), "failure"].tolist())
    return frame.assign(points=frame["outcome"].map(POINTS).astype(float)), unanswered


def check_selection(store: Store, selection: Selection) -> None:
    """Check that the store has everything the selection names. Raises TandemError."""
    check_choices(selection)
    known = {
        "data set": (selection.dataset, store.datasets.names()),
        "attribute": (
            selection.attribute,
            [a.name for a in store.datasets.attributes(selection.dataset)],
        ),
        "subset": (selection.subset, store.datasets.subsets(selection.dataset)),
        **{
            f"system {name}": (name, store.datasets.systems(selection.dataset))
            for name in selection.systems
        },
    }
    for what, (name, there) in known.items():
        if name and name not in there:
            what = "system" if what.startswith("system") else what
            raise TandemError(
                f"unknown {what} {name!r}; there "
                f"are{f': {name_some(there)}' if there else f' no {what}s'}"
            )
    if selection.item_set:
        store.item_sets.get(selection.dataset, selection.item_set)


def check_systems(selection: Selection, needed: str) -> None:
    """Check that no system is chosen alone; `needed` says what needs two. Raises TandemError."""
    if len(set(selection.systems)) == 1:
        raise TandemError(
            f"{option_ref('systems')} {selection.systems[0]} is one system, and {needed}: name "
            "another"
        )


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
    return dict(
        Counter(
            failure for failure in load_rater_marks(store, selection, rater)["failure"] if failure
        )
    )


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


def name_some(names: Any, most: int = 8) -> str:
    """Join the first names in a sentence, such as "a, b and 3 more"; "none" without names."""
    listed = [str(name) for name in names]
    return (", ".join(listed[:most]) or "none") + (
        f" and {len(listed) - most} more" if len(listed) > most else ""
    )
