"""Judges whose verdicts follow the order of the texts rather than the texts
(docs/decisions/statistics.md, "A verdict that the order decides more often than not is none"), and
those whose samples are all alike: they may be sure, and more likely do not sample.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Annotated, NamedTuple

import numpy as np
import pandas as pd

from ...frames import get_schema
from ...labels import percent, pluralize
from ...records import Kind
from ...statistics import intervals, position_bias
from ...store import JudgementRows, Store
from . import debiasing, minimum
from .population import code_families

CertainRows = Annotated[pd.DataFrame, get_schema(JudgementRows).extend({str: "family"})]


def drop_certainty(store: Store, frame: pd.DataFrame) -> CertainRows:
    """Drop the probabilities of judges whose sampled votes always agree, from judgements (judge,
    prob_a). A share of 0 or 1 repeats their decision, and is no measure of certainty.
    """
    hidden = frame["judge"].isin(store.judges.unanimous())
    return frame.assign(prob_a=frame["prob_a"].where(~hidden, np.nan)) if hidden.any() else frame


def note_unanimity(store: Store, judges: Iterable[str]) -> tuple[str, ...]:
    """Note the judges whose probabilities are left out."""
    names = [name for name in store.judges.unanimous() if name in set(judges)]
    return tuple(
        f"{name}: all sampled votes agree in every comparison, so they count without "
        "probabilities. Perhaps it does not sample at all."
        for name in names
    )


def note_equal_texts(store: Store, dataset: str, systems: Iterable[str]) -> list[str]:
    """Note the systems whose texts are equal within every item."""
    alike = store.generated_texts.count_identical(dataset)
    return [
        f"{name}: its texts are the same within each of {alike[name]:,} items. Perhaps it was not "
        "sampled at all, and its self-alignment says nothing."
        for name in alike
        if name in set(systems)
    ]


MOST_LOST = 0.5
"""With more verdicts lost, the order decides a verdict more often than not. A coin that is tossed
for each order loses half of them.
"""
RARER = 0.25
"""The least share of the rarer order of two systems from which answers tell position from quality:
a judge that always prefers one of them then gives the first text at most 1 - RARER of the points.
"""
ASKED = ("generation_a", "generation_b", "judge", "kind", "order_known")


class UnusableJudge(NamedTuple):
    """A judge without usable verdicts, by what is known `of` it: the share of `n` pairs without the
    same verdict in "both orders"; or the share of the points that it gives the "first" or "second"
    text in `n` answers. `confounded`: it saw each two systems in one order, so they may have
    decided.
    """

    judge: str
    of: str
    share: float
    low: float
    high: float
    n: int
    confounded: bool = False


class Caution(NamedTuple):
    """Facts of a finding: the judges whose verdicts are known to be `unusable`, and `cautions`,
    sentences about them and about those of which it is unknown.
    """

    unusable: list[str]
    cautions: list[str]


def find_unusable_judges(frame: pd.DataFrame) -> list[UnusableJudge]:
    """Find the models and baselines without usable verdicts, from judgements with their `points`
    and `family`; nobody where votes were only counted.

    The interval of the share of pairs whose verdicts do not survive both orders is above MOST_LOST.
    Of a judge that is asked in one order, this share is |2 p - 1| or more, p being its mean points
    for the first text: the interval of this bound is above MOST_LOST.
    """
    if not {*ASKED} <= {*frame}:
        return []
    models = frame["kind"].isin([Kind.LLM.value, Kind.BASELINE.value])
    known = frame[models & (frame["order_known"] == 1) & frame["points"].notna()]
    asked = [judge for judge in count_lost_verdicts(known) if judge.n >= minimum.OF_EACH]
    sides = _average_sides(known[~known["judge"].isin([judge.judge for judge in asked])])
    return [
        *(judge for judge in asked if judge.low > MOST_LOST),
        *(j for j in sides if 2 * j.low - 1 > MOST_LOST and j.n >= minimum.OF_EACH),
    ]


def warn_of_unusable(frame: pd.DataFrame, so: str) -> Caution:
    """Name the judges of judgements that have no usable verdicts, and describe them; `so` is what
    follows from it for a figure, such as "agreement cannot be measured".
    """
    judges = find_unusable_judges(frame)
    if not judges:
        return Caution([], [])
    names = [judge.judge for judge in judges if not judge.confounded]
    judge, *others = judges
    share = percent(judge.share, judge.low, judge.high)
    if judge.of == "both orders":
        lost = f"{round(judge.share * judge.n):,} of {pluralize(judge.n, 'pair')}, {share}"
        said = f"{judge.judge} gives no verdict that survives both orders on {lost}, so {so}."
    else:
        points = f"{share} of the points in {pluralize(judge.n, 'answer')}"
        why = (
            "Each two systems were shown in one order, so the texts or their order may decide."
            if judge.confounded
            else f"Its verdicts follow the order of the texts, so {so}."
        )
        said = f"{judge.judge} gives the {judge.of} text {points}. {why}"
    more = f"So it is with {pluralize(len(others), 'more judge')}."
    return Caution(names, [said, more] if others else [said])


def count_lost_verdicts(frame: pd.DataFrame) -> list[UnusableJudge]:
    """Count for each judge the pairs, of those answered in both orders, without the same verdict in
    both.
    """
    rows = debiasing.add_pairs(frame)
    pair = rows.groupby(debiasing.PAIR, sort=False).ngroup().to_numpy().astype(np.int64)
    same = position_bias.compare_orders(
        pair, rows["reverse"].to_numpy(bool), rows["points"].to_numpy(float)
    ).same
    pairs = rows.iloc[np.unique(pair, return_index=True)[1]].assign(value=1 - same)
    return [UnusableJudge(name, "both orders", *row) for name, row in _average(pairs)]


def _average_sides(frame: pd.DataFrame) -> list[UnusableJudge]:
    """Average the points of each judge for the first text, or for the second if these are more:
    about two systems that both came first in RARER or more, if there are any.
    """
    forward = frame["system_a"] < frame["system_b"]
    names = frame[["system_a", "system_b"]].astype(str)
    systems = names.min(axis=1) + "\0" + names.max(axis=1)
    even = forward.groupby([frame["judge"], systems]).transform("mean").between(RARER, 1 - RARER)
    mixed = even.groupby(frame["judge"]).transform("any")
    found = []
    for confounded, rows in ((False, frame[even]), (True, frame[~mixed])):
        for name, (share, low, high, n) in _average(rows.assign(value=rows["points"])):
            ends = ("first", share, low, high)
            if share < 0.5:
                ends = ("second", 1 - share, 1 - high, 1 - low)
            found.append(UnusableJudge(name, *ends, n, confounded))
    return found


def _average(rows: pd.DataFrame) -> Iterator[tuple[str, tuple[float, float, float, int]]]:
    rows = rows.dropna(subset="value")
    judge, names = pd.factorize(rows["judge"])
    value = rows["value"].to_numpy(float)
    shares = intervals.shares_by(value, code_families(rows), judge, n=len(names))
    yield from zip(names, zip(*(column.tolist() for column in shares), strict=True), strict=True)
