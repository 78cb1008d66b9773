"""Search for a better prompt of a judge: successive halving on the lab's development items, and the
winner beside the first prompt on its test items.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import pandas as pd

from .findings.judgements import Finding, Selection, declare_estimate, write_signature
from .findings.lab import DEVELOPMENT, LabSettings, lab, split_items
from .judging import Judge
from .labels import percent, pluralize
from .pairing import Request, planning
from .records import Prompt, TandemError, option_ref
from .rendering import COUNT, SHARE, Column, Place, list_names
from .runs import execution
from .seeds import draw
from .settings import check_choices, declare
from .store import Store

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

    budget: int = declare(200, "comparisons on development items", metavar="N", least=1)
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
        left = math.ceil(left / 2)
    return planned


def search_prompts(
    store: Store,
    selection: Selection,
    prompts: Sequence[Prompt],
    make_judge: Callable[[Prompt], Judge],
    settings: SearchSettings = SearchSettings(),
    *,
    execution_options: dict[str, Any] | None = None,
    progress: Callable[[str], None] = lambda line: None,
    who: str = "a search",
) -> Finding:
    """Search for the best of several prompts, of which the first is the one that you came with: a
    row for each. All that is asked is stored as answers of a judge, so that the same search goes on
    where it was stopped, and costs nothing again.

    The winner and the first prompt are then asked about all test items, which were never looked at:
    the figures there are those of two judges that were chosen before, so their intervals allow for
    the choice. `who` opens the test items, which is counted. Facts: by, winner, first, comparisons
    (on development items), sentences.

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
    judges = {make_judge(prompt).spec.name: prompt for prompt in prompts}
    development, test = _split(store, selection)
    rounds = plan_rounds(len(judges), settings.budget, len(development))
    about = LabSettings()
    left, last = list(judges), dict[str, tuple[int, int, pd.Series]]()
    by = settings.by
    for number, planned in enumerate(rounds, start=1):
        items = tuple(development[: planned.items])
        runs = list[int]()
        for name in left:
            progress(f"round {number} of {len(rounds)}: {name}")
            judge = make_judge(judges[name])
            runs.append(_ask(store, selection, judge, items, execution_options or {}))
        asked = replace(selection, judges=tuple(left), items=items, runs=tuple(runs))
        found = lab(store, asked, about)
        by = by or ("accuracy" if found.facts["against"] else "fairness")
        scored = _read_scores(found, by, left)
        last |= {name: (number, planned.items, scored.T[name]) for name in left}
        left = sorted(left, key=lambda name: -last[name][2].fillna(-1)["score"])[: planned.kept]
    winner, first = left[0], next(iter(judges))
    both, runs = tuple(dict.fromkeys((winner, first))), []
    for name in both:
        progress(f"test items: {name}")
        judge = make_judge(judges[name])
        runs.append(_ask(store, selection, judge, test, execution_options or {}))
    asked = replace(selection, judges=both, items=tuple(test), runs=tuple(runs))
    tested = lab(store, asked, replace(about, open_test=True), by=who)
    return _make_finding(selection, settings, judges, last, (winner, tested), by)


def _split(store: Store, selection: Selection) -> tuple[list[str], list[str]]:
    """The development items in the order of asking, and the test items."""
    keys = store.datasets.keys(selection.dataset, selection.subset)
    sides = split_items(store, selection.dataset, keys)
    origin = store.datasets.origin(selection.dataset)
    order = sorted(sides["item"], key=lambda item: (draw(selection.seed, origin, item), item))
    side = dict(zip(sides["item"], sides["side"], strict=True))
    development = [item for item in order if side[item] == DEVELOPMENT]
    test = [item for item in order if side[item] != DEVELOPMENT]
    if not development or not test:
        raise TandemError(
            f"{pluralize(len(keys), 'item')} cannot be split into development and test: import more"
        )
    return development, test


def _ask(
    store: Store,
    selection: Selection,
    judge: Judge,
    items: Sequence[str],
    execution_options: dict[str, Any],
) -> int:
    """Ask a judge about one pair of each item in both orders, and return the run; what it has
    answered stays.
    """
    request = Request(
        selection.dataset,
        "symmetric",
        budget=ORDERS,
        attributes=(selection.attribute,) if selection.attribute else (),
        systems=selection.systems,
        subset=selection.subset or "",
        seed=selection.seed,
        drawn=tuple((item, 1.0) for item in items),
    )
    run = planning.enqueue(
        store, judge.spec, planning.check_request(store, request), execution_options
    )
    execution.execute(store, run, by=judge)
    return run


def _read_scores(found: Finding, by: str, judges: Sequence[str]) -> pd.DataFrame:
    """The scores of these judges (the index): score, low, high; NaN where a judge has none."""
    columns = [by, f"{by}_low", f"{by}_high"]
    rows = found.rows.set_index("judge")[columns].reindex(list(judges))
    return rows.set_axis(["score", "low", "high"], axis=1)


def _make_finding(
    selection: Selection,
    settings: SearchSettings,
    judges: dict[str, Prompt],
    last: dict[str, tuple[int, int, pd.Series]],
    tested: tuple[str, Finding],
    by: str,
) -> Finding:
    winner, on_test = tested
    figure = "accuracy" if on_test.facts["against"] else "fairness"
    test = _read_scores(on_test, figure, list(dict.fromkeys((winner, next(iter(judges))))))
    rows = []
    for name, prompt in judges.items():
        number, items, scored = last[name]
        row = {
            "prompt": f"{prompt.name}@{prompt.version}", "judge": name, "round": number,
            "items": items, "is_winner": name == winner,
            "score": scored["score"], "score_low": scored["low"], "score_high": scored["high"],
        }  # fmt: skip
        if name in test.index:
            row |= dict(zip(("test", "test_low", "test_high"), test.loc[name], strict=True))
            row["test_items"] = on_test.facts["test"]
        rows.append(row)
    table = pd.DataFrame(rows).reindex(columns=list_names(COLUMNS))
    table = table.sort_values(["round", "score"], ascending=False, kind="stable", ignore_index=True)
    facts: dict[str, Any] = {
        "by": by,
        "winner": winner,
        "first": next(iter(judges)),
        "comparisons": sum(ORDERS * items for _, items, _ in last.values()),
        "openings": on_test.facts["openings"],
        "lead": _find_lead(on_test, winner, next(iter(judges))),
    }
    facts["sentences"] = describe_search(table, facts, figure)
    signed = write_signature(
        "search", **selection.signature_values(), by=by, budget=settings.budget,
        prompts=len(judges), seed=selection.seed,
    )  # fmt: skip
    return Finding(
        table, signed, on_test.judgements, on_test.unanswered, on_test.notes, facts,
        {"differences": on_test.tables["differences"]}, columns=COLUMNS,
        table_columns={"differences": on_test.table_columns["differences"]},
    )  # fmt: skip


def describe_search(table: pd.DataFrame, facts: dict[str, Any], figure: str) -> list[str]:
    """Describe the winner on test items beside the first prompt, and what the search cost."""
    rows = table.set_index("judge")
    winner, first = rows.loc[facts["winner"]], rows.loc[facts["first"]]
    asked = f"after {facts['comparisons']:,} comparisons on development items"
    told = percent(winner["test"], winner["test_low"], winner["test_high"])
    items = pluralize(int(winner["test_items"]), "test item")
    if winner["prompt"] == first["prompt"]:
        none = f"None of {len(rows)} prompts has a higher {facts['by']} than {first['prompt']}"
        return [f"{none}, {asked}.", f"On {items} its {figure} is {told}."]
    tried = f"{winner['prompt']} has the highest {facts['by']} of {len(rows)} prompts, {asked}."
    before = percent(first["test"], first["test_low"], first["test_high"])
    lead = facts["lead"]
    held = f"On {items} its {figure} is {told}, that of {first['prompt']} {before}."
    if lead is None:
        return [tried, held]
    by, low, high = (round(100 * lead[name]) for name in ("by", "low", "high"))
    shown = "" if low > 0 or high < 0 else " So no gain is shown."
    return [tried, held, f"The difference is {by} points (95% interval {low} to {high}).{shown}"]


def _find_lead(tested: Finding, winner: str, first: str) -> dict[str, float] | None:
    """Find how far the winner is ahead of the first prompt on the test pairs; None if unknown."""
    rows = tested.tables["differences"]
    both = rows[rows["judge_1"].isin((winner, first)) & rows["judge_2"].isin((winner, first))]
    if len(both) != 1:
        return None
    row = both.iloc[0]
    ends = [float(row[name]) for name in ("difference", "low", "high")]
    by, low, high = ends if row["judge_1"] == winner else (-ends[0], -ends[2], -ends[1])
    return {"by": by, "low": low, "high": high}
