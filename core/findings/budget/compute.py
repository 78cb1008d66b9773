"""Replay the comparisons of a data set with every strategy until the budget is spent."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any

import numpy as np
import pandas as pd

from ...frames import get_schema
from ...labels import DEBIASING
from ...pairing import STRATEGIES
from ...records import TandemError, option_ref
from ...rendering import Amount, declare_rows
from ...settings import sign_settings
from ...statistics import RATINGS, position_bias, replay
from ...store import Store
from ..judgements import minimum
from ..judgements.finding import Finding
from ..judgements.selection import Selection, write_signature
from .columns import BY_ALL, FEWER, NEEDED, QUICK, REPLAYS, BudgetSettings
from .pool import Pool, Spending, estimate_spending, fill_judge, pool
from .replays import ReferenceOrder, Replays, fewer_candidates, reference

AMOUNT = Amount()
MEASURES = {"spearman": "Spearman", "pair_accuracy": "share of pairs"}
COSTS = {"tokens": "tokens", "money": "in the currency of your prices", "minutes": "minutes"}
"""What comparisons take, and how that is called behind a number."""


def summarise_budget(facts: Mapping[str, Any], tables: Mapping[str, pd.DataFrame]) -> list[str]:
    """The least that would have done, what it would have taken, and how few candidates would."""
    least = find_cheapest(tables["needed"])
    found = [_describe_needed(facts, least)]
    if not minimum.is_enough(*_list_counts(facts)):
        return found
    if least is not None and not explain_obstacle(facts) and least["needed"] < facts["asked"]:
        found.append(_describe_costs(facts, least))
    found += _compare_with_people(facts, tables["all"])
    if len(fewer := tables["fewer"]):
        row = fewer.iloc[0] if len(fewer) < 3 else fewer.iloc[len(fewer) // 2 - 1]
        some, of = f"{row['candidates']:.0f}", int(fewer["candidates"].max())
        found.append(
            f"With {some} of {of} candidates, {row['as_all']:.0%} of pairs are in the same order "
            "as with all."
        )
    return found


def find_cheapest(needed: pd.DataFrame) -> pd.Series | None:
    """The row that reaches the goal with the fewest comparisons; None where none does."""
    there = needed.dropna(subset="needed")
    return None if there.empty else there.sort_values("needed", kind="stable").iloc[0]


def choose_first_picture(
    rows: pd.DataFrame, needed: pd.DataFrame, methods: Sequence[str]
) -> dict[str, str]:
    """The method and correction (`debias`) that a picture shows first: those of the row that the
    sentences name; of a sort, which has neither, and where no row reaches the goal, the first
    method with its last correction.
    """
    least = find_cheapest(needed)
    if least is not None and least["method"] in methods:
        return {"method": str(least["method"]), "debias": str(least["debias"])}
    of_method = rows.loc[rows["method"] == methods[0], "debias"]
    return {"method": methods[0], "debias": str(of_method.iloc[-1]) if len(of_method) else "none"}


def describe_way(row: pd.Series) -> str:
    """A strategy and a method in words."""
    method = RATINGS[row["method"]].label
    corrected = f", {DEBIASING[row['debias']]}" if row["debias"] != "none" else ""
    by = "" if STRATEGIES[row["strategy"]].sorts else f" and {method}{corrected}"
    return f"{row['strategy']}{by}"


def _write_number(facts: Mapping[str, Any], each: float) -> str:
    """Render a number of comparisons per item, with a digit where there are few; the total over all
    items where items hold one pair or less.
    """
    if _is_over_all(facts):
        return f"{each * facts['units']:,.0f}"
    return f"{each:,.0f}" if each >= 9.95 else f"{each:.1f}"


def _is_over_all(facts: Mapping[str, Any]) -> bool:
    return bool(facts["level"] == "system" and facts["asked"] <= 2)


def _list_counts(facts: Mapping[str, Any]) -> tuple[minimum.Count, minimum.Count]:
    return minimum.count_answers(facts["answers"]), minimum.count_items(facts["items"])


def explain_obstacle(facts: Mapping[str, Any]) -> str:
    """Explain why no budget is named; '' if one can be."""
    if few := minimum.describe_shortfall(
        "the number that would have done is reported", *_list_counts(facts)
    ):
        return few
    if not facts["told_apart"]:
        return (
            "All comparisons together rank nobody beyond chance, so there is no ranking to reach."
        )
    if facts["level"] == "system" and facts["systems"] < replay.FEWEST:
        return (
            "Two systems have no rank correlation but 1 and -1: a sufficient number takes "
            f"{replay.FEWEST} systems or more."
        )
    return ""


def _describe_needed(facts: Mapping[str, Any], least: pd.Series | None) -> str:
    if why := explain_obstacle(facts):
        return why
    asked, unit = _write_number(facts, facts["asked"]), "" if _is_over_all(facts) else " an item"
    goal = f"{facts['goal']:g} ({MEASURES[facts['figure']]})"
    if least is None or least["needed"] >= facts["asked"]:
        return (
            f"Only all {asked} comparisons{unit} are enough: nothing less agrees {goal} with them."
        )
    number = _write_number(facts, least["needed"])
    return (
        f"{number} comparisons{unit} would have been enough by {describe_way(least)}; "
        f"{asked} were asked. Enough means that the ranking agrees {goal} with that by all of them."
    )


def _describe_costs(facts: Mapping[str, Any], least: pd.Series) -> str:
    words, missing = [], []
    for name, unit in COSTS.items():
        some, asked = least[name], facts[f"{name}_asked"]
        if math.isnan(some):
            missing += [name] if name == "minutes" or not facts["people"] else []
            continue
        if name == "minutes" and asked < 1:
            some, asked, unit = 60 * some, 60 * asked, "seconds"
        whose = " of people's time" if name == "minutes" and facts["people"] else ""
        words.append(f"{AMOUNT.write(some)} instead of {AMOUNT.write(asked)} {unit}{whose}")
    taken = f"It would have taken {', '.join(words)}." if words else ""
    unknown = f"Not recorded: {', '.join(missing)}." if missing else ""
    return " ".join(filter(None, (taken, unknown)))


def _compare_with_people(facts: Mapping[str, Any], by_all: pd.DataFrame) -> list[str]:
    known = by_all.dropna(subset="human_accuracy")
    if not facts["against"] or known.empty:
        return []
    row = known.sort_values("human_accuracy", ascending=False, kind="stable").iloc[0]
    method = RATINGS[row["method"]].label
    return [
        f"All comparisons order {row['human_accuracy']:.0%} of pairs as {facts['against']} do "
        f"(by {method})."
    ]


NeededRows = Annotated[pd.DataFrame, declare_rows(NEEDED)]

ANSWERED = 0.95  # share of all comparisons from which a strategy that may ask any is replayed


def budget(store: Store, selection: Selection, settings: BudgetSettings) -> Finding:
    """Compute how few comparisons per item would have been enough (Liusie et al. 2024, figures 4
    and 5). One row per strategy, method, correction and budget.

    The columns are declared in `core.findings.budget.columns`. A sort is held against all answers
    by the first method.

    Tables: `needed`, for each strategy, method and correction the number of comparisons per item
    that reaches the goal; `all`, what all
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
    spent = estimate_spending(store, selection.dataset, answers.frame, people=answers.people)
    tables = {
        "needed": _find_needed(rows, replays, spent),
        "all": replays.by_all(),
        "fewer": fewer_candidates(answers, replays.units, replays.people, selection.seed),
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
    can_correct = probable and bool((answers.frame["order_known"] == 1).all())
    if "threshold" in settings.corrections and not can_correct:
        raise TandemError(
            f"{option_ref('debias')} threshold moves probabilities of the text shown first, and "
            f"{answers.judge} has none"
        )
    corrections = settings.corrections or (("none", "threshold") if can_correct else ("none",))
    pairings, left_out = _choose_possible(answers, settings.pairings or QUICK)
    if not pairings:
        raise TandemError(f"nothing can be replayed: {left_out[0]}")
    chosen = replace(settings, methods=methods, corrections=corrections, pairings=pairings)
    return replace(chosen, level=level), left_out


def _write_left_out(names: Sequence[str]) -> str:
    return f"{' and '.join(names)} {'is' if len(names) == 1 else 'are'} left out"


def _choose_possible(answers: Pool, names: tuple[str, ...]) -> tuple[tuple[str, ...], list[str]]:
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


def _find_needed(rows: pd.DataFrame, replays: Replays, spent: Spending) -> NeededRows:
    found = []
    answers, settings = replays.pool, replays.settings
    figure = _choose_figure(answers, settings)
    asked = answers.size / answers.items
    # Of two systems, one leads by chance in half of all studies.
    two = settings.level == "system" and len(answers.systems) < replay.FEWEST
    for keys, of in rows.groupby(["strategy", "method", "debias"], sort=False):
        value = of[figure].to_numpy(float)
        reached = np.full(len(value), np.nan) if two or not replays.has_differences else value
        least = replay.find_least_budget(of["comparisons"].to_numpy(float), reached, settings.goal)
        taken = spent.compute_cost(least * answers.items)
        most = float(pd.Series(value).max())
        found.append((*keys, least, least / asked, *taken.values(), most))
    return get_schema(NeededRows).make(found)


def _facts(
    answers: Pool, settings: BudgetSettings, known: ReferenceOrder | None, spent: Spending
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
        "threshold": position_bias.threshold(answers.prob_a[~np.isnan(answers.prob_a)]),
        "tokens_each": spent.tokens,
        "money_each": spent.money,
        "seconds_each": spent.seconds,
        **{f"{name}_asked": value for name, value in spent.compute_cost(answers.size).items()},
    }
