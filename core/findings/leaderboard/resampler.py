"""Ratings of systems on resamples of the items, for figures that draw items themselves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ...statistics import (
    MEMORY,
)
from ...store import Store
from ..judgements import (
    Selection,
)
from . import method_choice
from .needs import list_arguments
from .rating_input import (
    SYSTEMS,
    extract_columns,
    get_weights,
    prepare_comparisons,
)
from .settings import RankSettings


def make_resampler(
    store: Store, selection: Selection, settings: RankSettings
) -> Callable[[NDArray[Any], NDArray[Any], NDArray[np.float64]], NDArray[np.float64]]:
    """Build a function that rates the systems on resamples of the items: (items, systems, counts
    (B, items)) -> ratings (B, systems).
    """
    frame = prepare_comparisons(store, selection, settings).frame
    every = np.array(sorted({*frame["system_a"], *frame["system_b"]}))
    choice = method_choice.choose_method(*extract_columns(frame, SYSTEMS, every)[:2], n=len(every))
    settings = settings.with_method(choice)

    def rate(
        items: NDArray[Any], systems: NDArray[Any], counts: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        place = pd.Index(items).get_indexer(frame["item"])
        rows = frame[place >= 0]
        names = np.array(sorted({*rows["system_a"], *rows["system_b"]}), dtype=object)
        columns, own = extract_columns(rows, SYSTEMS, names), list_arguments(settings, rows)
        of_each = get_weights(rows)
        found = np.full((len(counts), len(names)), np.nan)
        at_once = max(1, MEMORY // (8 * max(len(rows), 1)))
        for start in range(0, len(counts) if len(rows) else 0, at_once):
            few = slice(start, start + at_once)
            drawn = counts[few][:, place[place >= 0]]
            drawn = drawn if of_each is None else drawn * of_each
            found[few] = settings.rating_method.rate(*columns, n=len(names), weights=drawn, **own)
        column = pd.Index(names).get_indexer(systems)
        return np.where(column >= 0, found[:, column], np.nan)

    return rate
