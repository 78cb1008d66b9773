"""Correct judgements for the effect of a text's position (docs/statistics/bias.md, "Debiasing")."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
import pandas as pd

from ... import labels
from ...frames import Schema
from ...records import TandemError, option_ref
from ...settings import declare
from ...statistics import position_bias

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

    @property
    def used(self) -> int:
        """Number of judgements behind all rows."""
        return int(self.frame["judgements"].sum())


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
    often. The original ones are kept in `prob_given`.
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
    given = usable["prob_a"]
    return DebiasedJudgements(
        usable.assign(prob_a=moved, points=decide_points(moved), prob_given=given), left_out
    )


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
