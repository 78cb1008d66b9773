"""Share work between judges and people: which answers of judges may stand, and what people do."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from ...labels import join_few_names, pluralize, round_up_to_two_digits, shorten_judges
from ...rendering import COUNT, DECIMAL, SHARE, YES_NO, Column, Place, list_names
from ...settings import sign_settings
from ...statistics import Codes, Floats, acceptance, intervals
from ...store import Store
from ..judgements.finding import Finding
from ..judgements.judges import ATTRIBUTE, declare_estimate
from ..judgements.population import code_families
from ..judgements.selection import Selection, write_signature
from ..judgements.verdicts import PAIR
from .signals import EVERY
from .thresholds import LOOKS_AT, SharedWork, ShareSettings, measure_costs, share_work

FEWEST_FOR_FORECAST = 10  # accepted pairs with votes by which an error is taken to stay as it is
DRAWN = 25  # thresholds of a picture
CASCADE = "one after the other"
"""What judges are called of which the first that is sure answers."""
PEOPLE = "people"
COLUMNS = (
    Column("who", "who answers", names_people=True),
    Column("pairs", "pairs", COUNT, "A judge answers where it is trusted, people the rest"),
    Column("share", "share", SHARE, "Of all pairs"),
    declare_estimate(
        "error", "differs from people", SHARE,
        "Its accepted answers, where people voted. What is promised of all is said above",
    ),
    Column("left", "still to ask", COUNT, "Pairs without a vote"),
    Column("money", "cost", DECIMAL, "All its answers, in the currency of your prices"),
    Column("seconds", "seconds", DECIMAL, "For all its answers", place=Place.SCREEN),
)  # fmt: skip
"""Columns of who answers how many pairs."""
FRONTIER = (
    Column("way", "judge", names_people=True),
    Column("threshold", "threshold", DECIMAL, "How sure it is at least", place=Place.SCREEN),
    Column("accepted", "accepted", SHARE, "Of all pairs"),
    Column("error", "differs from people", SHARE, "The accepted with votes"),
    Column("bound", "at most", SHARE, "The bound that a test has here"),
    Column("money", "cost", DECIMAL, "What judges' answers cost for all pairs"),
    Column("is_chosen", "chosen", YES_NO, place=Place.SCREEN),
)  # fmt: skip
"""Columns of each step down to where everything is accepted, of each judge alone and of all in a
row."""
PAIRS = (
    ATTRIBUTE,
    Column("item", "item"),
    Column("system_1", "system"),
    Column("system_2", "and"),
    Column("candidate_1", "text", COUNT, place=Place.FILES),
    Column("candidate_2", "and text", COUNT, place=Place.FILES),
    Column("sure", "sure", DECIMAL, "How sure the judge is that answers, or the surest"),
    Column("by", "answered by", names_people=True),
    Column(
        "points", "points", DECIMAL, "For the first system, by who answers; empty while open",
    ),
)  # fmt: skip
"""Columns of each pair, and whose answer counts."""
TABLES = {"frontier": FRONTIER, "answers": PAIRS}


def share(store: Store, selection: Selection, settings: ShareSettings) -> Finding:
    """Count the pairs that judges may answer by themselves, so that at most a share of the answers
    differ from people's, and those that people answer: a row for each judge, and one for people.
    Judges are asked in the order in which they are named; the first that is sure enough answers.
    The columns are declared in `core.findings.share.compute`.

    Tables: `frontier`, what every threshold would accept, of each judge alone and of all in a row;
    `answers`, who answers each pair. Facts: pairs, items, accepted, by_people, left (pairs that
    wait for people), sampled (pairs with votes that calibrate; of these, used at the look that
    counts), error, bound, threshold, fewest (votes that a test takes at least), needed (pairs with
    votes at which a first threshold is expected; None where none is), next_look (of several, that
    with as many), decided (pairs on which a judge prefers a text), failed (answers of judges),
    least_error, looks, unsampled
    (votes on pairs not chosen at random), judges, people, gold, the settings, sentences.

    Raises:
        TandemError: no votes, no judge, or no separability where this is the signal.
    """
    shared = share_work(store, selection, settings)
    every = shared.every
    of_judges, sureness = measure_costs(store, selection, every), shared.sureness
    costs = pd.DataFrame(
        [of_judges.loc[list(names)].sum(skipna=False) for names in sureness.members],
        index=pd.Index(sureness.names),
    )
    by, says = shared.sureness.answer(shared.threshold)
    rest, voted = by < 0, every.pairs["voted"].notna()
    ways = [
        (name, replace(shared, sureness=sureness.take(place)))
        for place, name in enumerate(sureness.names)
    ]
    ways += [(CASCADE, shared)] if len(ways) > 1 else []
    risk = (1 - settings.confidence) / shared.looks
    frontier = pd.concat([_draw_frontier(*way, settings, risk, costs) for way in ways])
    frontier["is_chosen"] &= frontier["way"] == ways[-1][0]
    is_accepted, loss, weights, _ = shared.compare(shared.right)
    counted = is_accepted * weights
    errors = (counted * loss).sum(axis=1) / np.maximum(counted.sum(axis=1), 1e-9)
    errors[is_accepted.sum(axis=1) < FEWEST_FOR_FORECAST] = np.nan
    votes, needed = len(weights), _count_needed(shared, errors, settings, risk)
    looks = LOOKS_AT if shared.looks > 1 else ()
    facts = {
        "pairs": len(every.pairs),
        "items": int(every.pairs["item"].nunique()),
        "accepted": int((~rest).sum()),
        "by_people": int((rest & voted).sum()),
        "left": int((rest & ~voted).sum()),
        "sampled": votes,
        "used": int((~np.isnan(shared.right_then)).sum()),
        "error": shared.found.error,
        "bound": shared.found.bound,
        "threshold": shared.threshold,
        "fewest": acceptance.count_fewest(settings.accept_error, risk),
        "needed": needed,
        "next_look": next((look for look in looks if look >= max(needed or 0, votes + 1)), None),
        "decided": int(np.isfinite(shared.sureness.sure).any(axis=0).sum()),
        "failed": sum(every.unanswered.values()),
        "least_error": float(np.nanmin(errors)) if np.isfinite(errors).any() else np.nan,
        "looks": shared.looks,
        "unsampled": every.unsampled,
        "judges": list(shared.sureness.names),
        "people": list(every.people),
        "gold": every.gold,
        **{name: getattr(settings, name) for name in
           ("accept_error", "confidence", "signal", "promise", "against")},
    }  # fmt: skip
    facts["sentences"] = describe_share(facts)
    return Finding(
        _list_rows(shared, costs, by, says),
        write_signature(
            "share",
            error=settings.accept_error,
            confidence=settings.confidence if settings.promise == "sure" else None,
            signal=settings.signal,
            **sign_settings(settings, "accept_error", "confidence", "signal", "looks", "people"),
            looks=shared.looks,
            people="+".join(every.people),
            **selection.signature_values(nobody="llm"),
            seed=selection.seed,
        ),
        every.used,
        Counter(every.unanswered),
        list(every.notes),
        facts,
        {"frontier": frontier.reset_index(drop=True), "answers": _list_answers(shared, by, says)},
        columns=COLUMNS,
        table_columns=TABLES,
        picture="share",
    )


def _list_rows(shared: SharedWork, costs: pd.DataFrame, by: Codes, says: Floats) -> pd.DataFrame:
    pairs, loss = shared.every.pairs, np.abs(says - shared.right)
    groups, there = code_families(pairs), (by >= 0) & shared.has_votes
    found = intervals.shares_by(
        loss[there], groups[there], by[there], n=len(shared.sureness.names),
        times=shared.weights[there],
    )  # fmt: skip
    rows = pd.DataFrame({"who": shared.sureness.names, **intervals.spread("error", found[:3])})
    rows["pairs"] = np.bincount(by[by >= 0], minlength=len(rows))
    asked = len(pairs) - rows["pairs"].cumsum().shift(fill_value=0)
    rows = rows.assign(left=0, **costs.loc[rows["who"]].reset_index(drop=True).mul(asked, axis=0))
    rest = by < 0
    people = {"who": PEOPLE, "pairs": rest.sum(), "left": (rest & pairs["voted"].isna()).sum()}
    every = pd.concat([rows, pd.DataFrame([people])], ignore_index=True)
    every = every.assign(share=every["pairs"] / len(pairs)).reindex(columns=list_names(COLUMNS))
    return every.astype({"pairs": int, "left": int})


def _draw_frontier(
    way: str, shared: SharedWork, settings: ShareSettings, risk: float, costs: pd.DataFrame
) -> pd.DataFrame:
    every = len(shared.thresholds)
    kept = np.unique(np.linspace(0, max(every - 1, 0), min(DRAWN, every)).astype(int))
    if shared.found.step >= 0:
        kept = np.union1d(kept, [shared.found.step])
    by = shared.steps[0][kept]
    accepted, loss, weights, groups = shared.compare(shared.right_then)
    starts = acceptance.list_starts(shared.shares, loss.shape[1], settings.accept_error, risk)
    error, bound = acceptance.bound_errors(
        accepted[kept], loss[kept], weights, groups, risk / max(len(starts), 1)
    )
    asked = [((by < 0) | (by >= judge)).sum(axis=1) for judge in range(len(shared.sureness.names))]
    prices = costs.loc[list(shared.sureness.names), "money"].to_numpy()
    return pd.DataFrame(
        {"way": way, "threshold": shared.thresholds[kept],
         "accepted": shared.shares[kept], "error": error, "bound": bound,
         "money": prices @ np.array(asked), "is_chosen": kept == shared.found.step}
    )  # fmt: skip


def _list_answers(shared: SharedWork, by: Codes, says: Floats) -> pd.DataFrame:
    pairs = shared.every.pairs
    names = np.array([*shared.sureness.names, PEOPLE], dtype=object)
    voted = pairs["voted"].to_numpy(float)
    sure = shared.sureness.sure.max(axis=0)
    return pairs[["item", "system_1", "system_2", *PAIR]].assign(
        sure=np.where(np.isfinite(sure), sure, np.nan),
        by=np.where(np.isnan(voted), names[by], PEOPLE),
        points=np.where(np.isnan(voted) & (by >= 0), says, voted),
    )


def _count_needed(
    shared: SharedWork, errors: Floats, settings: ShareSettings, risk: float
) -> float | None:
    votes = int(shared.has_votes.sum())
    number = acceptance.count_votes_needed(
        shared.shares, np.nan_to_num(errors, nan=1.0), votes,
        error=settings.accept_error, risk=risk / len(acceptance.STARTS),
        most=100.0 * max(votes, 100),
    )  # fmt: skip
    return None if np.isinf(number) else number


def describe_share(facts: Mapping[str, Any]) -> list[str]:
    """Describe who answers how much and what is promised, what is still to ask, and what the
    promise is about.
    """
    if not facts["accepted"]:
        return [*_describe_none(facts), *_warn_of_no_sample(facts)]
    judges = join_few_names([shorten_judges(name) for name in facts["judges"]])
    several = len(facts["judges"]) > 1 or EVERY in facts["judges"]
    verb, alone = ("answer", "by themselves") if several else ("answers", "by itself")
    people = facts["pairs"] - facts["accepted"]
    error, confidence = (f"{facts[name]:.0%}" for name in ("accept_error", "confidence"))
    promise = f"at most {error} of them differ from people, {confidence} sure"
    if facts["promise"] == "average":
        promise = f"{error} of them differ from people at most, on average"
    looks = " at every look" if facts["looks"] > 1 else ""
    return [
        f"Of {pluralize(facts['pairs'], 'pair')} {judges} {verb} {facts['accepted']:,} {alone} "
        f"({promise}), people {people:,}.",
        _describe_left(facts),
        *_warn_of_no_sample(facts),
        f"The promise holds{looks} for pairs like these, this judge as it is, and people like "
        "those who voted.",
    ]


def _describe_left(facts: Mapping[str, Any]) -> str:
    if facts["left"]:
        return f"{facts['left']:,} of these still wait for people."
    if not facts["failed"]:
        return "Every pair is answered."
    failed = pluralize(facts["failed"], "answer")
    return f"Every pair is answered but those of {failed} that judges failed to give."


def _describe_none(facts: Mapping[str, Any]) -> list[str]:
    votes = f"votes on {pluralize(facts['sampled'], 'pair')}"
    found = [
        f"With {votes}, judges may answer nothing alone if at most {facts['accept_error']:.0%} "
        "are to differ from people."
    ]
    if not facts["decided"]:
        return ["These judges prefer no text, so people answer every pair."]
    if math.isnan(facts["least_error"]):
        found.append(
            f"It takes at least {facts['fewest']} where a judge is sure, and no mistake. Let "
            "people vote on pairs at random."
        )
    elif facts["needed"] is None:
        found.append(
            f"Even where it is surest, {facts['least_error']:.0%} differ: allow more, try another "
            "signal, or let people answer."
        )
    elif facts["next_look"] or facts["needed"] > facts["sampled"]:
        number = facts["next_look"] or round_up_to_two_digits(facts["needed"])
        found.append(f"About {number:,.0f} pairs with votes should do, if it errs as often as now.")
    else:
        found.append("It errs seldom enough so far, but votes are few: ask about some more pairs.")
    return found


def _warn_of_no_sample(facts: Mapping[str, Any]) -> list[str]:
    if not facts["unsampled"]:
        return []
    return [
        f"Pairs with {pluralize(facts['unsampled'], 'vote')} were not chosen at random, so the "
        "promise may not hold."
    ]
