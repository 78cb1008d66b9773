"""The threshold: how sure judges must be so that few of their answers differ from people's."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np
import pandas as pd

from ...records import TandemError
from ...statistics import Codes, Floats, acceptance
from ...store import Store
from ..combine import AnsweredPairs, EstimateSettings, load_answered
from ..judgements import TRUTH, Selection, code_families, is_rest, unless_refused
from .columns import FIRST_LOOK, LOOKS, ShareSettings
from .costs import measure_costs
from .signals import Sureness, measure_sureness

STEPS = 100  # thresholds that are tested


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
            store.campaigns.size(campaign.id)["given"]
            for campaign in store.campaigns.list_all(selection.dataset)
            if not is_rest(campaign)
        )
        settings = replace(settings, looks="every" if coming else "one")
    loaded = _load_sampled(store, selection, settings.people)
    every = _order_judges(store, selection, loaded)
    right = find_right(every.pairs["sampled"], settings)
    sureness = measure_sureness(store, selection, every, settings.signal, right)
    return trust_judges(every, sureness, settings)


def _load_sampled(store: Store, selection: Selection, named: tuple[str, ...]) -> AnsweredPairs:
    """Load the answers of judges and of people; of labels or simulated votes, where all that people
    gave is on what judges were not trusted with. Raises TandemError without any at random.
    """
    for people in (named, *(((kind.value,) for kind in TRUTH) if not named else ())):
        load = partial(load_answered, store, selection, EstimateSettings(people))
        loaded = load() if people == named else unless_refused(load)
        if loaded and loaded.pairs["sampled"].notna().any():
            return loaded
    raise TandemError("no vote here is on a random pair: let people vote on some")


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
    for votes, points in _list_looks(shared, settings):
        one = _test_steps(replace(shared, used=votes, right=points), settings)
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
        money = measure_costs(store, selection, every)["money"].reindex(names).fillna(np.inf)
        order = np.argsort(money.to_numpy(), kind="stable").tolist()
    pairs = every.pairs.rename(columns={old: new for new, old in enumerate(order)})
    return replace(every, pairs=pairs, judges=every.judges.iloc[order].reset_index(drop=True))


def _list_looks(
    shared: SharedWork, settings: ShareSettings
) -> Iterator[tuple[acceptance.Mask, Floats]]:
    """List which pairs with votes (m,) there were at each look, and people's points then."""
    if shared.looks == 1:
        yield shared.used, shared.right
        return
    since = shared.every.pairs["since"].to_numpy(float)
    order = np.argsort(np.where(shared.used, since, np.inf), kind="stable")
    for look in range(shared.looks):
        votes = FIRST_LOOK * 2**look
        if votes <= shared.used.sum():
            taken = np.zeros(len(order), dtype=bool)
            taken[order[:votes]] = True
            then = shared.every.average_first(since[order[votes - 1]])
            yield taken, find_right(pd.Series(then), settings)


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
