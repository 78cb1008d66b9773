"""Product of experts: strengths in closed form from the probabilities of comparisons (Liusie et al.
2024). The columns are those of `core.statistics.columns`.
"""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np
from scipy.special import logit

from .columns import (
    CLIP,
    OPEN_POSITION,
    SCALE,
    START,
    Codes,
    Floats,
    Method,
    Weights,
    default_weights,
    sums,
    times_compared,
    use_one_core,
)

Experts = Literal["logit", "probability"]


def product_of_experts(
    first: Codes,
    second: Codes,
    outcome: Floats,
    *,
    n: int,
    weights: Weights | None = None,
    position: bool = False,
    experts: Experts = "logit",
) -> Floats:
    """Strengths under Gaussian experts (Liusie et al. 2024, "Efficient LLM comparative assessment",
    section 4): each comparison says that they differ by some mu, with the same variance.

    `experts`: mu is the "logit" of the probability, clipped to [1e-6, 1 - 1e-6]; or the
    "probability" less 1/2, as in the paper, times 4 (the logit's slope at 1/2), which trusts
    extreme ones less. `position` adds one parameter to mu, for being shown first.

    1000 + 400/ln 10 * theta, mean 1000 within each linked set. Where the comparisons leave the
    position term open (`tells_position`), the solution nearest to equal strengths and no effect.
    """
    w = default_weights(weights, first)
    theta = _least_squares(first, second, _mu(outcome, experts), n, np.atleast_2d(w), position)
    known = times_compared(np.atleast_2d(w), first, second, n) > 0
    rating = np.where(known, START + SCALE * theta[:, :n], np.nan)
    return rating if w.ndim == 2 else rating[0]


def position_effect(
    first: Codes,
    second: Codes,
    outcome: Floats,
    *,
    n: int,
    experts: Experts = "logit",
    weights: Floats | None = None,
) -> float:
    """Estimate the effect of being shown first, in rating points; positive in its favour."""
    w = np.atleast_2d(default_weights(weights, first))
    theta = _least_squares(first, second, _mu(outcome, experts), n, w, True)
    return float(SCALE * theta[0, n])


def tells_position(first: Codes, second: Codes, *, n: int) -> bool:
    """Return whether these comparisons tell the effect of being shown first from strengths: not if
    some strengths alone would explain that every first text wins by the same margin.
    """
    ones = np.ones(len(first))
    theta = _least_squares(first, second, ones, n, ones[None], False)[0]
    return not np.allclose(theta[first] - theta[second], 1.0)


def _mu(outcome: Floats, experts: Experts) -> Floats:
    if experts not in get_args(Experts):
        raise ValueError(f"unknown experts {experts!r}; there are: {', '.join(get_args(Experts))}")
    if experts == "probability":
        return np.asarray(4 * (outcome - 0.5))
    return np.asarray(logit(np.clip(outcome, CLIP, 1 - CLIP)))


def _least_squares(
    first: Codes, second: Codes, mu: Floats, n: int, weights: Weights, position: bool
) -> Floats:
    """Minimise the sum of w (theta_i - theta_j + term - mu)^2 (B, n + 1), with least norm."""
    codes = first * np.int64(n) + second  # int8 codes, say, would overflow
    pairs, pair = np.unique(codes, return_inverse=True)
    low, high = pairs // n, pairs % n
    w, wanted = sums(weights, pair, 1.0, len(pairs)), sums(weights, pair, mu, len(pairs))
    right = np.column_stack(
        [sums(wanted, low, 1.0, n) - sums(wanted, high, 1.0, n), wanted.sum(axis=1)]
    )
    normal = np.zeros((len(w), n + 1, n + 1))
    normal[:, low, high] -= w
    normal[:, high, low] -= w
    diagonal = np.arange(n)
    normal[:, diagonal, diagonal] = sums(w, low, 1.0, n) + sums(w, high, 1.0, n)
    if position:
        normal[:, :-1, -1] = normal[:, -1, :-1] = sums(w, low, 1.0, n) - sums(w, high, 1.0, n)
        normal[:, -1, -1] = w.sum(axis=1)
    else:
        right[:, -1] = 0.0
    # The shortest solution has mean 0 in every linked set: adding a constant to one changes no
    # difference.
    with use_one_core():
        inverse = np.linalg.pinv(normal, rcond=1e-10, hermitian=True)
        return np.asarray(np.einsum("bij,bj->bi", inverse, right))


PRODUCT_OF_EXPERTS = Method(
    "product-of-experts",
    "product of experts",
    "strengths that fit a judge's probabilities best, each probability an expert of its own",
    "product-of-experts strength (Elo scale, mean 1000)",
    product_of_experts,
    outcome="probabilities",
    takes=("position", "experts"),
    weighable=True,
    remark=lambda first, second, outcome, *, n, position=False, **settings: (
        OPEN_POSITION if position and not tells_position(first, second, n=n) else ""
    ),
    position_effect=position_effect,
    cites=("liusie2024efficient",),
)
