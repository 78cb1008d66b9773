"""Decide whether a single judgement is right, in one way for all accuracies (docs/statistics.md,
"Right, and the same").
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ...records import Kind
from ...statistics import (
    CONTRADICTS,
    FIRST,
    NEITHER,
    SECOND,
    Floats,
    plurality,
    tabulate_verdicts,
)
from .verdicts import count_verdicts, find_majority

PAIR = ["attribute", "candidate_1", "candidate_2"]


def score_rightness(points_1: Floats, better: Floats) -> Floats:
    """1 for what prefers the better text, 0 for the other, 1/2 for neither; NaN where there is
    nothing to be right about.

    `points_1` (m,) are a judge's for the first text of the pair; `better` is 1 where that is the
    better one, -1 where the other is, 0 or NaN where none is, or nobody says.
    """
    value = np.where(better > 0, points_1, 1 - points_1)
    return np.where(np.nan_to_num(better) != 0, value, np.nan)


def find_better_text(rows: pd.DataFrame, truth: pd.DataFrame) -> NDArray[Any]:
    """For each of these judgements, which `orient` gives, the `better` text as most of those in
    `truth` (judgements of one kind) say, a judge's own answers left out.
    """
    known = count_verdicts(truth.dropna(subset="points"))
    known = known[known["verdict"] != CONTRADICTS]
    if known.empty:
        return np.full(len(rows), np.nan)
    unit = known["unit"].to_numpy()
    most = plurality(tabulate_verdicts(unit, known["verdict"].to_numpy(), int(unit.max()) + 1))
    of_unit = known.drop_duplicates("unit").set_index(PAIR)["unit"]
    pairs = pd.MultiIndex.from_frame(rows[PAIR])
    of_all = of_unit.map(pd.Series(most)).reindex(pairs).to_numpy(float)
    others = known.assign(says=find_majority(known, Kind(known["kind"].iloc[0]))).set_index(
        ["judge", *PAIR]
    )["says"]
    of_others = others.reindex(pd.MultiIndex.from_frame(rows[["judge", *PAIR]])).to_numpy(float)
    says = np.where(np.isnan(of_others), of_all, of_others)
    return np.select([says == FIRST, says == SECOND, says == NEITHER], [1.0, -1.0, 0.0], np.nan)
