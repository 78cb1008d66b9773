"""The threshold: how sure judges must be so that few of their answers differ from people's, and
the settings of a request for it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np
import pandas as pd

from ...pairing import Choice
from ...records import TandemError
from ...settings import check_choices, declare, redeclare
from ...statistics import Codes, Floats, acceptance
from ...store import Store
from ..budget import estimate_spending
from ..combine import AnsweredPairs, EstimateSettings, load_answered
from ..judgements.answers import TRUTH, select_answered
from ..judgements.finding import unless_refused
from ..judgements.population import code_families
from ..judgements.provenance import is_rest
from ..judgements.selection import Selection
from ..judgements.verdicts import PAIR, orient
from .signals import Sureness, measure_sureness

STEPS = 100  # thresholds that are tested
LOOKS = 8
FIRST_LOOK = 50
LOOKS_AT = [FIRST_LOOK * 2**look for look in range(LOOKS)]
"""Pairs with votes at which a threshold is looked for, where it holds at every look."""


@dataclass(frozen=True)
class ShareSettings:
    """Settings of shared work: of the answers that are accepted, at most `accept_error` differ from
    people's, with `confidence`, as far as `signal` tells how sure a judge is.
    """

    accept_error: float = redeclare(Choice, "accept_error")
    confidence: float = redeclare(Choice, "certainty", option="confidence")
    signal: str = redeclare(Choice, "signal")
    promise: str = declare(
        "sure",
        "the error stays below in so many studies (sure), or on average over studies (average)",
        label="The promise holds",
        choices={"sure": "as surely as chosen", "average": "on average"},
        more="**As surely as chosen**: tests in a fixed sequence (Jung et al. 2025). **On "
        "average**: conformal selection (Jin and Candès 2023). It accepts more, and about half of "
        "all studies are above it.",
    )
    looks: str = declare(
        "",
        "the promise holds at one look, or at every one of eight (default: every where a campaign "
        "asks)",
        label="Looks",
        choices={"": "chosen by the data", "one": "one look", "every": "every look"},
        more=f"At {FIRST_LOOK} pairs with votes, twice as many, and so on up to {LOOKS} times.",
    )
    against: str = declare(
        "majority",
        "people's answer about a pair: the majority's, or that of one of them at random",
        label="People's answer",
        choices={"majority": "the majority's", "person": "that of one person at random"},
        more="A tie of people differs by one half from a judge that chooses a text. A judge's tie "
        "is never accepted.",
    )
    people: tuple[str, ...] = redeclare(EstimateSettings, "people")

    def __post_init__(self) -> None:
        check_choices(self)


@dataclass(frozen=True)
class SharedWork:
    """Judged pairs and who answers each: `every` are the pairs, `sureness` that of the judges,
    `right` (m,) people's points for the first text by votes that calibrate, NaN without.
    `thresholds` (T,) fall to where every answer is accepted; `found` is the last that holds.
    `looks` is how many looks it holds at, `right_then` (m,) people's points at its look.
    """

    every: AnsweredPairs
    sureness: Sureness
    right: Floats
    right_then: Floats
    thresholds: Floats
    found: acceptance.Threshold
    looks: int

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
        """Return which judge answers each pair at each threshold (T, m), -1 for none, and what it
        says.
        """
        shape = (len(self.thresholds), len(self.right))
        by, says = np.full(shape, -1), np.zeros(shape)
        for step, threshold in enumerate(self.thresholds):
            by[step], says[step] = self.sureness.answer(threshold)
        return by, says

    @property
    def shares(self) -> Floats:
        """Return the share of all pairs that each threshold accepts (T,)."""
        return np.asarray((self.steps[0] >= 0).mean(axis=1))

    def compare(self, right: Floats) -> tuple[acceptance.Mask, Floats, Floats, Codes]:
        """Compare the answers at each threshold with people's points for the k pairs that have
        some: whether it accepts them (T, k), how far they differ (T, k), weights and groups (k,).
        """
        (by, says), used = self.steps, ~np.isnan(right)
        loss = np.abs(says[:, used] - right[used])
        return by[:, used] >= 0, loss, self.weights[used], code_families(self.every.pairs)[used]


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
    looks, nothing = LOOKS if settings.looks == "every" else 1, acceptance.NOTHING
    shared = SharedWork(every, sureness, right, right, thresholds, nothing, looks)
    best, right_then = nothing, right
    for points in _list_looks(shared, settings):
        found = _test_steps(shared, points, settings)
        if found.step >= best.step:
            best, right_then = found, points
    return replace(shared, found=best, right_then=right_then)


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


def measure_costs(store: Store, selection: Selection, every: AnsweredPairs) -> pd.DataFrame:
    """Measure what a pair costs each judge (the index)."""
    frame, _ = select_answered(store, replace(selection, judges=tuple(every.names)))
    found = {}
    for name, answered in orient(frame).groupby("judge"):
        spent = estimate_spending(store, selection.dataset, answered, people=False)
        each = len(answered) / len(answered.drop_duplicates(PAIR))
        found[name] = {"money": each * spent.money, "seconds": each * spent.seconds}
    rows = pd.DataFrame.from_dict(found, orient="index", columns=["money", "seconds"])
    return rows.astype(float)


def _list_looks(shared: SharedWork, settings: ShareSettings) -> Iterator[Floats]:
    """List people's points (m,) at each look, NaN for pairs without votes then."""
    if shared.looks == 1:
        yield shared.right
        return
    since = np.where(shared.has_votes, shared.every.pairs["since"].to_numpy(float), np.inf)
    order = np.argsort(since, kind="stable")
    for votes in LOOKS_AT:
        if votes <= shared.has_votes.sum():
            last = since[order[votes - 1]]
            points = find_right(pd.Series(shared.every.average_first(last)), settings)
            yield np.where(since <= last, points, np.nan)


def _test_steps(shared: SharedWork, right: Floats, settings: ShareSettings) -> acceptance.Threshold:
    votes, error = shared.compare(right), settings.accept_error
    if not votes[0].size:
        return acceptance.NOTHING
    if settings.promise == "average":
        return acceptance.select_on_average(*votes, shared.shares, error=error)
    risk = (1 - settings.confidence) / shared.looks
    starts = acceptance.list_starts(shared.shares, votes[0].shape[1], error, risk)
    return acceptance.find_threshold(*votes, starts, error=error, risk=risk)
