"""Self-contradiction of judges: how often a judge prefers neither text, and how often its own
answers are evenly split between the two. A split is not a tie.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np
import pandas as pd

from ...rendering import declare_rows, list_names
from ...statistics import CONTRADICTS, NEITHER, intervals
from ..judgements import code_families
from .columns import JUDGES

JudgeAgreement = Annotated[pd.DataFrame, declare_rows(JUDGES)]

COLUMNS = list_names(JUDGES)


def count_contradictions(frame: pd.DataFrame) -> JudgeAgreement:
    """Count ties and contradictions of each judge, in the order of `frame` (COLUMNS). They are
    pairs of texts, the share of ties, pairs with several answers (both orders, or a second trial),
    and the share of these that contradict each other. Shares have intervals over items.
    """
    column, names = pd.factorize(frame["judge"])
    item, verdict = code_families(frame), frame["verdict"].to_numpy()
    several = (frame["judgements"] > 1).to_numpy()
    tied = (verdict == NEITHER).astype(float)
    split = (verdict == CONTRADICTS).astype(float)
    ties = intervals.shares_by(tied, item, column, n=len(names))
    contradicts = intervals.shares_by(split[several], item[several], column[several], n=len(names))
    rows = pd.DataFrame(
        {
            "judge": np.asarray(names, dtype=object),
            "kind": frame.drop_duplicates("judge")["kind"].to_numpy(object),
            "pairs": ties.n,
            **intervals.spread("ties", ties),
            "repeated": contradicts.n,
            **intervals.spread("contradicts", contradicts),
        }
    )
    return rows[COLUMNS]
