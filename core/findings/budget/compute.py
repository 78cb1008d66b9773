"""Replay the comparisons of a data set with every strategy until the budget is spent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Any

import numpy as np
import pandas as pd

from ...frames import get_schema
from ...pairing import STRATEGIES
from ...records import TandemError, option_ref
from ...rendering import declare_rows
from ...settings import sign_settings
from ...statistics import replay
from ...store import Store
from ..judgements import Finding, Selection, write_signature
from . import spending as spendings
from .candidate_subsets import fewer_candidates
from .columns import BY_ALL, FEWER, NEEDED, REPLAYS
from .people import ReferenceOrder, reference
from .pool import Pool, fill_judge, pool
from .replays import Replays, threshold_of
from .sentences import choose_first_picture, summarise_budget
from .settings import QUICK, BudgetSettings

NeededRows = Annotated[pd.DataFrame, declare_rows(NEEDED)]

ANSWERED = 0.95  # share of all comparisons from which a strategy that may ask any is replayed


def budget(store: Store, selection: Selection, settings: BudgetSettings) -> Finding:
    """Compute how few comparisons per item would have been enough (Liusie et al. 2024, figures 4
    and 5). One row per strategy, method, correction and budget.

    The columns are declared in `core.findings.budget.columns`. A sort is held against all answers
    by the first method.

    Tables: `needed`, for each strategy, method and correction the number of comparisons per item
    that reaches the goal (the greater of two budgets if they are far apart); `all`, what all
    answers reach against people; `fewer`, the order among some of the candidates (see
    `fewer_candidates`). Facts: judge, level, items, attributes and `units` (an item under an
    attribute, which "an item" means here), candidates, asked (an item), against, the `method` and
    correction (`debias`) that the sentences name and a picture shows first, what a comparison
    takes, and the `sentences` that say it.
    """
    selection = fill_judge(store, selection)
    answers = pool(store, selection)
    settings, notes = _fill_settings(answers, settings)
    known = reference(store, selection, answers, settings.rater)
    replays = Replays(answers, settings, known, selection.seed)
    rows = replays.rows()
    spent = spendings.estimate_spending(store, selection.dataset, answers)
    tables = {
        "needed": _find_needed(rows, replays, spent),
        "all": replays.by_all(),
        "fewer": fewer_candidates(
            answers, replays.units, replays.people, settings.draws, selection.seed
        ),
    }
    facts = _facts(answers, settings, known, spent) | {"told_apart": replays.has_differences}
    facts |= choose_first_picture(rows, tables["needed"], settings.methods)
    facts["sentences"] = summarise_budget(facts, tables)
    return Finding(
        rows,
        write_signature(
            "budget", **selection.signature_values(), **sign_settings(settings), seed=selection.seed
        ),
        answers.size,
        answers.unanswered,
        [*answers.notes, *notes],
        facts,
        tables,
        columns=REPLAYS,
        table_columns={"needed": NEEDED, "all": BY_ALL, "fewer": FEWER},
        picture="budget",
    )


def _fill_settings(answers: Pool, settings: BudgetSettings) -> tuple[BudgetSettings, list[str]]:
    """Fill the settings left to the data, with notes on what the data do not allow."""
    notes = []
    several = bool(np.median(answers.counts) >= 3) or len(answers.systems) < 3
    more = bool(np.diff(answers.starts).max() > 1)  # of one answer an item nothing can be left out
    level = settings.level or ("item" if several and more else "system")
    if level == "item" and answers.counts.max() < 2:
        raise TandemError(f"{option_ref('level')} item needs two candidates of an item")
    probable = answers.has_probabilities
    methods = settings.methods or (("average-probability",) if probable else ("win-ratio",))
    if not probable and {"average-probability", "bradley-terry-soft", "product-of-experts"} & {
        *settings.methods
    }:
        raise TandemError(
            f"{answers.judge} gives decisions and no probabilities: use win-ratio or bradley-terry"
        )
    can_correct = probable and answers.order_known
    if "threshold" in settings.corrections and not can_correct:
        raise TandemError(
            f"{option_ref('debias')} threshold moves probabilities of the text shown first, and "
            f"{answers.judge} has none"
        )
    corrections = settings.corrections or (("none", "threshold") if can_correct else ("none",))
    pairings, left_out = _choose_possible(answers, settings.pairings or QUICK)
    if not pairings:
        raise TandemError(f"nothing can be replayed: {left_out[0]}")
    notes += [*left_out, *_note_single_replays(settings, pairings)]
    return (
        replace(settings, level=level, methods=methods, corrections=corrections, pairings=pairings),
        notes,
    )


def _write_left_out(names: Sequence[str]) -> str:
    return f"{' and '.join(names)} {'is' if len(names) == 1 else 'are'} left out"


def _note_single_replays(settings: BudgetSettings, pairings: Sequence[str]) -> list[str]:
    """Note the strategies that were replayed once and therefore have no band."""
    notes = []
    if once := [name for name in pairings if settings.times(name) < 2]:
        notes.append(f"Replayed once, and so without a band: {', '.join(once)}.")
    if settings.draws < 2:
        notes.append("Candidates were drawn once, so the share of pairs has no band.")
    return notes


def _choose_possible(answers: Pool, names: tuple[str, ...]) -> tuple[tuple[str, ...], list[str]]:
    """The strategies that these answers can be asked by, and why others cannot."""
    notes = []
    code = answers.unit * np.int64(answers.counts.max()) ** 2
    forward = np.unique(code + answers.first * answers.counts.max() + answers.second)
    backward = np.unique(code + answers.second * answers.counts.max() + answers.first)
    both = np.intersect1d(forward, backward)
    wanted = int((answers.counts * (answers.counts - 1)).sum())
    stepwise = [name for name in names if STRATEGIES[name].adaptive]
    if stepwise and (len(forward) < ANSWERED * wanted or answers.people):
        notes.append(
            f"{_write_left_out(stepwise)}, since any two texts may be asked about in either order: "
            f"{len(forward):,} of {wanted:,} such comparisons were answered."
        )
        names = tuple(name for name in names if name not in stepwise)
    even = [name for name in names if STRATEGIES[name].even]
    if even and not len(both):
        notes.append(f"{_write_left_out(even)}, since no pair was answered in both orders.")
        names = tuple(name for name in names if name not in even)
    return names, notes


def _choose_figure(answers: Pool, settings: BudgetSettings) -> str:
    """Choose the figure of the goal. Two candidates have no useful rank correlation, so pair
    accuracy is used.
    """
    most = answers.counts.max() if settings.level == "item" else len(answers.systems)
    two = most < replay.FEWEST
    return "pair_accuracy" if two else "spearman"


def _find_needed(rows: pd.DataFrame, replays: Replays, spent: spendings.Spending) -> NeededRows:
    found = []
    answers, settings = replays.pool, replays.settings
    figure = _choose_figure(answers, settings)
    asked = answers.size / answers.items
    for keys, of in rows.groupby(["strategy", "method", "debias"], sort=False):
        value = of[figure].to_numpy(float)
        reached = value if replays.has_ranking else np.full(len(value), np.nan)
        took = replay.bracket_budget(of["comparisons"].to_numpy(float), reached, settings.goal)
        taken = spent.compute_cost(took.number * answers.items)
        most = float(pd.Series(value).max())
        found.append((*keys, *took, took.number / asked, *taken.values(), most))
    return get_schema(NeededRows).make(found)


def _facts(
    answers: Pool, settings: BudgetSettings, known: ReferenceOrder | None, spent: spendings.Spending
) -> dict[str, Any]:
    asked = answers.size / answers.items
    return {
        "judge": answers.judge,
        "people": answers.people,
        "level": settings.level,
        "answers": answers.size,
        "items": int(answers.candidates["item"].nunique()),
        "attributes": int(answers.candidates["attribute"].nunique()),
        "units": answers.items,
        "systems": len(answers.systems),
        "candidates": float(np.median(answers.counts)),
        "asked": asked,
        "figure": _choose_figure(answers, settings),
        "goal": settings.goal,
        "replays": settings.replays,
        "methods": list(settings.methods),
        "against": known.words if known else None,
        "threshold": threshold_of(answers),
        "tokens_each": spent.tokens,
        "money_each": spent.money,
        "seconds_each": spent.seconds,
        **{f"{name}_asked": value for name, value in spent.compute_cost(answers.size).items()},
    }
