"""Count how often a system's comparisons were called both bad."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
import pandas as pd

from ...records import Outcome
from ...rendering import declare_rows
from ...statistics import intervals
from ..judgements import code_families
from .columns import BOTH_BAD
from .rating_input import find_places, get_times

BothBadRows = Annotated[pd.DataFrame, declare_rows(BOTH_BAD)]


def count_both_bad(judged: pd.DataFrame, names: Any, sides: tuple[str, str]) -> BothBadRows:
    """Compute both_bad (how many answered judgements of each of `names` said that both texts are
    bad), both_bad_n (of how many), and both_bad_share with its interval over items, both_bad_low to
    both_bad_high; null where nobody answered so at all, since it may not have been offered.
    """
    judged = judged[judged[list(sides)].isin(names).all(axis=1)]
    said = (judged["outcome"] == Outcome.BOTH_BAD.value).to_numpy(float)
    items = code_families(judged)
    column = np.concatenate([find_places(judged[side], names) for side in sides])
    given = get_times(judged)
    times = np.tile(np.ones(len(judged)) if given is None else given, 2)
    points = np.tile(said, 2).astype(float)
    share = intervals.shares_by(points, np.tile(items, 2), column, n=len(names), times=times)
    shown = np.full(len(names), bool(said.any()))
    return pd.DataFrame(
        {
            "both_bad": np.bincount(column, points * times, len(names)).astype(int),
            "both_bad_n": share.n,
            "both_bad_share": np.where(shown, share.share, np.nan),
            "both_bad_low": np.where(shown, share.low, np.nan),
            "both_bad_high": np.where(shown, share.high, np.nan),
        }
    )
