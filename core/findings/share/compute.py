"""Share work between judges and people: which answers of judges may stand, and what people do."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pandas as pd

from ...rendering import list_names
from ...settings import sign_settings
from ...statistics import Codes, Floats, acceptance, intervals
from ...store import Store
from ..judgements import Finding, Selection, code_families, write_signature
from ..judgements.verdicts import PAIR
from .columns import COLUMNS, FIRST_LOOK, PEOPLE, TABLES, ShareSettings
from .costs import add_group_costs, measure_costs
from .sentences import describe_share
from .thresholds import SharedWork, share_work

FEWEST_FOR_FORECAST = 10  # accepted pairs with votes by which an error is taken to stay as it is
DRAWN = 25  # thresholds of a picture
CASCADE = "one after the other"
"""What judges are called of which the first that is sure answers."""


def share(store: Store, selection: Selection, settings: ShareSettings) -> Finding:
    """Count the pairs that judges may answer by themselves, so that at most a share of the answers
    differ from people's, and those that people answer: a row for each judge, and one for people.
    Judges are asked in the order in which they are named; the first that is sure enough answers.
    The columns are declared in `core.findings.share.columns`.

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
    costs = add_group_costs(measure_costs(store, selection, every), shared.sureness)
    by, says = shared.sureness.answer(shared.threshold)
    rest, voted = by < 0, every.pairs["voted"].notna()
    ways = [(name, replace(shared, sureness=shared.sureness.take(place)))
            for place, name in enumerate(shared.sureness.names)]  # fmt: skip
    ways += [(CASCADE, shared)] if len(ways) > 1 else []
    risk = (1 - settings.confidence) / shared.looks
    frontier = pd.concat([_draw_frontier(*way, settings, risk, costs) for way in ways])
    frontier["is_chosen"] &= frontier["way"] == ways[-1][0]
    errors = _estimate_errors(shared)
    needed = _count_needed(shared, errors, settings, risk)
    facts = {
        "pairs": len(every.pairs),
        "items": int(every.pairs["item"].nunique()),
        "accepted": int((~rest).sum()),
        "by_people": int((rest & voted).sum()),
        "left": int((rest & ~voted).sum()),
        "sampled": int(shared.has_votes.sum()),
        "used": int(shared.used.sum()),
        "error": shared.found.error,
        "bound": shared.found.bound,
        "threshold": shared.threshold,
        "fewest": acceptance.count_fewest(settings.accept_error, risk),
        "needed": needed,
        "next_look": _find_next_look(shared, needed),
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
    """List what the thresholds accept, at about DRAWN of them."""
    every = len(shared.thresholds)
    kept = np.unique(np.linspace(0, max(every - 1, 0), min(DRAWN, every)).astype(int))
    if shared.found.step >= 0:
        kept = np.union1d(kept, [shared.found.step])
    by, used = shared.steps[0][kept], shared.has_votes
    share = (shared.steps[0] >= 0).mean(axis=1)
    starts = acceptance.list_starts(share, int(used.sum()), settings.accept_error, risk)
    error, bound = acceptance.bound_errors(
        by[:, used] >= 0, shared.steps[1][kept][:, used], shared.weights[used],
        code_families(shared.every.pairs)[used], risk / max(len(starts), 1),
    )  # fmt: skip
    asked = [((by < 0) | (by >= judge)).sum(axis=1) for judge in range(len(shared.sureness.names))]
    prices = costs.loc[list(shared.sureness.names), "money"].to_numpy()
    return pd.DataFrame(
        {"way": way, "threshold": shared.thresholds[kept],
         "accepted": (by >= 0).mean(axis=1), "error": error, "bound": bound,
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


def _estimate_errors(shared: SharedWork) -> Floats:
    """Estimate the error of each threshold (T,); NaN where few of the accepted have votes."""
    by, loss = (part[:, shared.has_votes] for part in shared.steps)
    there = (by >= 0) * shared.weights[shared.has_votes]
    wrong = (there * loss).sum(axis=1) / np.maximum(there.sum(axis=1), 1e-9)
    return np.where((by >= 0).sum(axis=1) < FEWEST_FOR_FORECAST, np.nan, wrong)


def _find_next_look(shared: SharedWork, needed: float | None) -> int | None:
    """Return the pairs with votes at the next look that finds as many as are needed; None where
    there is one look, or none to come.
    """
    least = max(needed or 0, int(shared.has_votes.sum()) + 1)
    looks = (FIRST_LOOK * 2**look for look in range(shared.looks if shared.looks > 1 else 0))
    return next((votes for votes in looks if votes >= least), None)


def _count_needed(
    shared: SharedWork, errors: Floats, settings: ShareSettings, risk: float
) -> float | None:
    """Count the pairs with votes at which a first threshold is expected; None where none is."""
    votes = int(shared.has_votes.sum())
    number = acceptance.count_votes_needed(
        (shared.steps[0] >= 0).mean(axis=1), np.nan_to_num(errors, nan=1.0), votes,
        error=settings.accept_error, risk=risk / len(acceptance.STARTS),
        most=100.0 * max(votes, 100),
    )  # fmt: skip
    return None if np.isinf(number) else number
