"""Draws of items by their separability, and how likely each item was to be taken."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..records import TandemError
from ..settings import check_choices, declare
from ..statistics import Codes, Floats

SLACK = 1e-9  # of rounding, at the ends of a range
LEAST = 0.05
"""The size of what is less separable, so that all can be drawn and estimates be re-weighted."""


@dataclass(frozen=True)
class BySeparability:
    """A draw of items, or pairs of texts, by their separability from `low` to `high`.

    `how`: "order", the most separable first; "range", every one as likely; "proportional", drawn
    with a probability proportional to separability, which Ghosh et al. 2024 recommend;
    "stratified", as many from each of `bins` equally wide bins, their alternative. `number` is how
    many at most.
    """

    how: str = declare(
        "proportional", "how they are chosen by separability", label="Drawn",
        more="Among items in the range",
        choices=lambda: {name: draw.label for name, draw in DRAWS.items()},
    )  # fmt: skip
    number: int | None = declare(None, "how many items", metavar="N", least=1)
    low: float = declare(-1.0, "minimum separability of an item", metavar="D", option="from")
    high: float = declare(1.0, "maximum separability", metavar="D", option="to")
    bins: int = declare(5, "how many bins", metavar="N", least=1)

    def __post_init__(self) -> None:
        check_choices(self)
        if self.number is None and self.how in ("proportional", "stratified"):
            raise TandemError(f"{self.how} by separability draws some of the items: say how many")
        if not -1 <= self.low <= self.high <= 1:
            raise TandemError(
                f"separability from {self.low:g} to {self.high:g} is not a range within -1 to 1"
            )


@dataclass(frozen=True)
class DrawnItems:
    """Places of what is taken, in the order to ask; `chances` (n,), how likely everything was to be
    taken, 0 where it could not be; and how many have no separability and are left out. A mean over
    all that could be drawn is sum(y / probability) / sum(1 / probability).
    """

    places: Codes
    chances: Floats
    unknown: int

    @property
    def probability(self) -> Floats:
        """The probabilities of inclusion of what is taken, in the order of the places."""
        return self.chances[self.places]


def draw_by_separability(
    separability: Floats, settings: BySeparability, rng: np.random.Generator
) -> DrawnItems:
    """Draw places by these separabilities (n,), NaN for unknown ones.

    The places come in random order, so that an unfinished plan is a sample, too. Raises TandemError
    if no separability is in the range.
    """
    low, high = settings.low - SLACK, settings.high + SLACK
    there = np.flatnonzero((separability >= low) & (separability <= high))
    if not len(there):
        raise TandemError(f"nothing has a separability from {settings.low:g} to {settings.high:g}")
    number = min(settings.number or len(there), len(there))
    chances = np.zeros(len(separability))
    chosen, chances[there] = DRAWS[settings.how].sample(separability[there], number, settings, rng)
    return DrawnItems(there[chosen], chances, int(np.isnan(separability).sum()))


_Sample = tuple[Codes, Floats]
"""Places in the order to ask, and the probability of inclusion of everything there is."""


def _most_separable(
    values: Floats, number: int, settings: BySeparability, rng: np.random.Generator
) -> _Sample:
    # Nothing is drawn, so all places taken have probability 1. Equals are in random order.
    mixed = rng.permutation(len(values))
    taken = mixed[np.argsort(-values[mixed], kind="stable")][:number]
    chances = np.zeros(len(values))
    chances[taken] = 1.0
    return taken, chances


def systematic(
    sizes: Floats, number: int, rng: np.random.Generator, strata: Codes | None = None
) -> _Sample:
    """Draw exactly `number` places in random order, each taken with exactly its probability, which
    is proportional to its size: systematic sampling of a shuffled list (Madow 1949). With `strata`
    the list goes stratum by stratum, so that each gets its share to within one.
    """
    probability = inclusion(sizes, number)
    certain = probability >= 1
    order = rng.permutation(np.flatnonzero(~certain))
    if strata is not None:
        turn = rng.permutation(int(strata.max(initial=-1)) + 1)
        order = order[np.argsort(turn[strata[order]], kind="stable")]
    ends = np.cumsum(probability[order])
    steps = rng.random() + np.arange(number - certain.sum())
    drawn = (
        order[np.minimum(np.searchsorted(ends, steps, side="right"), len(order) - 1)]
        if len(steps)
        else order[:0]
    )
    return rng.permutation(np.concatenate([np.flatnonzero(certain), drawn])), probability


def inclusion(sizes: Floats, number: int) -> Floats:
    """Compute probabilities of inclusion proportional to `sizes`, at most 1, that sum to `number`
    (Saerndal et al. 1992, 3.6).
    """
    certain = np.zeros(len(sizes), dtype=bool)
    while True:
        rest = sizes[~certain].sum()
        share = (number - certain.sum()) * sizes / rest if rest else np.ones(len(sizes))
        over = ~certain & (share > 1 - 1e-12)
        if not over.any():
            return np.where(certain, 1.0, share)
        certain |= over


def _draw_stratified(
    values: Floats, number: int, settings: BySeparability, rng: np.random.Generator
) -> _Sample:
    # A value on an edge belongs below it, as in the bins that are shown.
    edges = np.linspace(values.min(), values.max(), settings.bins + 1)[1:-1]
    of_bin = [np.flatnonzero(np.searchsorted(edges, values) == b) for b in range(settings.bins)]
    # One of each bin in turn, the most separable first, until there are enough.
    taken = [0] * settings.bins
    while sum(taken) < number:
        for b in reversed(range(settings.bins)):
            taken[b] += sum(taken) < number and taken[b] < len(of_bin[b])
    probability = np.zeros(len(values))
    chosen = [rng.permutation(members)[:some] for members, some in zip(of_bin, taken, strict=True)]
    for members, some in zip(of_bin, taken, strict=True):
        probability[members] = some / max(len(members), 1)
    return rng.permutation(np.concatenate(chosen)), probability


class Draw(NamedTuple):
    """A way to choose by separability: what people call it, and the sample it takes."""

    label: str
    sample: Callable[[Floats, int, BySeparability, np.random.Generator], _Sample]


DRAWS: dict[str, Draw] = {
    "order": Draw("the most separable", _most_separable),
    "range": Draw(
        "each as likely",
        lambda values, number, settings, rng: (
            rng.permutation(len(values))[:number],
            np.full(len(values), number / len(values)),
        ),
    ),
    "proportional": Draw(
        "the more separable, the likelier",
        lambda values, number, settings, rng: systematic(np.maximum(values, LEAST), number, rng),
    ),
    "stratified": Draw("as many of each fifth of the range", _draw_stratified),
}
