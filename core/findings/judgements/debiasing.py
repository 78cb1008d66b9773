"""Correct judgements for the effect of a text's position (docs/statistics/bias.md, "Debiasing").
Find judges whose verdicts follow the order of the texts rather than the texts
(docs/decisions/statistics.md, "A verdict that the order decides more often than not is none"), and
those whose samples are all alike: they may be sure, and more likely do not sample.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple

import numpy as np
import pandas as pd

from ... import labels
from ...frames import Schema, get_schema
from ...labels import percent, pluralize
from ...records import Kind, TandemError, option_ref
from ...settings import declare
from ...statistics import position_bias
from ...store import JudgementRows, Store
from . import minimum
from .population import average_by

OrderedRows = Annotated[pd.DataFrame, Schema({int: "order_known"}, is_open=True)]
PairedRows = Annotated[
    pd.DataFrame, Schema({int: "generation_1 generation_2", bool: "reverse"}, is_open=True)
]

JUDGED = ["judge", "attribute"]  # what a threshold is fitted for, within a data set
PAIR = [*JUDGED, "generation_1", "generation_2"]


@dataclass(frozen=True)
class DebiasedJudgements:
    """Judgements with new `prob_a` and `points`, and the number of `judgements` behind each row;
    `notes` say what was left out.
    """

    frame: pd.DataFrame
    notes: tuple[str, ...] = ()


def debias(frame: pd.DataFrame, method: str) -> DebiasedJudgements:
    """Answered judgements (judge, attribute, generation_a, generation_b, prob_a, points,
    order_known) by one of DEBIASING.
    """
    return DEBIASING[method](frame.assign(judgements=1))


def declare_debias() -> Any:
    """The setting of a request that says how to take out what the position of a text did."""
    return declare(
        "none", "correct for position bias", label="Position bias", choices=labels.DEBIASING
    )


def threshold(frame: pd.DataFrame) -> DebiasedJudgements:
    """Move each judge's probabilities so that, for each attribute, both positions win equally
    often.
    """
    usable = keep_known_order(frame).dropna(subset="prob_a")
    if usable.empty:
        raise TandemError(
            f"{option_ref('debias')} threshold moves probabilities, and these judges give only "
            f"decisions: use {option_ref('debias')} swap with both orders, or "
            f"{option_ref('position_term')} with bradley-terry"
        )
    moved = usable.groupby(JUDGED, sort=False)["prob_a"].transform(
        lambda p: position_bias.reweight(p.to_numpy(), position_bias.threshold(p.to_numpy()))
    )
    left_out = note_left_out(len(frame) - len(usable), "without a probability or a known order")
    return DebiasedJudgements(usable.assign(prob_a=moved, points=decide_points(moved)), left_out)


def swap(frame: pd.DataFrame) -> DebiasedJudgements:
    """Average the judgements of each judge, attribute and pair asked in both orders, as if
    generation_1 was shown first.
    """
    usable = add_pairs(keep_known_order(frame))
    forward, backward = (usable[usable["reverse"] == side] for side in (False, True))
    means = [side.groupby(PAIR)[["prob_a", "points"]].mean() for side in (forward, backward)]
    both = means[0].index.intersection(means[1].index)
    if both.empty:
        raise TandemError(
            f"{option_ref('debias')} swap needs pairs answered in both orders, and there are "
            f"none: run the judge with {option_ref('pairs')} symmetric or full"
        )
    of_first = pd.DataFrame(
        {
            name: position_bias.swap(*(mean.loc[both, name].to_numpy(float) for mean in means))
            for name in ("prob_a", "points")
        },
        index=both,
    )
    # Above 1/2 the first is preferred: by probability where there is one, else by decisions.
    of_first["points"] = decide_points(of_first["prob_a"].fillna(of_first["points"]))
    of_first["judgements"] = usable.groupby(PAIR).size()
    kept = (
        forward.drop_duplicates(PAIR)
        .drop(columns=of_first.columns)
        .merge(of_first, left_on=PAIR, right_index=True)
    )
    left_out = len(frame) - int(kept["judgements"].sum())
    return DebiasedJudgements(
        kept, note_left_out(left_out, "of pairs that were not answered in both (known) orders")
    )


def keep_known_order(frame: pd.DataFrame) -> OrderedRows:
    """Select the judgements with a known order of the texts."""
    return frame[frame["order_known"] == 1]


def add_pairs(frame: pd.DataFrame) -> PairedRows:
    """Add the unordered pair, generation_1 < generation_2, and whether it was shown in
    `reverse`.
    """
    a, b = frame["generation_a"], frame["generation_b"]
    return frame.assign(generation_1=np.minimum(a, b), generation_2=np.maximum(a, b), reverse=a > b)


def decide_points(prob_a: Any) -> Any:
    """Convert probabilities to points: 1 above 1/2, 0 below, else 1/2."""
    return (np.sign(prob_a - 0.5) + 1) / 2


def note_left_out(number: int, which: str) -> tuple[str, ...]:
    """Note how many judgements are left out, and which, if there are any."""
    left_out = f"Left out: {labels.pluralize(number, 'judgement')} {which}."
    return (left_out,) if number else ()


DEBIASING: dict[str, Callable[[pd.DataFrame], DebiasedJudgements]] = {
    "none": DebiasedJudgements,
    "swap": swap,
    "threshold": threshold,
}


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
    rows = add_pairs(frame)
    pair = rows.groupby(PAIR, sort=False).ngroup().to_numpy().astype(np.int64)
    same = position_bias.compare_orders(
        pair, rows["reverse"].to_numpy(bool), rows["points"].to_numpy(float)
    ).same
    pairs = rows.iloc[np.unique(pair, return_index=True)[1]].assign(value=1 - same)
    return [UnusableJudge(name, "both orders", *row) for name, *row in _average(pairs)]


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
        for name, share, low, high, n in _average(rows.assign(value=rows["points"])):
            ends = ("first", share, low, high)
            if share < 0.5:
                ends = ("second", 1 - share, 1 - high, 1 - low)
            found.append(UnusableJudge(name, *ends, n, confounded))
    return found


def _average(rows: pd.DataFrame) -> Iterator[tuple[Any, ...]]:
    """Yield each judge with a value, and the share, low, high and n of its values."""
    rows = rows.dropna(subset="value")
    return average_by(rows, ["judge"], share=rows["value"]).itertuples(index=False, name=None)
