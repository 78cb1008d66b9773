"""Elo, and Elo with steps scaled by separability."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit

from .bradley_terry import regularised_bradley_terry
from .columns import SCALE, START, Codes, Floats, Method, Weights, default_weights, times_compared

DRIFT_ORDERS = 400  # random orders that the order of the comparisons is held against


def elo(
    first: Codes,
    second: Codes,
    outcome: Floats,
    *,
    n: int,
    k: ArrayLike = 4.0,
    weights: Weights | None = None,
    start: float = START,
) -> Floats:
    """Elo ratings, one update per comparison in the order given (Elo 1978; base 10, scale 400). `k`
    is one step size, or one per comparison. Weights scale the step, never the outcome.
    """
    w = default_weights(weights, first)
    # Plain floats for one run, (B,) arrays for B resamples: the same expressions do for both, and
    # are fast for both.
    ratings: list[Any] = [start if w.ndim == 1 else np.full(len(w), start) for _ in range(n)]
    steps = np.broadcast_to(np.asarray(k, dtype=float), first.shape)
    _play(ratings, first, second, outcome, steps, w.tolist() if w.ndim == 1 else w.T)
    return np.where(times_compared(w, first, second, n) > 0, np.array(ratings).T, np.nan)


def elo_path(
    first: Codes,
    second: Codes,
    outcome: Floats,
    *,
    n: int,
    after: Codes,
    k: float = 4.0,
    start: float = START,
) -> Floats:
    """Compute Elo ratings (T, n) after each of the numbers of comparisons `after` (T,), in rising
    order; NaN before a system's first one. After all comparisons they are those of `elo`.
    """
    ratings: list[Any] = [start] * n
    path, met, before = np.full((len(after), n), np.nan), np.zeros(n, dtype=bool), 0
    for place, end in enumerate(after.tolist()):
        part = slice(before, end)
        steps = np.full(end - before, k)
        _play(ratings, first[part], second[part], outcome[part], steps, np.ones(len(steps)))
        met[first[part]] = met[second[part]] = True
        path[place, met] = np.array(ratings)[met]
        before = end
    return path


def _play(
    ratings: list[Any], first: Codes, second: Codes, outcome: Floats, steps: Floats, times: Any
) -> None:
    for i, j, points, step, weight in zip(
        first.tolist(), second.tolist(), outcome.tolist(), steps.tolist(), times, strict=True
    ):
        change = step * weight * (points - expit((ratings[i] - ratings[j]) / SCALE))
        ratings[i] += change
        ratings[j] -= change


def sep_steps(
    separability: Floats,
    *,
    k: float = 4.0,
    threshold: float = 0.4,
    alpha: float = 2.0,
    beta: float = 6.0,
) -> Floats:
    """Compute the Elo step of each comparison from the separability of its two systems on its item
    (Ghosh et al. 2024, eq. 6): K alpha / (1 + exp(-beta (delta - T))).
    """
    return np.asarray(k * alpha * expit(beta * (np.asarray(separability, float) - threshold)))


def sep_elo(
    first: Codes,
    second: Codes,
    outcome: Floats,
    *,
    n: int,
    separability: Floats,
    weights: Weights | None = None,
    **step: float,
) -> Floats:
    """Elo ratings whose step is scaled by separability (m,), in [-1, 1] (sep-Elo: Ghosh et al.
    2024, eq. 6); `step` as `sep_steps` takes it.
    """
    steps = sep_steps(separability, **step)
    return elo(first, second, outcome, n=n, k=steps, weights=weights)


def compute_drift_p(
    first: Codes, second: Codes, outcome: Floats, *, n: int, groups: Codes, rng: np.random.Generator
) -> float:
    """The p-value of no drift: of the sum of squares of what each system wins beyond its
    Bradley-Terry strength, late less early, where groups (m,), such as items, come in a random
    order.
    """
    theta = regularised_bradley_terry(first, second, outcome, n=n) / SCALE
    beyond = outcome - expit(theta[first] - theta[second])
    group = np.unique(groups, return_inverse=True)[1]
    place = np.tile(group * np.int64(n), 2) + np.concatenate([first, second])
    count = int(group.max()) + 1
    won = np.bincount(place, np.concatenate([beyond, -beyond]), count * n).reshape(count, n)
    when = np.bincount(group, np.arange(len(group))) / np.bincount(group)
    when, won = when - when.mean(), won - won.mean(axis=0)
    orders = [when, *(rng.permutation(when) for _ in range(DRIFT_ORDERS))]
    late = np.array([((order @ won) ** 2).sum() for order in orders])
    return float((late >= late[0] - 1e-9).mean())


ELO = Method(
    "elo",
    "Elo",
    "ratings updated one comparison after another, as in chess",
    "Elo rating (start 1000)",
    elo,
    takes=("k",),
    in_order=True,
    pseudo=1.0,
    stepwise=True,
    cites=("elo1978rating",),
)
SEP_ELO = replace(
    ELO,
    name="sep-elo",
    label="sep-Elo",
    help="Elo that moves more on items whose texts are separable (Ghosh et al. 2024)",
    axis="sep-Elo rating (start 1000)",
    rate=sep_elo,
    needs=("separability",),
    cites=("elo1978rating", "ghosh2024compare"),
)
