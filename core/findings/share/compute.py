"""Share work between judges and people: which answers of judges may stand, and what people do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pandas as pd

from ...records import TandemError
from ...rendering import list_names
from ...settings import sign_settings
from ...statistics import Codes, Floats, acceptance, intervals
from ...store import Store
from ..budget import estimate_spending
from ..combine import AnsweredPairs, EstimateSettings, load_answered
from ..judgements import (
    Finding,
    Selection,
    code_families,
    is_rest,
    orient,
    select_answered,
    write_signature,
)
from ..judgements.verdicts import PAIR
from .columns import (
    COLUMNS,
    FIRST_LOOK,
    LOOKS,
    PEOPLE,
    TABLES,
    ShareSettings,
)
from .sentences import describe_share
from .signals import Sureness, measure_sureness

STEPS = 100  # thresholds that are tested
FEWEST_FOR_FORECAST = 10  # accepted pairs with votes by which an error is taken to stay as it is
DRAWN = 25  # of these, those of a picture
CASCADE = "one after the other"
"""What judges are called of which the first that is sure answers."""


@dataclass(frozen=True)
class SharedWork:
    """Judged pairs and who answers each: `every` are the pairs, `sureness` that of the judges,
    `right` (m,) people's points for the first text by votes that calibrate, NaN without.
    `thresholds` (T,) fall to where every answer is accepted; `found` is the last that holds.
    `looks` is how many looks it holds at, `used` (m,) which votes it was found by.
    """

    every: AnsweredPairs
    sureness: Sureness
    right: Floats
    thresholds: Floats
    found: acceptance.Threshold
    looks: int
    used: acceptance.Mask

    @property
    def threshold(self) -> float:
        """The threshold that is accepted; infinite without one."""
        return float(self.thresholds[self.found.step]) if self.found.step >= 0 else np.inf

    @property
    def has_votes(self) -> acceptance.Mask:
        """Return which pairs (m,) have votes that calibrate."""
        return ~np.isnan(self.right)

    @property
    def weights(self) -> Floats:
        """Return how many pairs the votes on each stand for (m,)."""
        return 1 / self.every.pairs["sampled_inclusion"].fillna(1.0).to_numpy(float)

    @cached_property
    def steps(self) -> tuple[Codes, Floats]:
        """Return which judge answers each pair at each threshold (T, m), -1 for none, and how far
        its answer differs from people's, 0 where nobody voted.
        """
        shape = (len(self.thresholds), len(self.right))
        by, loss = np.full(shape, -1), np.zeros(shape)
        for step, threshold in enumerate(self.thresholds):
            by[step], says = self.sureness.answer(threshold)
            loss[step] = np.nan_to_num(np.abs(says - self.right))
        return by, loss


def share_work(store: Store, selection: Selection, settings: ShareSettings) -> SharedWork:
    """Find the lowest threshold at which judges may answer by themselves. Votes on what they were
    not trusted with before do not count here: they are no sample of all pairs. Thresholds are
    quantiles of how sure judges are of all pairs, so that no vote moves them.
    """
    if not settings.looks:
        coming = any(
            store.annotator_stats.is_collecting(selection.dataset, campaign.id)
            for campaign in store.campaigns.list_all(selection.dataset)
            if not is_rest(campaign)
        )
        settings = replace(settings, looks="every" if coming else "one")
    loaded = load_answered(store, selection, EstimateSettings(settings.people))
    if loaded.pairs["sampled"].isna().all():
        raise TandemError("no vote here is on a random pair: let people vote on some")
    every = _order_judges(store, selection, loaded)
    right = find_right(every.pairs["sampled"], settings)
    sureness = measure_sureness(store, selection, every, settings.signal, right)
    return trust_judges(every, sureness, settings)


def find_right(votes: pd.Series, settings: ShareSettings) -> Floats:
    """Return people's points for the first text (m,), from the mean of their votes on each pair:
    by the majority 0, 1/2 or 1. NaN where nobody voted.
    """
    mean = votes.to_numpy(float)
    if settings.against == "person":
        return mean
    return np.where(np.isnan(mean), np.nan, (np.sign(mean - 0.5) + 1) / 2)


def trust_judges(every: AnsweredPairs, sureness: Sureness, settings: ShareSettings) -> SharedWork:
    """Find the lowest threshold that holds for judges that are so sure."""
    greatest = sureness.sure.max(axis=0)
    known = np.sort(greatest[np.isfinite(greatest)])[::-1]
    places = np.unique(np.ceil(np.linspace(0, 1, STEPS + 1)[1:] * len(known)).astype(int)) - 1
    thresholds = np.unique(known[places[places >= 0]])[::-1]
    right = find_right(every.pairs["sampled"], settings)
    shared = SharedWork(
        every, sureness, right, thresholds, acceptance.NOTHING,
        LOOKS if settings.looks == "every" else 1,
        ~np.isnan(right),
    )  # fmt: skip
    best, used = acceptance.NOTHING, shared.used
    for votes in _list_looks(shared):
        one = _test_steps(replace(shared, used=votes), settings)
        if one.step >= best.step:
            best, used = one, votes
    return replace(shared, found=best, used=used)


def _order_judges(store: Store, selection: Selection, every: AnsweredPairs) -> AnsweredPairs:
    """The judges in the order in which they are named, else the cheapest first."""
    names = list(every.names)
    if len(names) < 2:
        return every
    if set(names) <= set(selection.judges):
        order = sorted(range(len(names)), key=lambda one: selection.judges.index(names[one]))
    else:
        money = _measure_costs(store, selection, every)["money"].reindex(names).fillna(np.inf)
        order = np.argsort(money.to_numpy(), kind="stable").tolist()
    pairs = every.pairs.rename(columns={old: new for new, old in enumerate(order)})
    return replace(every, pairs=pairs, judges=every.judges.iloc[order].reset_index(drop=True))


def _list_looks(shared: SharedWork) -> Iterator[acceptance.Mask]:
    """List which pairs with votes (m,) there were at each look."""
    if shared.looks == 1:
        yield shared.used
        return
    since = shared.every.pairs["since"].to_numpy(float)
    order = np.argsort(np.where(shared.used, since, np.inf), kind="stable")
    for look in range(shared.looks):
        votes = FIRST_LOOK * 2**look
        if votes <= shared.used.sum():
            taken = np.zeros(len(order), dtype=bool)
            taken[order[:votes]] = True
            yield taken


def _test_steps(shared: SharedWork, settings: ShareSettings) -> acceptance.Threshold:
    used, (by, loss) = shared.used, shared.steps
    if not used.any() or not len(by):
        return acceptance.NOTHING
    share, error = (by >= 0).mean(axis=1), settings.accept_error
    groups = code_families(shared.every.pairs)[used]
    votes = (by[:, used] >= 0, loss[:, used], shared.weights[used], groups)
    if settings.promise == "average":
        return acceptance.select_on_average(*votes, share, error=error)
    risk = (1 - settings.confidence) / shared.looks
    starts = acceptance.list_starts(share, int(used.sum()), error, risk)
    return acceptance.find_threshold(*votes, starts, error=error, risk=risk)


def share(store: Store, selection: Selection, settings: ShareSettings) -> Finding:
    """Count the pairs that judges may answer by themselves, so that at most a share of the answers
    differ from people's, and those that people answer: a row for each judge, and one for people.
    Judges are asked in the order in which they are named; the first that is sure enough answers.
    The columns are declared in `core.findings.share.columns`.

    Tables: `frontier`, what every threshold would accept, of each judge alone and of all in a row;
    `answers`, who answers each pair. Facts: pairs, items, accepted, by_people, left (pairs that
    wait for people), sampled (pairs with votes that calibrate; of these, used at the look that
    counts), error, bound, threshold, fewest (votes that a test takes at least), needed (pairs with
    votes at which a first threshold is expected; None where none is), least_error, looks, unsampled
    (votes on pairs not chosen at random), judges, people, gold, the settings, sentences.

    Raises:
        TandemError: no votes, no judge, or no separability where this is the signal.
    """
    shared = share_work(store, selection, settings)
    every = shared.every
    costs = _add_groups(_measure_costs(store, selection, every), shared.sureness)
    by, says = shared.sureness.answer(shared.threshold)
    rest, voted = by < 0, every.pairs["voted"].notna()
    ways = [(name, replace(shared, sureness=shared.sureness.take(place)))
            for place, name in enumerate(shared.sureness.names)]  # fmt: skip
    ways += [(CASCADE, shared)] if len(ways) > 1 else []
    risk = (1 - settings.confidence) / shared.looks
    frontier = pd.concat([_draw_frontier(*way, settings, risk, costs) for way in ways])
    frontier["is_chosen"] &= frontier["way"] == ways[-1][0]
    errors = _estimate_errors(shared)
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
        "needed": _count_needed(shared, errors, settings, risk),
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


def _measure_costs(store: Store, selection: Selection, every: AnsweredPairs) -> pd.DataFrame:
    """Measure what a pair costs each judge (the index)."""
    frame, _ = select_answered(store, replace(selection, judges=tuple(every.names)))
    found = {}
    for name, answered in orient(frame).groupby("judge"):
        spent = estimate_spending(store, selection.dataset, answered, people=False)
        each = len(answered) / len(answered.drop_duplicates(PAIR))
        found[name] = {"money": each * spent.money, "seconds": each * spent.seconds}
    rows = pd.DataFrame.from_dict(found, orient="index", columns=["money", "seconds"])
    return rows.astype(float)


def _add_groups(costs: pd.DataFrame, sureness: Sureness) -> pd.DataFrame:
    """Add up what a pair costs the judges that answer as one."""
    found = [costs.loc[list(names)].sum(skipna=False) for names in sureness.list_members()]
    return pd.DataFrame(found, index=pd.Index(sureness.names))


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
