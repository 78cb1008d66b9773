"""The cluster-robust variance of Bradley-Terry strengths, by its formula."""

import numpy as np

from core.statistics.columns import SCALE, START


def strengths_errors(rating, first, second, outcome, groups, times):
    """(n,) standard errors of ratings (n,) that are maximum likelihood, mean 1000: the sandwich of
    Liang & Zeger (1986) over the groups, times G / (G - 1).
    """
    n, theta = len(rating), (rating - START) / SCALE
    p = 1 / (1 + np.exp(theta[second] - theta[first]))
    information = np.zeros((n, n))
    for (i, j), sign in zip(
        ((first, first), (second, second), (first, second), (second, first)), (1, 1, -1, -1),
        strict=True,
    ):  # fmt: skip
        np.add.at(information, (i, j), sign * times * p * (1 - p))
    score = np.zeros((groups.max() + 1, n))
    np.add.at(score, (groups, first), times * (outcome - p))
    np.add.at(score, (groups, second), -times * (outcome - p))
    bread = np.linalg.pinv(information, rcond=1e-10, hermitian=True)
    count = len(np.unique(groups))
    return SCALE * np.sqrt(np.diagonal(bread @ score.T @ score @ bread) * count / (count - 1))
