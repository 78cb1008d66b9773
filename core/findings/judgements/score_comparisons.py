"""Comparisons derived from marks: of two texts of an item the one with the higher mark is better.
They are never stored.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ...records import Outcome
from ...store import JudgementRows

GROUP = ["rater", "attribute", "trial", "item", "sample"]


def compare_marks(marks: pd.DataFrame) -> JudgementRows:
    """Convert marks (the store's frame of them) to comparisons of every two systems, in the columns
    of `Store.judgements`.

    One row for each judge, attribute, trial, item, two systems and sample j of both; the system
    first by name is A. Equal marks are a tie. Where one of the two marks failed, so does the
    comparison, with its reason; where one is not there, neither is the comparison. Nobody was shown
    anything first (order_known 0), and a difference of marks is no probability. The order is a
    shuffle that does not depend on when marks came, or on which: with a system's comparisons in a
    row Elo would be wrong about it.
    """
    codes = marks.groupby(GROUP, sort=False).ngroup()
    sides = marks.assign(group=codes).sort_values(["group", "system"], kind="stable")
    a, b = _every_two(sides["group"].to_numpy())
    first, second = sides.iloc[a].reset_index(drop=True), sides.iloc[b].reset_index(drop=True)
    difference = (first["value"] - second["value"]).to_numpy()
    outcome = pd.Series(
        np.select([difference > 0, difference < 0], [Outcome.A, Outcome.B], Outcome.TIE),
        dtype="str",
    )
    frame = pd.DataFrame(
        {
            "judgement": 0,
            "comparison": 0,
            **{name: first[name] for name in ("attribute", "item", "subset")},
            "system_a": first["system"],
            "system_b": second["system"],
            "sample_a": first["sample"],
            "sample_b": second["sample"],
            "generation_a": first["generation"],
            "generation_b": second["generation"],
            "judge": first["rater"],
            "kind": first["kind"],
            "trial": first["trial"],
            "run": np.nan,
            "campaign": np.nan,
            "outcome": outcome.mask(np.isnan(difference)),
            "prob_a": np.nan,
            "failure": first["failure"].where(first["value"].isna(), second["failure"]),
            "seconds": np.nan,
            "order_known": 0,
        }
    )
    shuffled = pd.util.hash_pandas_object(
        frame[["item", "system_a", "system_b", "sample_a"]], index=False
    )
    order = np.lexsort((frame["trial"], frame["attribute"], frame["judge"], shuffled))
    number = -1 - np.arange(len(frame))  # rows of no table
    return frame.iloc[order].assign(judgement=number, comparison=number).reset_index(drop=True)


def _every_two(group: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The places of every two rows of a group, the earlier one first; the groups are in order."""
    starts = (
        np.flatnonzero(np.r_[True, group[1:] != group[:-1]])
        if len(group)
        else np.zeros(0, dtype=np.int64)
    )
    sizes = np.diff(np.r_[starts, len(group)])
    firsts, seconds = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
    for size in np.unique(sizes):  # all groups of a size at once
        one, other = np.triu_indices(size, 1)
        of_size = starts[sizes == size][:, None]
        firsts.append((of_size + one).ravel())
        seconds.append((of_size + other).ravel())
    return np.concatenate(firsts), np.concatenate(seconds)
