"""Greedy matching of the tokens of texts, on the device that the embeddings are on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from torch import Tensor

BLOCK = 2048  # rows of the similarity matrix of an item's tokens in memory at once


def bertscores(
    tokens: Sequence[Tensor], content: Sequence[NDArray[np.bool_]]
) -> NDArray[np.float64]:
    """BERTScore F1 of every two of n texts, without idf weights and rescaling; (n, n), symmetric,
    diagonal 1. `tokens` holds for each text (tokens, dimensions) of unit length, `content`
    (tokens,) which count: the others are there to be matched only, as in the bert-score package. A
    text in which none counts has 0 with every other, and two such 1. Only sums leave the device.
    """
    if not tokens:
        return np.zeros((0, 0))
    import torch

    counts = np.array([own.sum() for own in content], dtype=float)
    every, lengths = torch.cat(list(tokens)), [len(own) for own in tokens]
    best = torch.cat(  # of each token with each text
        [
            torch.stack([part.amax(1) for part in torch.split(rows @ every.T, lengths, 1)], 1)
            for rows in torch.split(every, BLOCK)
        ]
    )
    best *= torch.from_numpy(np.concatenate(content)).to(every.device)[:, None]
    exact = torch.float32 if every.device.type == "mps" else torch.float64
    sums = torch.stack([part.sum(0, dtype=exact) for part in torch.split(best, lengths)])
    precision = sums.cpu().numpy().astype(float) / np.maximum(counts, 1)[:, None]
    total = precision + precision.T
    f1: NDArray[np.float64] = np.divide(
        2 * precision * precision.T, total, out=np.zeros_like(total), where=total != 0
    )
    f1[(counts == 0)[:, None] != (counts == 0)] = 0.0
    f1[(counts == 0)[:, None] & (counts == 0)] = 1.0
    np.fill_diagonal(f1, 1.0)
    return f1
