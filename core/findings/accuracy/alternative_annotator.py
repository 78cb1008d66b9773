"""Columns of accuracy: does a judge do as well as an annotator (Calderon, Reichart & Dror 2025)?"""

from __future__ import annotations

from typing import Annotated

import numpy as np
import pandas as pd

from ...frames import get_schema
from ...rendering import SHARE, Column, Place, declare_rows
from ...statistics import UNANSWERED, ReplacementTerms, alternative_annotator, intervals
from ..judgements import JUDGED, code_families, count_verdicts
from ..judgements.judges import ATTRIBUTE, JUDGE, declare_estimate

FEWEST = 3  # annotators: of two it only says whom the judge agrees with (Calderon et al. 2025, FAQ)
COLUMNS = (
    Column(
        "winning_rate", "winning rate", SHARE,
        "The share of annotators that it wins against (omega). From one half on it may take an "
        "annotator's place", place=Place.SCREEN,
    ),
    declare_estimate(
        "advantage", "as good as an annotator", SHARE,
        "How often it does as well as an annotator, or better, in the eyes of the others (rho)",
        place=Place.SCREEN,
    ),
)  # fmt: skip
TESTED = (JUDGE, ATTRIBUTE, *COLUMNS)
TestedJudges = Annotated[pd.DataFrame, declare_rows(TESTED)]


def measure_advantages(frame: pd.DataFrame, people: pd.DataFrame, epsilon: float) -> TestedJudges:
    """Test each judge of `frame` against those of `people` (answered judgements of both): the
    winning rate, and the average advantage probability with its interval (see
    `core.statistics.alternative_annotator`). No row for people, nor where fewer than FEWEST
    annotators have enough items.
    """
    others = frame[~frame["judge"].isin(people["judge"])]
    if others.empty or people["judge"].nunique() < FEWEST:
        return get_schema(TestedJudges).make([])
    verdicts = count_verdicts(pd.concat([people, others]).dropna(subset="points"))
    said, found = verdicts[verdicts["judge"].isin(people["judge"])], []
    for (judge, attribute), of in verdicts.drop(said.index).groupby(JUDGED, sort=False):
        panel = said[said["attribute"] == attribute]
        both = pd.concat([panel, of])
        unit = pd.factorize(both["unit"])[0]
        answers = np.full(int(unit.max()) + 1, UNANSWERED, dtype=np.int64)
        answers[unit[len(panel) :]] = of["verdict"]
        item = np.zeros(len(answers), dtype=np.int64)
        item[unit] = code_families(both)
        tested = alternative_annotator(
            pd.factorize(panel["judge"])[0].astype(np.int64), unit[: len(panel)],
            panel["verdict"].to_numpy(), answers, item, ReplacementTerms(epsilon),
        )  # fmt: skip
        if tested.is_tested.sum() >= FEWEST:
            found.append(
                {
                    "judge": judge,
                    "attribute": attribute,
                    "winning_rate": tested.rate,
                    **intervals.spread("advantage", tested.probability),
                }
            )
    return get_schema(TestedJudges).make(found)
