"""Compute each judge's verdict on each pair of texts, over all orders and trials
(docs/statistics.md, "Verdict").
"""

from __future__ import annotations

from typing import Annotated

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ...frames import Schema
from ...records import Kind, Outcome
from ...statistics import (
    CONTRADICTS,
    FIRST,
    NEITHER,
    SECOND,
    SHARED,
    plurality,
    tabulate_verdicts,
)
from .orientation import orient

VerdictRows = Annotated[
    pd.DataFrame,
    Schema(
        {
            str: "judge kind attribute item family system_1 system_2",
            int: "unit candidate_1 candidate_2 verdict judgements both_bad",
            float: "points",
        }
    ),
]

WORDS = {FIRST: "first", NEITHER: "tie", SECOND: "second", CONTRADICTS: "contradicts"}


def count_verdicts(frame: pd.DataFrame) -> VerdictRows:
    """Count verdicts, one row per judge, attribute and unordered pair of texts, from answered
    judgements with their `points` for A and the `family` of their item.

    judge, kind, unit (codes 0, 1 .. of an attribute of a pair), attribute, item, family, system_1 <
    system_2, candidate_1, candidate_2 (their texts), points (mean for system_1 over orders and
    trials), verdict (FIRST above 1/2, SECOND below; at 1/2 CONTRADICTS if it preferred each text in
    some answer, else NEITHER), judgements, both_bad (how many of these were).
    """
    frame = orient(frame)
    first, second = frame["candidate_1"].to_numpy(), frame["candidate_2"].to_numpy()
    attribute = pd.factorize(frame["attribute"])[0]
    size = int(max(first.max(initial=0), second.max(initial=0))) + 1
    unit = pd.factorize((attribute * size + first) * size + second)[0]
    judge = pd.factorize(frame["judge"])[0]
    row, found = pd.factorize(judge * (int(unit.max(initial=0)) + 1) + unit)
    place = np.zeros(len(found), dtype=np.int64)
    place[row[::-1]] = np.arange(len(row))[::-1]  # where each comes first: the last to be written
    count = np.bincount(row)
    points = frame["points_1"].to_numpy(float)
    mean, decided = np.bincount(row, points) / count, np.bincount(row, points != 0.5) > 0
    evenly = np.where(decided, CONTRADICTS, NEITHER)
    head = frame.iloc[place]
    return pd.DataFrame(
        {
            "judge": head["judge"].array,
            "kind": head["kind"].array,
            "unit": unit[place],
            "attribute": head["attribute"].array,
            "item": head["item"].array,
            "family": head["family"].array,
            "system_1": head["system_1"].array,
            "system_2": head["system_2"].array,
            "candidate_1": first[place],
            "candidate_2": second[place],
            "points": mean,
            "verdict": np.select([mean > 0.5, mean < 0.5], [FIRST, SECOND], evenly),
            "judgements": count,
            "both_bad": np.bincount(row, frame["outcome"] == Outcome.BOTH_BAD.value).astype(
                np.int64
            ),
        }
    )


def find_majority(frame: pd.DataFrame, kind: Kind = Kind.HUMAN) -> NDArray[np.int64]:
    """For each of these verdicts what most judges of a kind say of the same unit, its own left out;
    -1 where no other did, or nobody but who contradicts themselves.
    """
    unit, verdict = frame["unit"].to_numpy(), frame["verdict"].to_numpy()
    of_kind = (frame["kind"] == kind.value).to_numpy(bool)
    counts = tabulate_verdicts(unit[of_kind], verdict[of_kind], int(unit.max(initial=-1)) + 1)[unit]
    counts[of_kind, verdict[of_kind]] -= 1
    return np.where(counts[:, :SHARED].sum(axis=1) > 0, plurality(counts), -1)
