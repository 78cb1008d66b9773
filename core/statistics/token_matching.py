"""Greedy matching of token embeddings: BERTScore (Zhang et al. 2020)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from .columns import Floats

BLOCK = 2048
"""Rows of the similarity matrix of an item's tokens that are in memory at once."""


def bertscores(
    tokens: Sequence[NDArray[np.float32]], content: Sequence[NDArray[np.bool_]]
) -> Floats:
    """BERTScore F1 of every two of n texts, without idf weights and without rescaling; (n, n),
    symmetric, diagonal 1.

    `tokens` holds for each text (tokens, dimensions) of unit length, `content` (tokens,) which of
    them count: the others are there to be matched only, as in the bert-score package. A text in
    which none counts has 0 with every other, and two such 1.
    """
    n = len(tokens)
    counts = np.array([own.sum() for own in content], dtype=float)
    if n == 0:
        return np.zeros((0, 0))
    every, counted = np.concatenate(list(tokens)), np.concatenate(list(content))
    starts = np.cumsum([0, *(len(own) for own in tokens[:-1])])
    best = np.empty((len(every), n), dtype=np.float32)  # of each token with each text
    for row in range(0, len(every), BLOCK):
        np.maximum.reduceat(
            every[row : row + BLOCK] @ every.T, starts, axis=1, out=best[row : row + BLOCK]
        )
    sums = np.add.reduceat(np.where(counted[:, None], best, 0).astype(float), starts, axis=0)
    precision = sums / np.maximum(counts, 1)[:, None]
    total = precision + precision.T
    f1: Floats = np.divide(
        2 * precision * precision.T, total, out=np.zeros_like(total), where=total != 0
    )
    f1[(counts == 0)[:, None] != (counts == 0)] = 0.0
    f1[(counts == 0)[:, None] & (counts == 0)] = 1.0
    np.fill_diagonal(f1, 1.0)
    return f1
