"""Bradley-Terry strengths, controlled for the effects of text length and style on answers."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import sparse
from scipy.special import expit

from .bradley_terry import PRIOR, has_maximum, prior_remark
from .columns import (
    SCALE,
    START,
    Codes,
    Columns,
    Floats,
    Method,
    Weights,
    average_within,
    default_weights,
    link,
)
from .logistic import climb
from .uncertainty import Uncertainty

FAR = 30.0  # log-odds between two texts beyond which an effect is taken for infinite
ALIKE = 1e-9  # what is left of a control beside the others, as a share, below which it is nothing


def controlled_bradley_terry(
    first: Codes,
    second: Codes,
    outcome: Floats,
    *,
    n: int,
    weights: Weights | None = None,
    control: Floats | None = None,
    position: bool = False,
) -> Floats:
    """Fit strengths by maximum likelihood in logit P(first preferred) = theta_first - theta_second
    + control @ effects, as 1000 + 400/ln 10 * theta, mean 1000 (Li, Angelopoulos & Chiang 2024,
    "Does style matter?").

    `control` (m, k) is how much more of each style the first text has than the second; a tie counts
    as half a win. `position` adds one parameter for being shown first. The prior is that of
    `bradley_terry`. Raises ArithmeticError if an effect is not finite, or not identified beside the
    strengths.
    """
    w = np.atleast_2d(default_weights(weights, first))
    rating = np.full((len(w), n), np.nan)
    if len(first):
        whole = _model((first, second, outcome), n, control, position)
        start = np.zeros(n + whole.style.shape[1])
        if len(w) > 1 and w.any(axis=0).all():  # resamples lie near their mean
            start = _fit(whole, w.mean(axis=0), start).theta
        for b, of_rows in enumerate(w):
            model, used = whole, of_rows > 0
            if not used.all():  # fewer answers may have no maximum
                style = None if control is None else control[used]
                model = _model((first[used], second[used], outcome[used]), n, style, position)
            met = np.union1d(first[used], second[used])
            theta = _fit(model, of_rows[used], start).theta
            rating[b, met] = START + SCALE * theta[met]
    return rating if weights is not None and weights.ndim == 2 else rating[0]


def control_effects(
    first: Codes,
    second: Codes,
    outcome: Floats,
    *,
    n: int,
    control: Floats,
    sources: list[Codes],
    weights: Floats | None = None,
    position: bool = False,
) -> Uncertainty:
    """The effects (k,) of `controlled_bradley_terry` as they vary, in rating points for one unit of
    each control; `centre` are the estimates. The covariance is cluster-robust (Liang & Zeger 1986),
    times G / (G - 1), over each of `sources` (m,): items; or items, judges, and both.
    """
    model = _model((first, second, outcome), n, control, position)
    w, k = default_weights(weights, first), control.shape[1]
    fit = _fit(model, w, np.zeros(n + model.style.shape[1]))
    residual = w * (outcome - fit.p[: len(first)])
    place = (np.tile(np.arange(len(first)), 2), np.concatenate([first, second]))
    sides = np.repeat([1.0, -1.0], len(first))
    design = sparse.csr_array((sides, place), shape=(len(first), n))
    scores = sparse.hstack([design, model.style[: len(first)]]).multiply(residual[:, None])
    influence = SCALE * (scores @ np.linalg.inv(fit.information)[:, n : n + k])
    deviations, clusters = [], []
    for source in sources:
        count = int(source.max()) + 1
        of_cluster = np.stack([np.bincount(source, column) for column in influence.T], axis=1)
        deviations.append(of_cluster * np.sqrt(count / max(count - 1, 1)))
        clusters.append(np.full(k, float(count)))
    effects = SCALE * fit.theta[n : n + k]
    return Uncertainty(effects, tuple(deviations), tuple(clusters))


def control_position(
    first: Codes,
    second: Codes,
    outcome: Floats,
    *,
    n: int,
    control: Floats | None = None,
    weights: Floats | None = None,
) -> float:
    """Estimate the effect of being shown first beside the controls, in rating points."""
    model = _model((first, second, outcome), n, control, position=True)
    fit = _fit(model, default_weights(weights, first), np.zeros(n + model.style.shape[1]))
    return float(SCALE * fit.theta[-1])


class _Model(NamedTuple):
    """Comparisons, and after them those of the prior, which weigh `prior` (r,)."""

    n: int
    first: Codes
    second: Codes
    outcome: Floats
    style: Floats  # (m + r, k), and the position term as the last column
    prior: Floats


class _Fit(NamedTuple):
    theta: Floats  # strengths, centred in every linked set; then effects
    p: Floats  # that the first is preferred
    information: Floats


def _model(columns: Columns, n: int, control: Floats | None, position: bool) -> _Model:
    first, second, outcome = columns
    style = np.zeros((len(first), 0)) if control is None else control
    prior = np.zeros(0)
    if not has_maximum(first, second, outcome, n=n, position=position):
        both = np.minimum(first, second) * np.int64(n) + np.maximum(first, second)
        low, high = np.divmod(np.unique(both), n)
        orders = [(low, high), (high, low)] if position else [(low, high)]
        added = 2 * len(low) * len(orders)
        prior = np.full(added, PRIOR / (2 * len(orders)))
        first = np.concatenate([first, *(np.tile(one, 2) for one, _ in orders)])
        second = np.concatenate([second, *(np.tile(other, 2) for _, other in orders)])
        outcome = np.concatenate([outcome, np.tile(np.repeat([1.0, 0.0], len(low)), len(orders))])
        style = np.concatenate([style, np.zeros((added, style.shape[1]))])
    if position:
        style = np.column_stack([style, np.ones(len(first))])
    return _Model(n, first, second, outcome, style, prior)


def _fit(model: _Model, weights: Floats, start: Floats) -> _Fit:
    n, w = model.n, np.concatenate([weights, model.prior])
    means = average_within(link(model.first[w > 0], model.second[w > 0], n))
    reach = np.ptp(model.style, axis=0)

    def expect(theta: Floats) -> Floats:
        return np.asarray(expit(theta[model.first] - theta[model.second] + model.style @ theta[n:]))

    def slope(theta: Floats) -> tuple[Floats, Floats]:
        p = expect(theta)
        residual = w * (model.outcome - p)
        of_systems = np.bincount(model.first, residual, n) - np.bincount(model.second, residual, n)
        gradient = np.concatenate([of_systems, model.style.T @ residual])
        return gradient, _information(model, w * p * (1 - p), means)

    _check_identified(model, _information(model, w / 4, means))
    theta = climb(start, slope, lambda step: np.ptp(step[:n]) + np.abs(step[n:]) @ reach)
    if theta is None or (np.abs(theta[n:]) * reach > FAR).any():
        raise ArithmeticError(
            "what is controlled for decides every answer, so that its effect has no finite "
            "estimate: leave it out"
        )
    theta[:n] -= means @ theta[:n]
    p = expect(theta)
    return _Fit(theta, p, _information(model, w * p * (1 - p), means))


def _information(model: _Model, spread: Floats, means: Floats) -> Floats:
    """(n + k, n + k) of the log-likelihood; `means` holds the mean strengths where they are."""
    n, k = model.n, model.style.shape[1]
    found = np.zeros((n + k, n + k))
    met = np.bincount(model.first * np.int64(n) + model.second, spread, n * n).reshape(n, n)
    met = met + met.T
    found[:n, :n] = np.diag(met.sum(axis=1)) - met + means
    weighed = model.style * spread[:, None]
    for j, column in enumerate(weighed.T):
        across = np.bincount(model.first, column, n) - np.bincount(model.second, column, n)
        found[:n, n + j] = found[n + j, :n] = across
    found[n:, n:] = model.style.T @ weighed
    return found


def _check_identified(model: _Model, information: Floats) -> None:
    """Raise ArithmeticError if a mixture of controls is constant or determined by the systems."""
    n = model.n
    own, across = information[n:, n:], information[:n, n:]
    scale = np.sqrt(np.diagonal(own))
    if not len(scale):
        return
    left = own - across.T @ np.linalg.solve(information[:n, :n], across)
    if (scale == 0).any() or np.linalg.eigvalsh(left / np.outer(scale, scale)).min() < ALIKE:
        raise ArithmeticError(
            "a control cannot be separated from the systems, or from another control: leave one out"
        )


CONTROLLED = Method(
    "bradley-terry-controlled",
    "Bradley-Terry with style control",
    "strengths beside systems whose texts are as long, and in the same style",
    "Bradley-Terry strength at equal style (Elo scale, mean 1000)",
    controlled_bradley_terry,
    takes=("position",),
    needs=("control",),
    learns="what style does",
    weighable=True,
    pseudo=0.5,
    remark=lambda *columns, control=None, **settings: prior_remark(*columns, **settings),
    position_effect=control_position,
    cites=("bradley1952rank", "li2024style"),
)
