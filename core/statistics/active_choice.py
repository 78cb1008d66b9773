"""Choose the next comparison by active learning: the posterior of scores given all answers, and the
information of one more.

The model is a product of Gaussian experts with a position term (Liusie et al. 2024, "Efficient LLM
comparative assessment"): an answer's logit is s_first - s_second + b plus Gaussian noise, and
scores and b have Gaussian priors. All is then in closed form. Columns: `first`, `second` (m,) codes
0..n-1 and `probability` (m,) that the first is the better one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import logit, ndtr

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]

CERTAIN = 1e-6  # probabilities are taken to lie at least this far from 0 and 1
ROUNDS = 25  # always as many: to stop by a threshold would make a rounding error visible
SHORTLIST = 16  # comparisons whose exact value is looked at before each choice
EXACT = 32  # candidates up to which that is worth its time
NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(9)
WEIGHTS /= WEIGHTS.sum()  # of a standard normal


@dataclass(frozen=True)
class Posterior:
    """Jointly Gaussian posterior of the n scores and, last, the position term. `noise` is a
    variance.
    """

    mean: Floats  # (n + 1,)
    covariance: Floats  # (n + 1, n + 1)
    noise: float

    @property
    def n(self) -> int:
        """Number of systems."""
        return len(self.mean) - 1

    def condition_on(self, first: int, second: int) -> Posterior:
        """Return the posterior after a comparison is answered as expected: the same means, less
        variance.
        """
        column, variance = _answers(self, np.array([first]), np.array([second]))
        moves = column[:, 0] / np.sqrt(variance)
        return Posterior(self.mean, self.covariance - np.outer(moves, moves), self.noise)


def posterior(first: Codes, second: Codes, probability: Floats, *, n: int) -> Posterior:
    """The posterior of n scores and the position term, with the variances of scores and noise that
    the answers suggest.

    Those are found by maximising the evidence (MacKay 1992, "Bayesian interpolation"), so that a
    judge whose logits are all four times as large is four times as spread, and as unsure. Codes
    that were never compared keep their prior.
    """
    y = logit(np.clip(probability, CERTAIN, 1 - CERTAIN))
    design = np.zeros((len(y), n + 1))
    rows = np.arange(len(y))
    design[rows, first], design[rows, second], design[:, n] = 1.0, -1.0, 1.0
    gram, moment = design.T @ design, design.T @ y
    scale = float(np.mean(y**2)) or 1.0
    spread, noise = scale / 3, scale / 3
    mean: Floats = np.zeros(n + 1)
    covariance: Floats = np.eye(n + 1, dtype=np.float64)
    used = noise
    for _ in range(ROUNDS):
        prior = np.append(np.full(n, 1 / spread), 1 / (10 * scale))  # a wide prior for the position
        covariance = np.asarray(np.linalg.inv(gram / noise + np.diag(prior)), dtype=np.float64)
        mean = covariance @ moment / noise
        used = noise
        known = (
            n - np.trace(covariance[:n, :n]) / spread
        )  # how many of the scores the answers determine
        left = max(len(y) - known - 1, 1.0)
        # Both are kept within a factor of the scale: few answers can look free of noise, or free of
        # any difference.
        spread = float(np.clip(mean[:n] @ mean[:n] / max(known, 1e-9), 0.02 * scale, 5 * scale))
        noise = float(np.clip(((y - design @ mean) ** 2).sum() / left, 0.05 * scale, 5 * scale))
    return Posterior(mean, covariance, used)


def expect_reduction(known: Posterior, first: Codes, second: Codes) -> Floats:
    """Compute the expected reduction in the summed variance of the ranks by each comparison's
    answer (m,).

    By the law of total variance that is the variance of the expected rank over the possible
    answers: of 1 + sum over j of P(s_j > s_i | answer), where an answer moves all means along one
    line. Integrated over the answer by Gauss-Hermite quadrature.
    """
    found = np.empty(len(first))
    n, mean = known.n, known.mean[: known.n]
    variances = _variances(known)
    column, variance = _answers(known, first, second)
    moves = column[:n] / np.sqrt(variance)
    for at, move in enumerate(moves.T):
        apart = move[None, :] - move[:, None]
        rest = np.maximum(variances - apart**2, 1e-12)
        ranks = np.array(
            [_compute_win_probabilities(mean + node * move, rest).sum(axis=1) for node in NODES]
        )
        found[at] = (WEIGHTS @ (ranks - WEIGHTS @ ranks) ** 2).sum()
    return found


def approximate_reduction(known: Posterior, first: Codes, second: Codes) -> Floats:
    """Approximate `expect_reduction` (m,), with expected ranks linear in the scores: one matrix
    product for all comparisons.
    """
    n = known.n
    deviations = np.sqrt(_variances(known))
    mean = known.mean[:n]
    density = np.exp(-0.5 * ((mean[None, :] - mean[:, None]) / deviations) ** 2) / (
        deviations * np.sqrt(2 * np.pi)
    )
    np.fill_diagonal(density, 0.0)
    slope = density - np.diag(density.sum(axis=1))  # of the expected ranks in the scores
    column, variance = _answers(known, first, second)
    moved: Floats = ((slope @ column[:n]) ** 2).sum(axis=0) / variance
    return moved


def choose(known: Posterior, first: Codes, second: Codes, *, size: int) -> list[int]:
    """Choose `size` comparisons to ask next, each pair at most once, and return their indices.

    Comparisons are chosen one after another, as if those before had been answered as expected. So
    they do not all ask the same thing. The exact value decides among those that are best to first
    order, as long as it is cheap.
    """
    chosen: list[int] = []
    left = np.argsort(-np.round(approximate_reduction(known, first, second), 9), kind="stable")[
        : max(64, 8 * size)
    ]
    while len(left) and len(chosen) < size:
        value = np.round(approximate_reduction(known, first[left], second[left]), 9)
        best = np.argsort(-value, kind="stable")
        if known.n <= EXACT:
            best = best[:SHORTLIST]
            best = best[
                np.argsort(
                    -np.round(expect_reduction(known, first[left[best]], second[left[best]]), 9),
                    kind="stable",
                )
            ]
        at = int(left[best[0]])
        chosen.append(at)
        known = known.condition_on(int(first[at]), int(second[at]))
        again = (first[left] == first[at]) & (second[left] == second[at])
        again |= (first[left] == second[at]) & (second[left] == first[at])
        left = left[~again]
    return chosen


def _answers(known: Posterior, first: Codes, second: Codes) -> tuple[Floats, Floats]:
    """Return the covariance of scores and position term with the logits of m comparisons (n + 1,
    m), and the variance of the logits.
    """
    n, rows = known.n, np.arange(len(first))
    column = known.covariance[:, first] - known.covariance[:, second] + known.covariance[:, [n]]
    return column, column[first, rows] - column[second, rows] + column[n] + known.noise


def _variances(known: Posterior) -> Floats:
    """Compute the posterior variance of s_j - s_i (n, n), 1 on the diagonal."""
    block = known.covariance[: known.n, : known.n]
    own = np.diag(block)
    variances = np.maximum(own[:, None] + own[None, :] - 2 * block, 1e-12)
    np.fill_diagonal(variances, 1.0)
    return variances


def _compute_win_probabilities(mean: Floats, variances: Floats) -> Floats:
    """Compute P(s_j > s_i) (n, n), 0 on the diagonal."""
    p: Floats = ndtr((mean[None, :] - mean[:, None]) / np.sqrt(variances))
    np.fill_diagonal(p, 0.0)
    return p
