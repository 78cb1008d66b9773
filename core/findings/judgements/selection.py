"""Selection of what a figure is about: data set, judges, systems, items; and votes left out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from ... import __version__
from ...labels import pluralize
from ...records import Kind, TandemError, option_ref
from ...settings import Part, check_choices, declare
from ...store import Store
from .population import FAMILIES, describe_families, find_families
from .provenance import Provenance, find_rest_campaigns, mark_rest

OF_ANSWERS = Part("which answers", lambda values: True)


@dataclass(frozen=True)
class Selection:
    """Judgements or scores that a figure is about. `judges` are names or kinds; empty = the humans,
    if there are any. `items`, or an `item_set` of the store, restrict the items; empty = all. So do
    `pairs` of texts, the generation of the lower row first.
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
    pairs: frozenset[tuple[int, int]] = frozenset()
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


def keep_first_trial(store: Store, selection: Selection) -> Selection:
    """Return the selection of the first answers alone, where a judge was asked again (see
    `drift`) and no trials are named: a judge that has changed would be mixed with what it was.
    """
    trials = set(store.runs.load_asking(selection.dataset)["trial"])
    again = 0 in trials and len(trials) > 1
    return replace(selection, trials=(0,)) if again and not selection.trials else selection


def add_families(store: Store, selection: Selection, frame: pd.DataFrame) -> pd.DataFrame:
    """Rows about an `item` of a selection each, with its `family`, by the first item of it: what
    intervals draw.
    """
    found = find_families(store, selection.dataset, selection.families)
    if found is None:
        return frame.assign(family=frame["item"])
    return frame.assign(family=frame["item"].map(found.items.set_index("item")["family"]))


def selection_notes(store: Store, selection: Selection, *, rest: bool = False) -> list[str]:
    """Note what restricts a selection: an item set, excluded votes, items that count as one, and
    votes on the `rest` that judges were not trusted with, unless these are not left out.
    """
    families = describe_families(
        store,
        selection.dataset,
        selection.families,
        selection.subset,
        list_chosen_items(store, selection),
    )
    return [
        *note_item_set(store, selection), *exclusion_notes(store, selection), *families,
        *([] if rest else _note_left_out(store, selection)),
    ]  # fmt: skip


def _note_left_out(store: Store, selection: Selection) -> list[str]:
    if not find_rest_campaigns(store, selection.dataset):
        return []
    frame = load_judgements(store, selection)
    frame = frame[mark_rest(store, selection.dataset, frame)]
    if selection.judges:
        frame = frame[frame[["judge", "kind"]].isin(selection.judges).any(axis=1)]
    if frame.empty:
        return []
    return [
        f"Left out: {pluralize(len(frame), 'vote')} on pairs that judges were not trusted with. "
        "They do not speak for all pairs. `combine` and win ratios weigh both parts."
    ]


def check_selection(store: Store, selection: Selection) -> None:
    """Check that the store has everything the selection names. Raises TandemError."""
    check_choices(selection)
    dataset, of = selection.dataset, store.datasets
    known = [
        ("data set", dataset, of.names()),
        ("attribute", selection.attribute, [one.name for one in of.attributes(dataset)]),
        ("subset", selection.subset, of.subsets(dataset)),
        *(("system", name, of.systems(dataset)) for name in selection.systems),
    ]
    for what, name, there in known:
        if name and name not in there:
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


def name_some(names: Any, most: int = 8) -> str:
    """Join the first names in a sentence, such as "a, b and 3 more"; "none" without names."""
    listed = [str(name) for name in names]
    return (", ".join(listed[:most]) or "none") + (
        f" and {len(listed) - most} more" if len(listed) > most else ""
    )


def list_chosen_items(store: Store, selection: Selection) -> frozenset[str] | None:
    """The keys of the items that a selection is about; None = all. Raises TandemError for a set
    that the data set does not have.
    """
    chosen = frozenset(selection.items) if selection.items else None
    if not selection.item_set:
        return chosen
    members = frozenset(store.item_sets.items(selection.dataset, selection.item_set))
    return members if chosen is None else members & chosen


def keep_chosen_items(store: Store, selection: Selection, frame: pd.DataFrame) -> pd.DataFrame:
    """The rows about an `item` that a selection is about."""
    chosen = list_chosen_items(store, selection)
    return frame if chosen is None else frame[frame["item"].isin(chosen)]


def load_judgements(store: Store, selection: Selection, *, excluded: bool = False) -> pd.DataFrame:
    """Load everybody's judgements on the texts and items of a selection, also those of excluded
    people where these are wanted.
    """
    frame = store.judgement_frames.load_all(
        selection.dataset,
        attribute=selection.attribute,
        subset=selection.subset,
        systems=selection.systems,
        excluded=excluded,
    )
    return keep_chosen_items(store, selection, frame)


def load_generations(store: Store, selection: Selection) -> pd.DataFrame:
    """Load the generations of a selection, without their texts."""
    frame = store.texts.generations(selection.dataset, texts=False)
    if selection.subset:
        frame = frame[frame["subset"] == selection.subset]
    if selection.systems:
        frame = frame[frame["system"].isin(selection.systems)]
    return keep_chosen_items(store, selection, frame)


def note_item_set(store: Store, selection: Selection) -> list[str]:
    """Note that only the items of a set count. If answers chose the set, the same note says that
    figures do not generalise to other items.
    """
    if not selection.item_set:
        return []
    chosen = store.item_sets.get(selection.dataset, selection.item_set)
    note = f"Only the {pluralize(chosen.size, 'item')} of the set {chosen.name!r} count."
    if chosen.by_answers:
        note += (
            " They were chosen by their answers. That biases rates, ranks and agreement on them, "
            "which hold for no other items. Intervals do not cover it."
        )
    return [note]


def exclusion_notes(store: Store, selection: Selection) -> list[str]:
    """Count the votes of excluded people that this selection would include, in a sentence. [] if
    there are no such votes.
    """
    if not store.exclusions.kinds(selection.dataset):
        return []
    wanted = selection.judges or tuple(Kind)
    frame = store.exclusions.left_out(
        selection.dataset,
        attribute=selection.attribute,
        subset=selection.subset,
        systems=selection.systems,
        items=list_chosen_items(store, selection),
    )
    frame = frame[frame["judge"].isin(wanted) | frame["kind"].isin(wanted)]
    votes, people = int(frame["votes"].sum()), len(frame)
    if not votes:
        return []
    whose = frame["judge"].iloc[0] if people == 1 else f"{people} excluded judges"
    number = "1 vote" if votes == 1 else f"{votes:,} votes"
    excluded = ", who is excluded" if people == 1 else ""
    return [f"Left out: {number} of {whose}{excluded}."]
