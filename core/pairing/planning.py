"""Planning: which comparisons a run asks for, drawn so that the same request always asks the same.

What an adaptive strategy asks depends on the answers, so its run is planned as it goes: when all
that is planned on an item has been asked, what comes next there is worked out from the answers in
the store, and from nothing else.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, combinations
from typing import Any

import numpy as np
import pandas as pd

from .. import __version__
from ..installation import read_versions
from ..records import JudgeSpec, Question, TandemError, option_ref
from ..seeds import draw
from ..settings import check_methods
from ..store import Store
from .request import BEAM_SIZE, PROB_GAP, Request
from .sort import sort_ranking
from .strategies import sorting
from .strategy import Pair, candidate_pairs

AT_ONCE = 500  # items read at a time
PORTION = 5000  # comparisons planned at a time


@dataclass
class Outlook:
    """The size of a request, with notes on it, before anything is written."""

    comparisons: int = 0
    notes: list[str] = field(default_factory=list)


def check_request(store: Store, request: Request) -> Request:
    """Return the request with its attributes. Raises TandemError for unknown names."""
    request = request.fill_attributes(store)
    check_methods(request, request.strategy)
    if request.pairing_strategy.even and request.budget is not None and request.budget % 2:
        raise TandemError(
            f"{request.strategy} asks both orders of a pair, so {option_ref('budget')} "
            f"{request.budget} should be even"
        )
    origin = store.datasets.origin(request.dataset)
    filled: dict[str, Any] = {"origin": "" if origin == request.dataset else origin}
    if "beam_size" in request.pairing_strategy.takes:
        filled["beam_size"] = BEAM_SIZE if request.beam_size is None else request.beam_size
        filled["prob_gap"] = PROB_GAP if request.prob_gap is None else request.prob_gap
    return replace(request, **filled)


def outlook(store: Store, request: Request) -> Outlook:
    """Count the comparisons of a request, and note what a person should know about it."""
    request, found, least = check_request(store, request), Outlook(), sys.maxsize
    strategy, attributes = request.pairing_strategy, len(request.attributes)
    among = " among these" if request.systems or request.subset else ""
    if strategy.answered:
        asked = [_answered_pairs(store, request, name) for name in request.attributes]
        found.comparisons = 2 * sum(len(of_item) for of in asked for of_item in of.values())
        if not found.comparisons:
            raise TandemError(
                f"people have answered no pair of data set {request.dataset!r} yet{among}: "
                "annotate some first, or choose other pairs"
            )
        return found
    for sizes, items in store.texts.group_sizes(request.chosen_texts, request.items):
        starts = accumulate(sizes, initial=0)
        groups = (range(start, start + size) for start, size in zip(starts, sizes, strict=False))
        pairs = [pair for group in groups for pair in combinations(group, 2)]
        each = strategy.bound(pairs, request.budget, request.sorting)
        found.comparisons += each * items * attributes
        least = min(least, strategy.most(pairs, request.sorting))
    if not found.comparisons:
        raise TandemError(
            f"data set {request.dataset!r} has no pair of two systems' texts to compare{among}: "
            "import texts of at least two systems"
        )
    if strategy.sorts:
        found.notes.append(
            "how many comparisons a sort needs depends on the answers: this is the most"
        )
    elif request.budget is not None and request.budget > least:
        found.notes.append(
            f"some items have fewer than {request.budget} comparisons to ask (as few as {least}): "
            "all of these are asked"
        )
    return found


def _answered_pairs(store: Store, request: Request, attribute: str) -> dict[str, list[Pair]]:
    """Return item -> the pairs that people have answered about an attribute, of those a request is
    about, each oriented by system name.
    """
    found: dict[str, list[Pair]] = {}
    for item, first, second in store.runs.answered_by_people(
        request.dataset, attribute, subset=request.subset, systems=request.systems
    ):
        if not request.drawn or item in request.places:
            found.setdefault(item, []).append((first, second))
    return found


def preview_questions(
    store: Store, request: Request, n: int, *, each: int | None = None
) -> list[Question]:
    """List the first comparisons that a request asks a new judge, at most `each` of an item."""
    request, found = check_request(store, request), list[Question]()
    for item, pairs, names in _items_to_ask(store, request):
        asked = []
        for attribute in request.attributes:
            rng = np.random.default_rng(draw(request.seed, request.drawn_as, item))
            chosen = request.pairing_strategy.choose(
                pairs[attribute], request.budget, set(), rng, settings=request.sorting
            )
            asked += [(attribute, a, b) for a, b in chosen]
        asked.sort(key=lambda one: _priority(request, item, one[0], names[one[1]], names[one[2]]))
        for attribute, a, b in asked[: n - len(found)][:each]:
            question = store.runs.question(
                store.datasets.attribute_id(request.dataset, attribute), a, b
            )
            found.append(replace(question, trial=request.trial))
        if len(found) == n:
            break
    return found


def enqueue(
    store: Store, judge: JudgeSpec, request: Request, execution: Mapping[str, Any] | None = None
) -> int:
    """Queue a run with its first comparisons planned, and return its number.

    The request gives the same run when repeated, with what is new in it.

    `execution` says how it is done, limits and prices, and is no part of what a run is known by.
    """
    request = check_request(store, request)
    expected = outlook(store, request).comparisons
    run = begin(store, request.dataset, "compare", request.settings(), execution, judge)
    judge_id = store.judges.id_of(judge.name)
    if request.pairing_strategy.adaptive:
        plan_next(store, run, judge_id, request, list(pairs_of(store, request)))
    else:
        store.runs.expect(run, expected)
        next(plan_portions(store, run, judge_id, request))
    counts = store.run_counts.counts(run)
    if counts["asked"] < counts["planned"]:
        store.runs.requeue(run)
    return run


def begin(
    store: Store,
    dataset: str,
    task: str,
    settings: Mapping[str, Any],
    execution: Mapping[str, Any] | None = None,
    judge: JudgeSpec | None = None,
    *,
    served: bool = False,
) -> int:
    """Return the run of a task with these settings and this judge; begin it if it is new.

    Nothing is planned yet. `served` is as in `Runs.begin`.
    """
    if judge is not None:
        store.judges.add([judge])
    judge_id = store.judges.id_of(judge.name) if judge is not None else None
    return store.runs.begin(
        dataset, task, judge_id, settings, execution or {}, versions(), served=served
    )


def plan_portions(store: Store, run: int, judge: int, request: Request) -> Iterator[bool]:
    """Plan what a strategy chooses at once, item by item in the order of asking: after each portion
    whether there was anything new, at last False.

    What is planned stays planned, so this can be cut off anywhere and begun again.
    """
    askings = []
    for name in request.attributes:
        row = store.datasets.attribute_id(request.dataset, name)
        known = store.runs.answered_by(judge, row, request.trial)
        askings.append(_Asking(name, row, known, store.runs.planned_comparisons(run, row)))
    for item, pairs, names in _items_to_ask(store, request):
        for asking in askings:
            asking.plan(request, item, pairs[asking.attribute], names)
        if sum(len(asking.rows) for asking in askings) >= PORTION:
            _write(store, run, askings)
            yield True
    if any(asking.rows for asking in askings):
        _write(store, run, askings)
        yield True
    yield False


def _write(store: Store, run: int, askings: Sequence[_Asking]) -> None:
    with store.transaction():
        for asking in askings:
            store.runs.add_planned(run, asking.attribute_id, asking.rows)
            asking.rows.clear()


@dataclass
class _Asking:
    """The plan of a run for one attribute.

    It holds what the judge has answered, what the run has planned before, and the rows to be
    written next.
    """

    attribute: str
    attribute_id: int
    known: set[Pair]
    planned: dict[str, set[Pair]]
    rows: list[tuple[int, int, int, float]] = field(default_factory=list)

    def plan(
        self, request: Request, item: str, pairs: Sequence[Pair], names: Mapping[int, str]
    ) -> None:
        # All attributes of an item have the same pairs, also if items are added. What is
        # planned stays planned.
        if not pairs:
            return
        rng = np.random.default_rng(draw(request.seed, request.drawn_as, item))
        there = self.planned.get(item, set())
        chosen = request.pairing_strategy.choose(pairs, request.budget, there or self.known, rng)
        share = _inclusion(request, item) * len(chosen) / (2 * len(pairs))
        self.rows += [
            (a, b, _priority(request, item, self.attribute, names[a], names[b]), share)
            for a, b in chosen
            if (a, b) not in there
        ]


def _turn(request: Request, item: str) -> int:
    """Items in random order, or in that they were drawn in."""
    return request.places[item][0] if request.drawn else draw(request.seed, item) >> 31


def _priority(request: Request, item: str, *comparison: str) -> int:
    """Items in their order, and an item's comparisons in random order together: a model reads a
    context once for them.
    """
    return _turn(request, item) << 31 | draw(request.seed, item, *comparison) >> 32


def _inclusion(request: Request, item: str) -> float:
    return request.places[item][1] if request.drawn else 1.0


def plan_next(
    store: Store, run: int, judge: int, request: Request, items: Sequence[tuple[str, list[Pair]]]
) -> bool:
    """Plan what comes next on every item on which nothing waits; whether there was anything."""
    names, planned = _names(_candidates(store, request)), False
    for attribute in request.attributes:
        attribute_id = store.datasets.attribute_id(request.dataset, attribute)
        known = store.runs.answered_by(judge, attribute_id, request.trial)
        open_items = dict(items)
        while open_items:
            answers, waiting = store.runs.planned_answers(run, attribute_id)
            rows: list[tuple[int, int, int, float]] = []
            for item, pairs in list(open_items.items()):
                chosen = []
                if item not in waiting:
                    rng = np.random.default_rng(draw(request.seed, request.drawn_as, item))
                    chosen = request.pairing_strategy.choose(
                        pairs, request.budget, known, rng, answers.get(item, {}), request.sorting
                    )
                share = _inclusion(request, item)
                rows += [
                    (a, b, _priority(request, item, attribute, names[a], names[b]), share)
                    for a, b in chosen
                ]
                # Through, or to be asked; what the judge has answered leads on at once.
                if not chosen or not known.issuperset(chosen):
                    del open_items[item]
            # All in one transaction, so that a run killed here has planned this step of an item or
            # has not.
            store.runs.add_planned(run, attribute_id, rows)
            planned = planned or bool(rows)
    return planned


def ranking(store: Store, run: int) -> dict[tuple[str, str], list[tuple[int, ...]]]:
    """Return (attribute, item) -> the generation ids of each sample, best first, as a PairS run has
    sorted them.

    Replayed from the stored answers. Raises TandemError when the run did not sort.
    """
    plan = store.runs.get(run)
    request = Request.from_settings(plan.settings)
    if not request.pairing_strategy.sorts:
        able = " and ".join(sorting())
        raise TandemError(f"run {run} asked {request.strategy}; only {able} sort")
    found: dict[tuple[str, str], list[tuple[int, ...]]] = {}
    for attribute in request.attributes:
        answers, _ = store.runs.planned_answers(
            run, store.datasets.attribute_id(request.dataset, attribute)
        )
        for item, pairs in pairs_of(store, request):
            rng = np.random.default_rng(draw(request.seed, request.drawn_as, item))
            found[attribute, item] = sort_ranking(
                pairs, answers.get(item, {}), rng, request.sorting
            )
    return found


def pairs_of(store: Store, request: Request) -> Iterator[tuple[str, list[Pair]]]:
    """Yield each item with the pairs a request may ask about."""
    return candidate_pairs(_candidates(store, request), samples=request.samples)


def _candidates(store: Store, request: Request, items: Sequence[str] | None = None) -> pd.DataFrame:
    among = request.items if items is None else items
    generations = store.texts.generations(request.dataset, texts=False, items=among)
    if request.subset:
        generations = generations[generations["subset"] == request.subset]
    if request.systems:
        generations = generations[generations["system"].isin(request.systems)]
    return generations


def _items_to_ask(
    store: Store, request: Request
) -> Iterator[tuple[str, dict[str, list[Pair]], dict[int, str]]]:
    """Items in the order they are asked about, some read at a time: each with its pairs for each
    attribute and what its candidates are called.
    """
    of_people = (
        {name: _answered_pairs(store, request, name) for name in request.attributes}
        if request.pairing_strategy.answered
        else None
    )
    keys = request.items or store.datasets.keys(request.dataset, request.subset or None)
    keys = sorted(keys, key=lambda item: _turn(request, item))
    for start in range(0, len(keys), AT_ONCE):
        some = keys[start : start + AT_ONCE]
        candidates = _candidates(store, request, some)
        every = dict(candidate_pairs(candidates, samples=request.samples))
        names = _names(candidates)
        for item in some:
            if of_people is not None:
                pairs = {name: of.get(item, []) for name, of in of_people.items()}
            else:
                pairs = dict.fromkeys(request.attributes, every.get(item, []))
            if any(pairs.values()):
                yield item, pairs, names


def _names(generations: pd.DataFrame) -> dict[int, str]:
    columns = (generations[name].tolist() for name in ("generation", "system", "sample"))
    rows = zip(*columns, strict=True)
    return {generation: f"{system}#{sample}" for generation, system, sample in rows}


def versions() -> dict[str, str]:
    """Return the versions of this program and of the installed packages of models."""
    packages = ("torch", "transformers", "sentence-transformers")
    return {"tandem": __version__, **read_versions(packages)}
