"""How often each judge prefers neither text, and how often its own answers are evenly split between
the two, which is no tie.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np
import pandas as pd

from core.findings.agreement.columns import JUDGES
from core.findings.judgements import code_families
from core.rendering import declare_rows, list_names
from core.statistics import CONTRADICTS, NEITHER, intervals

JudgeAgreement = Annotated[pd.DataFrame, declare_rows(JUDGES)]

COLUMNS = list_names(JUDGES)


def undecided(frame: pd.DataFrame) -> JudgeAgreement:
    """Of each judge of these verdicts, in their order, COLUMNS: pairs of texts, the share of ties
    among them, of how many pairs there are several answers (in both orders, or a second trial), and
    the share of these that contradict themselves; shares with their intervals over items.
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
