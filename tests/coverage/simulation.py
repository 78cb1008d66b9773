"""Studies simulated again and again: how often does a nominal 95% interval hold the truth?"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit

LEAST, MOST = 0.92, 0.98
"""Coverage that passes for 95%."""


class StudyResult(NamedTuple):
    """What a study says: whether each interval `held` the truth, and what stands `beside` it."""

    held: ArrayLike
    beside: float


@dataclass(frozen=True)
class Beside:
    """What stands beside a coverage: heading, writing, and its median or mean over studies."""

    heading: str
    form: str = "{:.0%}"
    median: bool = False

    def summarise(self, values: list[float]) -> float:
        """Of the studies that have one; NaN where none has."""
        known = [value for value in values if not np.isnan(value)]
        if not known:
            return float("nan")
        return float(np.median(known) if self.median else np.mean(known))


@dataclass(frozen=True)
class Case:
    """One situation: `study(rng)` simulates a study and says of each of its intervals whether it
    holds the truth: 1, 0, or NaN where there is no interval.

    `why` is the reason where the coverage may lie outside `least` to `most`.
    """

    situation: str
    study: Callable[[np.random.Generator], ArrayLike | StudyResult]
    why: str = ""
    least: float = LEAST
    most: float = MOST


def cases(
    situation: str, study: Callable[..., Any], why: str | Callable[..., str] = "", *,
    least: float = LEAST, most: float = MOST, **axes: Iterable[Any],
) -> tuple[Case, ...]:  # fmt: skip
    """A case for each combination of these values, the last ones changing fastest. Where they are a
    dictionary, its keys are the words for them; a value that is one has values of several names.
    """
    found = []
    for chosen in product(*axes.values()):
        said, given = dict[str, Any](), dict[str, Any]()
        for (name, axis), word in zip(axes.items(), chosen, strict=True):
            value = axis[word] if isinstance(axis, dict) else word
            several = value if isinstance(value, dict) else {name: value}
            given |= several
            said |= {**several, name: word}
        reason = why if isinstance(why, str) else why(**given)
        words = situation.format(**said)
        found.append(Case(words, partial(study, **given), reason, least, most))
    return tuple(found)


def hold(low: ArrayLike, truth: ArrayLike, high: ArrayLike) -> NDArray[np.float64]:
    """1 where an interval holds the truth, 0 where it does not, NaN where there is none."""
    inside = np.less_equal(low, truth) & np.less_equal(truth, high)
    return np.where(np.isnan(low), np.nan, inside)


def decide(rng: np.random.Generator, odds: NDArray[np.float64]) -> NDArray[np.float64]:
    """1 with the probability of these log-odds, or 0."""
    return (rng.random(odds.shape) < expit(odds)).astype(float)


@dataclass(frozen=True)
class Simulation:
    """A figure the program prints with an interval: its name, where it is printed (a command and
    its columns), and the situations it is simulated in, each with so many studies. `beside` is
    what stands beside the coverage, where something does.
    """

    figure: str
    printed: str
    cases: tuple[Case, ...]
    studies: int = 1000
    beside: Beside | None = None

    @property
    def error(self) -> float:
        """The binomial standard error of a coverage of 95% in so many studies, whose intervals are
        not independent of each other.
        """
        return float(np.sqrt(0.95 * 0.05 / self.studies))


@dataclass(frozen=True)
class Coverage:
    """The share of the intervals that hold the truth, how many were simulated, the share of figures
    without an interval, what stands beside (NaN where nothing does), and in how many studies there
    was an interval.
    """

    share: float
    intervals: int
    without: float
    beside: float = float("nan")
    studies: int = 0

    @property
    def error(self) -> float:
        """The binomial standard error of this share in so many studies."""
        return float(np.sqrt(self.share * (1 - self.share) / self.studies)) if self.studies else 0.0

    def passes(self, case: Case, error: float = 0.0) -> bool:
        """Whether it is within the bounds, or so far outside as `error` allows for."""
        return case.least - error <= self.share <= case.most + error


def simulate(simulation: Simulation, case: Case, seed: int = 0) -> Coverage:
    """The same figures every time: the random numbers follow from the names and the seed."""
    start = zlib.crc32(f"{simulation.figure}: {case.situation}".encode(), seed)
    every: list[NDArray[np.float64]] = []
    beside: list[float] = []
    for rng in np.random.default_rng(start).spawn(simulation.studies):
        found = case.study(rng)
        if isinstance(found, StudyResult):
            beside.append(found.beside)
            found = found.held
        every.append(np.atleast_1d(np.asarray(found, dtype=float)).ravel())
    answered = sum(not np.isnan(of_study).all() for of_study in every)
    held = np.concatenate(every)
    there = ~np.isnan(held)
    share = float(held[there].mean()) if there.any() else float("nan")
    further = simulation.beside.summarise(beside) if simulation.beside else float("nan")
    return Coverage(share, int(there.sum()), float(1 - there.mean()), further, answered)
