"""Studies simulated again and again: how often does a nominal 95% interval hold the truth?"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

LEAST, MOST = 0.92, 0.98
"""Coverage that passes for 95%."""


@dataclass(frozen=True)
class Case:
    """One situation: `study(rng)` simulates a study and says of each of its intervals whether it
    holds the truth: 1, 0, or NaN where there is no interval.

    `why` is the reason where the coverage may lie outside `least` to `most`.
    """

    situation: str
    study: Callable[[np.random.Generator], ArrayLike]
    why: str = ""
    least: float = LEAST
    most: float = MOST


@dataclass(frozen=True)
class Simulation:
    """A figure the program prints with an interval: its name, where it is printed (a command and
    its columns), and the situations it is simulated in, each with so many studies.
    """

    figure: str
    printed: str
    cases: tuple[Case, ...]
    studies: int = 1000

    @property
    def error(self) -> float:
        """The binomial standard error of a coverage of 95% in so many studies, whose intervals are
        not independent of each other.
        """
        return float(np.sqrt(0.95 * 0.05 / self.studies))


@dataclass(frozen=True)
class Coverage:
    """The share of the intervals that hold the truth, how many were simulated, and the share of
    figures without an interval.
    """

    share: float
    intervals: int
    without: float

    def passes(self, case: Case, error: float = 0.0) -> bool:
        """Whether it is within the bounds, or so far outside as `error` allows for."""
        return case.least - error <= self.share <= case.most + error


def simulate(simulation: Simulation, case: Case) -> Coverage:
    """The same figures every time: the seed is made of the names."""
    seed = zlib.crc32(f"{simulation.figure}: {case.situation}".encode())
    every: list[NDArray[np.float64]] = []
    for rng in np.random.default_rng(seed).spawn(simulation.studies):
        every.append(np.atleast_1d(np.asarray(case.study(rng), dtype=float)).ravel())
    held = np.concatenate(every)
    there = ~np.isnan(held)
    share = float(held[there].mean()) if there.any() else float("nan")
    return Coverage(share, int(there.sum()), float(1 - there.mean()))
