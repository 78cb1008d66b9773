"""Search for a better prompt of a judge: successive halving on the lab's development items, and the
winner beside the first prompt on its test items.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import pandas as pd

from ...judging import Judge, templates
from ...labels import percent, pluralize
from ...pairing import Request, planning
from ...records import Prompt, TandemError, option_ref
from ...rendering import COUNT, SHARE, Column, Place, list_names
from ...seeds import draw
from ...settings import check_choices, declare
from ...store import Store
from ..judgements.finding import Finding, unless_refused
from ..judgements.judges import declare_estimate, describe_difference, find_closest
from ..judgements.selection import Selection, write_signature
from .compute import lab
from .settings import DEVELOPMENT, TEST, LabSettings, is_open, list_openings, split_items

ORDERS = 2  # in which a pair is asked
COLUMNS = (
    Column("prompt", "prompt", help="Name and version; the first is the one you came with"),
    Column("judge", "judge", names_people=True, place=Place.FILES),
    Column("round", "round", COUNT, "The last in which it was asked"),
    Column("items", "items", COUNT, "Development items it was asked about"),
    declare_estimate("score", "score", SHARE, "On these items, by what the search goes by"),
    declare_estimate("test", "on test items", SHARE, "The winner's and the first prompt's"),
    Column("test_items", "test items", COUNT),
    Column("is_winner", "winner", place=Place.FILES),
)  # fmt: skip
Answering = Callable[[Store, Sequence[int], Iterable[Judge]], None]
"""Answers queued runs, each by its judge, or raises an error where that is not done."""


class Round(NamedTuple):
    """A round: the number of prompts `asked`, of `items` they were asked about by its end, and of
    prompts that are `kept`.
    """

    asked: int
    items: int
    kept: int


@dataclass(frozen=True)
class SearchSettings:
    """Settings of a search: how many comparisons it may ask (`budget`), and what it goes `by`."""

    budget: int = declare(
        200, "comparisons on development items", metavar="N", least=1, label="Budget"
    )
    by: str = declare(
        "",
        "what is searched for (default: accuracy where people or gold say what is right)",
        choices={"": "chosen by the data", "accuracy": "accuracy", "fairness": "fairness"},
    )

    def __post_init__(self) -> None:
        check_choices(self)


def plan_rounds(prompts: int, budget: int, items: int) -> list[Round]:
    """Plan successive halving (Karnin, Koren & Somekh 2013): each round has an equal part of the
    budget, asks each prompt that is left about the same new items, one pair of an item in both
    orders, and keeps the better half.

    Raises TandemError for a budget that does not ask each prompt about one item a round.
    """
    rounds = max(1, math.ceil(math.log2(prompts)))
    least = ORDERS * prompts * rounds
    if budget < least:
        raise TandemError(
            f"{option_ref('budget')} {budget} is too little for {pluralize(prompts, 'prompt')}: "
            f"{least:,} comparisons ask each of them about one item a round"
        )
    planned, left, asked = list[Round](), prompts, 0
    for _ in range(rounds):
        asked = min(asked + budget // rounds // (ORDERS * left), items)
        planned.append(Round(left, asked, math.ceil(left / 2)))
        left = planned[-1].kept
    return planned


def find_other_prompts(
    store: Store, first: Prompt, make_judge: Callable[[Prompt], Judge], mode: str
) -> dict[str, Prompt]:
    """Find the prompts besides the `first` that a judge can take, built in or edited, by name: the
    last versions.
    """
    return {
        name: prompt
        for name, prompt in templates(store, mode or None).items()
        if "@" not in name and prompt != first
        if unless_refused(partial(make_judge, prompt)) is not None
    }


def search_prompts(
    store: Store,
    selection: Selection,
    prompts: Sequence[Prompt],
    make_judge: Callable[[Prompt], Judge],
    settings: SearchSettings = SearchSettings(),
    *,
    answer: Answering,
    execution: Mapping[str, Any] | None = None,
    who: str = "",
) -> Finding:
    """Search for the best of several prompts, of which the first is the one that you came with: a
    row for each. All that is asked is stored as answers of a judge, so that the same search goes on
    where it was stopped, and costs nothing again. `answer` does the asking.

    The winner and the first prompt are then asked about all test items, which were never looked at:
    the figures there are those of two judges that were chosen before, so their intervals allow for
    the choice. `who` opens the test items, which is counted; where it is '', they are looked at
    only if somebody has opened them for both. Facts: by, winner, first, comparisons (on development
    items), sentences.

    Raises:
        TandemError: fewer than two prompts, several attributes, too small a budget, or too few
            items.
    """
    if len(prompts) < 2:
        raise TandemError("a search needs two prompts or more: name or paraphrase some")
    attributes = [one.name for one in store.datasets.attributes(selection.dataset)]
    if selection.attribute is None and len(attributes) > 1:
        raise TandemError(
            f"a prompt is the best in one attribute: say {option_ref('attribute')}; there are "
            f"{', '.join(attributes)}"
        )
    specs = {spec.name: (spec, one) for one in prompts for spec in [make_judge(one).spec]}
    development, test = _split_in_order(store, selection)
    rounds = plan_rounds(len(specs), settings.budget, len(development))

    def measure(
        names: Sequence[str], items: Sequence[str], by: str = "", *, opened: bool = False
    ) -> Finding:
        """Measure these judges on one pair of each item in both orders, once they are asked what
        they were not yet.
        """
        request = Request(
            selection.dataset, "symmetric", budget=ORDERS,
            attributes=(selection.attribute,) if selection.attribute else (),
            systems=selection.systems, subset=selection.subset or "", seed=selection.seed,
            drawn=tuple((item, 1.0) for item in items),
        )  # fmt: skip
        request = planning.check_request(store, request)
        runs = [planning.enqueue(store, specs[name][0], request, execution or {}) for name in names]
        answer(store, runs, (make_judge(specs[name][1]) for name in names))
        about = replace(selection, judges=tuple(names), items=tuple(items), runs=tuple(runs))
        return lab(store, about, LabSettings(open_test=opened), by=by)

    left, rows, by = list(specs), dict[str, dict[str, Any]](), settings.by
    for number, planned in enumerate(rounds, start=1):
        found = measure(left, development[: planned.items])
        by = by or _choose_figure(found)
        scores = _read_figure(found, by, "score").reindex(left)
        for name in left:
            rows[name] = {"round": number, "items": planned.items, **scores.loc[name]}
        ranked = scores["score"].fillna(-1).sort_values(ascending=False, kind="stable")
        left = ranked.index[: planned.kept].tolist()
    both = tuple(dict.fromkeys((left[0], next(iter(specs)))))
    is_seen = who or is_open(store, replace(selection, judges=both))
    tested = measure(both, test, who, opened=True) if is_seen else None
    if tested:
        for judge, figures in _read_figure(tested, _choose_figure(tested), "test").iterrows():
            rows[str(judge)] |= {**figures, "test_items": tested.facts[TEST]}
    for name, (_, prompt) in specs.items():
        called = f"{prompt.name}@{prompt.version}"
        rows[name] |= {"prompt": called, "judge": name, "is_winner": name == left[0]}
    table = pd.DataFrame([rows[name] for name in specs], columns=list_names(COLUMNS))
    table = table.sort_values(["round", "score"], ascending=False, kind="stable", ignore_index=True)
    facts: dict[str, Any] = {
        "by": by,
        "winner": left[0],
        "first": both[-1],
        "comparisons": sum(ORDERS * row["items"] for row in rows.values()),
        "openings": len(list_openings(store, selection.dataset)),
    }
    facts["sentences"] = _describe(table.set_index("judge"), tested, facts)
    signed = write_signature(
        "search", **selection.signature_values(), by=by, budget=settings.budget,
        prompts=len(specs), seed=selection.seed,
    )  # fmt: skip
    shown = tested or found
    return Finding(
        table, signed, shown.judgements, shown.unanswered, shown.notes, facts,
        {"differences": shown.tables["differences"]}, columns=COLUMNS,
        table_columns={"differences": shown.table_columns["differences"]},
    )  # fmt: skip


def _split_in_order(store: Store, selection: Selection) -> list[list[str]]:
    keys = store.datasets.keys(selection.dataset, selection.subset)
    sides = split_items(store, selection.dataset, keys).set_index("item")["side"]
    origin = store.datasets.origin(selection.dataset)
    order = sorted(sides.index, key=lambda item: (draw(selection.seed, origin, item), item))
    split = [[item for item in order if sides[item] == side] for side in (DEVELOPMENT, TEST)]
    if not all(split):
        raise TandemError(
            f"{pluralize(len(keys), 'item')} cannot be split into development and test: import more"
        )
    return split


def _choose_figure(found: Finding) -> str:
    return "accuracy" if found.facts["against"] else "fairness"


def _read_figure(found: Finding, by: str, called: str) -> pd.DataFrame:
    named = {f"{by}{end}": f"{called}{end}" for end in ("", "_low", "_high")}
    return found.rows.set_index("judge")[[*named]].rename(columns=named)


def _describe(rows: pd.DataFrame, tested: Finding | None, facts: Mapping[str, Any]) -> list[str]:
    winner, first = rows.loc[facts["winner"]], rows.loc[facts["first"]]
    asked = f"after {facts['comparisons']:,} comparisons on development items"
    is_first = winner["prompt"] == first["prompt"]
    said = [
        f"None of {len(rows)} prompts has a higher {facts['by']} than {first['prompt']}, {asked}."
        if is_first
        else f"{winner['prompt']} has the highest {facts['by']} of {len(rows)} prompts, {asked}."
    ]
    if tested is None:
        return [*said, "How good it is, only the test items tell. They are shut."]
    told, before = (percent(*row[["test", "test_low", "test_high"]]) for row in (winner, first))
    beside = "" if is_first else f", that of {first['prompt']} {before}"
    items = pluralize(int(winner["test_items"]), "test item")
    said.append(f"On {items} its {_choose_figure(tested)} is {told}{beside}.")
    lead = find_closest(tested.tables["differences"].replace(rows["prompt"].to_dict()))
    return said if lead is None else [*said, describe_difference(lead, "is right")]
