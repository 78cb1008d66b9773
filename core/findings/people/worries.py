"""Warn about annotators who answer too fast, keep to one side, fail checks, contradict themselves,
or misfit the others' order. Each is tested against chance among so many people.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any

import numpy as np
import pandas as pd

from ...statistics import intervals

SLIPS = 0.1
"""The share of answers that may be too fast: a key pressed twice, a pair seen before."""


class Worry(StrEnum):
    """Reason to read a person's votes before they count."""

    SPEED = "speed"
    SIDE = "one side"
    GOLD = "gold"
    ATTENTION = "attention"
    REPEATS = "repeats"
    MISFIT = "misfit"


def find_worries(rows: pd.DataFrame, side_p: Any) -> list[tuple[str, ...]]:
    """The worries about each person of `rows`, a frame of the ANNOTATORS columns.

    Five figures of each person are tested: too fast in more than SLIPS of their first looks
    (binomial); the first side taken more or less often than the strengths of the systems explain
    (`side_p` (n,), the p-values by item); fewer gold pairs passed, attention checks passed or
    answers repeated than the others (Fisher's exact test, one-sided). All p-values together take
    half of `intervals.ALPHA` (Holm 1979); `misfit` has taken the other half already
    (`core.statistics.misfits`).
    """
    p = {
        Worry.SPEED: _test_speed(rows),
        Worry.SIDE: np.asarray(side_p, dtype=float),
        Worry.GOLD: _test_below_others(rows["gold_passed"], rows["gold_answered"]),
        Worry.ATTENTION: _test_below_others(rows["attention_passed"], rows["attention_answered"]),
        Worry.REPEATS: _test_below_others(
            rows["self_agreement"] * rows["repeated"], rows["repeated"]
        ),
    }
    table = np.column_stack(list(p.values()))
    sure = intervals.holm(table.ravel()).reshape(table.shape) <= intervals.ALPHA / 2
    sure = np.column_stack([sure, rows["misfit"].to_numpy(bool)])
    signs = (*p, Worry.MISFIT)
    return [tuple(str(signs[sign]) for sign in np.flatnonzero(person)) for person in sure]


def _test_speed(rows: pd.DataFrame) -> Any:
    from scipy.stats import binom  # takes a while to import

    timed = rows["timed"].to_numpy(int)
    fast = np.rint(rows["too_fast"].fillna(0).to_numpy(float) * timed)
    return np.where(timed > 0, binom.sf(fast - 1, timed, SLIPS), np.nan)


def _test_below_others(passed: pd.Series, number: pd.Series) -> Any:
    """Fisher's p-value that a person passes as large a share as all others; NaN with no others."""
    from scipy.stats import hypergeom  # takes a while to import

    own, of = np.rint(passed.fillna(0).to_numpy(float)), number.to_numpy(float)
    known = (of > 0) & (of.sum() > of)
    return np.where(known, hypergeom.cdf(own, of.sum(), own.sum(), of), np.nan)
