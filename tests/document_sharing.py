"""What sharing work promises, and what it keeps in simulated studies with known truth: `python -m
tests.document_sharing --write` makes the first table of tests/coverage/sharing.md.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import expit, logit

from core.findings.combine import AnsweredPairs
from core.findings.judgements import Caution, Selection
from core.findings.share import ShareSettings, Sureness, trust_judges
from core.findings.share.signals import learn_sureness
from tests.document import fill, update, write_table
from tests.paths import ROOT

PAGE = ROOT / "tests" / "coverage" / "sharing.md"
STUDIES, PAIRS = 100, 2000
SIZES = (50, 100, 200, 500, 1000)
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class World:
    """Pairs with what J judges say (1 the first text), how sure they are, (J, m) each, the points
    (m, people) that people would give, their items (m,), and how likely each is to be voted on.
    """

    says: Floats
    sure: Floats
    people: Floats
    item: NDArray[np.int64]
    chance: Floats | None = None


class Study(NamedTuple):
    """The share of pairs accepted, and the error among all of them."""

    accepted: float
    error: float


def make_pairs(
    voted: Floats, item: NDArray[np.int64], inclusion: Floats, judges: int
) -> AnsweredPairs:
    """Make pairs of two systems, of which people voted on those with points in `voted`."""
    count, names = len(voted), [f"judge-{one}" for one in range(judges)]
    pairs = pd.DataFrame(
        {"attribute": "quality", "item": item.astype(str), "family": item.astype(str), "system_1": "a",
         "system_2": "b", "candidate_1": np.arange(count), "candidate_2": np.arange(count) + count,
         "voted": voted, "sampled": voted, "votes": ~np.isnan(voted), "since": np.arange(count),
         "sampled_inclusion": inclusion}
    )  # fmt: skip
    table = pd.DataFrame({"judge": names})
    return AnsweredPairs(
        pairs, table, ("a", "b"), ("human",), False, ("human",), False, 0, count, {},
        Caution((), ()), (), Selection("made"), False,
    )  # fmt: skip


def run_study(
    world: World, votes: int, settings: ShareSettings, rng: np.random.Generator, *,
    whole_items: bool = False, learned: bool = False, trusted: Callable[[World], World] | None = None,
) -> Study:  # fmt: skip
    """Let people vote on so many pairs at random, share, and look at all answers."""
    count = len(world.item)
    chance = np.ones(count) if world.chance is None else world.chance
    if whole_items:
        drawn = rng.permutation(np.unique(world.item))
        place = np.argsort(np.argsort(drawn))[np.searchsorted(np.unique(world.item), world.item)]
        taken = np.argsort(place, kind="stable")[:votes]
    else:
        taken = rng.choice(count, votes, replace=False, p=chance / chance.sum())
    given = np.full(count, np.nan)
    given[taken] = world.people[taken].mean(axis=1)
    order = np.r_[taken, np.setdiff1d(np.arange(count), taken)]  # in the order of the votes
    every = make_pairs(given[order], world.item[order], chance[order], len(world.says))
    says, sure = world.says[:, order], world.sure[:, order]
    if learned:
        right = np.where(np.isnan(given[order]), np.nan, (np.sign(given[order] - 0.5) + 1) / 2)
        sure = learn_sureness(every, says, {"probability": sure}, right, 0)
    names = tuple(f"judge-{one}" for one in range(len(says)))
    shared = trust_judges(
        every, Sureness(names, says, sure, tuple((name,) for name in names)), settings
    )
    by, answers = shared.sureness.answer(shared.threshold)
    if not (by >= 0).any():
        return Study(0.0, 0.0)
    of = trusted(world) if trusted else world
    people = of.people[order]
    right = (
        people.mean(axis=1)
        if settings.against == "person"
        else (np.sign(people.mean(axis=1) - 0.5) + 1) / 2
    )
    loss = np.abs(answers - right)
    return Study(float((by >= 0).mean()), float(loss[by >= 0].mean()))


def find_oracle(world: World, error: float) -> float:
    """The greatest share of pairs whose answers, surest first, differ in `error` at most."""
    right = (np.sign(world.people.mean(axis=1) - 0.5) + 1) / 2
    order = np.argsort(-world.sure.max(axis=0), kind="stable")
    by = world.sure.argmax(axis=0)
    loss = np.abs(world.says[by, np.arange(len(by))] - right)[order]
    mean = np.cumsum(loss) / np.arange(1, len(loss) + 1)
    below = np.flatnonzero(mean <= error)
    return float((below[-1] + 1) / len(loss)) if len(below) else 0.0


def make_world(
    rng: np.random.Generator, risk: Callable[[Floats], Floats], *, items: int = PAIRS, people: int = 1,
    ties: float = 0.0, spread: float = 0.0, split: float = 0.0,
) -> World:  # fmt: skip
    """Make pairs on which a judge says 1, and errs by the `risk` (m,) at its rank in sureness, from
    0, the surest, to 1. Items are `spread` apart in log-odds; people `split` from most.
    """
    rank = rng.random(PAIRS)
    item = np.sort(rng.integers(0, items, PAIRS)) if items < PAIRS else np.arange(PAIRS)
    odds = logit(np.clip(risk(rank), 1e-4, 1 - 1e-4)) + rng.normal(0, spread, PAIRS)[item]
    wrong = rng.random(PAIRS) < expit(odds)
    against = rng.random((PAIRS, people)) < split
    points = np.where(wrong[:, None] ^ against, 0.0, 1.0)
    points[rng.random(PAIRS) < ties] = 0.5
    return World(np.ones((1, PAIRS)), 1 - rank[None] / 2, points, item)


def calibrated(rank: Floats) -> Floats:
    return rank / 2


def overconfident(rank: Floats) -> Floats:
    return 0.02 + 0.4 * rank**2


def at_the_edge(rank: Floats) -> Floats:
    return np.full(len(rank), 0.105)


def upside_down(rank: Floats) -> Floats:
    return 0.3 - 0.28 * rank


def good(rank: Floats) -> Floats:
    return np.full(len(rank), 0.05)


def make_cascade(rng: np.random.Generator) -> World:
    """A small judge, and a good one that is asked where the small one is unsure."""
    hard = rng.random(PAIRS)
    small, large = (rng.random(PAIRS) < rate * hard for rate in (0.5, 0.25))
    sure = 1 - np.clip(np.stack([hard, hard / 2]) + rng.normal(0, 0.05, (2, PAIRS)), 0, 1) / 2
    people = np.ones((PAIRS, 1))
    return World(1.0 - np.stack([small, large]), sure, people, np.arange(PAIRS))


def make_uneven(rng: np.random.Generator) -> World:
    """Pairs of which the unsure are four times as likely to be voted on."""
    world = make_world(rng, overconfident)
    return replace(world, chance=np.where(world.sure[0] < 0.75, 0.8, 0.2))


def drift(world: World) -> World:
    """What the judge does on later pairs: it errs on one in ten more."""
    later = np.random.default_rng(5).random(len(world.item)) < 0.1
    return replace(world, people=np.where(later[:, None], 0.0, world.people))


SURE, LOOSE = ShareSettings(), ShareSettings(promise="average")
Row = tuple[str, Callable[[np.random.Generator], World], ShareSettings, dict[str, object]]
ROWS: tuple[Row, ...] = (
    ("a calibrated judge", lambda rng: make_world(rng, calibrated), SURE, {}),
    ("an overconfident judge", lambda rng: make_world(rng, overconfident), SURE, {}),
    ("a judge as good everywhere (5% wrong)", lambda rng: make_world(rng, good), SURE, {}),
    ("a judge at the edge (10.5% wrong)", lambda rng: make_world(rng, at_the_edge), SURE, {}),
    ("a judge that errs where it is sure", lambda rng: make_world(rng, upside_down), SURE, {}),
    ("overconfident, 5 pairs an item", lambda rng: make_world(rng, overconfident, items=PAIRS // 5, spread=1), SURE, {}),
    ("the edge, 5 pairs an item, whole items voted on", lambda rng: make_world(rng, at_the_edge, items=PAIRS // 5, spread=1), SURE, {"whole_items": True}),
    ("overconfident, majority of three", lambda rng: make_world(rng, overconfident, people=3, split=0.1), SURE, {}),
    ("good, one of three at random", lambda rng: make_world(rng, lambda rank: rank / 50, people=3, split=0.06), replace(SURE, against="person"), {}),
    ("overconfident, 8% ties of people", lambda rng: make_world(rng, overconfident, ties=0.08), SURE, {}),
    ("overconfident, unsure pairs asked more often", make_uneven, SURE, {}),
    ("overconfident, at every look", lambda rng: make_world(rng, overconfident), replace(SURE, looks="every"), {}),
    ("two judges, one after the other", make_cascade, SURE, {}),
    ("overconfident, learned signal", lambda rng: make_world(rng, overconfident), SURE, {"learned": True}),
    ("overconfident, on average", lambda rng: make_world(rng, overconfident), LOOSE, {}),
    ("the edge, on average", lambda rng: make_world(rng, at_the_edge), LOOSE, {}),
    ("**broken**: the judge errs on one in ten more later", lambda rng: make_world(rng, overconfident), SURE, {"trusted": drift}),
)  # fmt: skip


def simulate(
    row: Row, votes: int, studies: int = STUDIES, seed: int = 0
) -> tuple[float, float, float, float]:
    """The share of studies that keep 10%, their mean error, the share accepted, and an oracle's."""
    _, make, settings, how = row
    rng = np.random.default_rng([seed, votes])
    found, best = [], []
    for _ in range(studies):
        world = make(rng)
        found.append(run_study(world, votes, settings, rng, **how))  # type: ignore[arg-type]
        best.append(find_oracle(world, settings.accept_error))
    kept = np.mean([one.error <= settings.accept_error for one in found])
    accepted = np.array([one.accepted for one in found])
    errors = np.array([one.error for one in found])
    mean = (
        errors.mean()
        if settings.promise == "average"
        else errors[accepted > 0].mean()
        if (accepted > 0).any()
        else np.nan
    )
    return float(kept), float(mean), float(accepted.mean()), float(np.mean(best))


def list_simulated() -> Iterator[list[str]]:
    yield ["situation", "votes", "promise kept", "error", "accepted", "oracle"]
    for row in ROWS:
        for votes in SIZES:
            kept, error, accepted, oracle = simulate(row, votes)
            shown = "–" if np.isnan(error) else f"{error:.1%}"
            yield [row[0], str(votes), f"{kept:.1%}", shown, f"{accepted:.0%}", f"{oracle:.0%}"]


if __name__ == "__main__":
    made = fill(PAGE.read_text("utf-8"), "simulated", write_table(list_simulated(), numbers=True))
    sys.exit(update({PAGE: made}))
