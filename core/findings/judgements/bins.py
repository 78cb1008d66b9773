"""Items in bins of a figure, from low to high."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pandas as pd

BINS = 4


def cut_bins(values: pd.Series, item: pd.Series, *, percent: bool = False) -> pd.Series:
    """Assign each unit to one of BINS with about equally many items, as an ordered category "from
    to"; None without a value. Bins with equal labels are merged.
    """
    of_item = values.groupby(item).mean().dropna()
    edges = (
        np.unique(np.quantile(of_item, np.linspace(0, 1, BINS + 1)))
        if len(of_item)
        else np.array([])
    )
    edges = np.repeat(edges, 2) if len(edges) == 1 else edges
    place = np.clip(np.searchsorted(edges, values, side="right") - 1, 0, max(len(edges) - 2, 0))
    labels = [_label_bin(low, high, percent) for low, high in pairwise(edges)]
    names = list(dict.fromkeys(labels))
    code_of = np.array([names.index(label) for label in labels] or [-1])
    codes = np.where(values.isna(), -1, code_of[place])
    return pd.Series(pd.Categorical.from_codes(codes.tolist(), pd.Index(names), ordered=True))


def _label_bin(low: float, high: float, percent: bool) -> str:
    # Plus 0: what is rounded to nothing is not -0.
    low, high = (round(value, 2) + 0.0 for value in (low, high))
    return f"{low:.0%} to {high:.0%}" if percent else f"{low:.2f} to {high:.2f}"
