"""Measure the length of the two texts of each comparison, in one unit."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ...statistics import Floats
from ...store import Store


def measure_lengths(store: Store, dataset: str, frame: pd.DataFrame) -> tuple[Floats, Floats]:
    """Measure the lengths (m,) of the first and the second text of each comparison, NaN if unknown:
    in words, or in characters if a file gives these for a text that is missing.
    """
    words, characters = (
        store.annotator_stats.words(dataset),
        store.annotator_stats.characters(dataset),
    )
    (words_a, words_b), (characters_a, characters_b) = (
        [frame[f"generation_{side}"].map(unit).to_numpy(float) for side in "ab"]
        for unit in (words, characters)
    )
    has_both = ~np.isnan(words_a + words_b)
    return np.where(has_both, words_a, characters_a), np.where(has_both, words_b, characters_b)
