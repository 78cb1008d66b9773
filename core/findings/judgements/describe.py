"""Store frames -> tidy result frames: what is there, who is at work. Page and command line show the
same ones; `rankings`, `agreement`, `bias`, `accuracy` and `correlating` answer the larger
questions.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Annotated

import numpy as np
import pandas as pd

from ...frames import Schema, get_schema
from ...records import Kind, Outcome
from ...statistics import intervals
from ...store import Store
from .answers import load_mark_comparisons, load_marks, select_answered
from .finding import Finding
from .population import code_families
from .selection import (
    Selection,
    add_families,
    check_selection,
    keep_chosen_items,
    load_judgements,
    selection_notes,
    write_signature,
)

ScoreMeans = Annotated[
    pd.DataFrame, Schema({str: "system attribute rater", int: "n", float: "mean low high"})
]


def describe(store: Store, selection: Selection) -> Finding:
    """Describe a data set in figures. The default is all kinds of judges.

    scores: system (None = all), attribute, rater, n, mean with its 95% interval low to high over
    items; a panel such as expert-1, expert-2 .. also as `expert`. outcomes: judge, attribute, a, b,
    tie, both_bad, failed, p_first with its 95% interval low to high over items and first_share
    (where the order shown is known); for chosen judges that score texts, the outcomes derived from
    their scores. ties: attribute, rater, pairs within items, how many of them tied, items with all
    scores equal.
    """
    check_selection(store, selection)
    outcomes = _outcomes(store, selection)
    failures = load_marks(store, selection)["failure"]
    unanswered = Counter(failures[failures != ""].tolist())
    if outcomes["failed"].any():
        failing = tuple(outcomes.loc[outcomes["failed"] > 0, "judge"].unique())
        unanswered.update(select_answered(store, replace(selection, judges=failing))[1])
    if selection.judges:
        by_marks = load_mark_comparisons(store, selection)
        # Nobody was shown anything first.
        firsts = pd.DataFrame(columns=["judge", "attribute", "family", "first", "decisive"])
        outcomes = pd.concat(
            [outcomes, _outcomes_of(_count_each_once(by_marks), firsts)], ignore_index=True
        )
    return Finding(
        _means(store, selection),
        write_signature("describe", **selection.signature_values()),
        int(outcomes[list(Outcome)].to_numpy().sum()),
        unanswered,
        selection_notes(store, selection, rest=True),
        tables={"outcomes": outcomes, "ties": _ties(store, selection)},
        rows_are="scores",
    )


def _means(store: Store, selection: Selection) -> ScoreMeans:
    frame = load_marks(store, selection)
    panels = frame[frame["panel"] != frame["rater"]]
    frame = pd.concat([frame, panels.assign(rater=panels["panel"])])
    frame = frame.assign(family=code_families(frame))
    rows = [
        {
            "system": None,
            **dict(zip(keys, of, strict=True)),
            **intervals.spread("mean", found, ""),
            "n": found[3],
        }
        for keys in (["attribute", "rater"], ["attribute", "rater", "system"])
        for of, group in frame.groupby(keys, sort=False)
        for found in [intervals.mean(group["value"].to_numpy(float), group["family"].to_numpy())]
    ]
    found = get_schema(ScoreMeans).make(rows)
    return found.assign(
        system=pd.Series([row["system"] for row in rows], dtype=object)
    )  # a str column turns None to NaN


def _outcomes(store: Store, selection: Selection) -> pd.DataFrame:
    kept = selection.judges or tuple(Kind)
    if selection.subset or selection.item_set:
        frame = _count_each_once(load_judgements(store, selection))
    else:
        frame = store.judgement_frames.outcome_counts(selection.dataset, selection.systems)
    frame = frame[frame["judge"].isin(kept) | frame["kind"].isin(kept)]
    if selection.attribute:
        frame = frame[frame["attribute"] == selection.attribute]
    firsts = store.judgement_frames.firsts(
        selection.dataset, subset=selection.subset, systems=selection.systems
    )
    firsts = keep_chosen_items(store, selection, firsts)
    return _outcomes_of(frame, add_families(store, selection, firsts))


def _outcomes_of(frame: pd.DataFrame, firsts: pd.DataFrame) -> pd.DataFrame:
    """Compute outcome shares from rows with `count` answers each. `firsts` are as
    `judgement_frames.firsts` gives them, each with its `family`.
    """
    table = _count_outcomes(frame)
    ordered = _count_outcomes(frame[frame["order_known"] == 1]).reindex(table.index, fill_value=0)
    place = table.index.get_indexer(pd.MultiIndex.from_frame(firsts[["judge", "attribute"]]))
    firsts = firsts.assign(place=place)[place >= 0]
    first, decisive = firsts["first"].to_numpy(int), firsts["decisive"].to_numpy(int)
    points = np.repeat(
        np.tile([1.0, 0.0], len(firsts)), np.column_stack([first, decisive - first]).ravel()
    )
    family, column = (
        np.repeat(codes, decisive) for codes in (code_families(firsts), firsts["place"].to_numpy())
    )
    share = intervals.shares_by(points, family, column, n=len(table))
    answered = ordered[list(Outcome)].sum(axis=1)
    table = table.assign(
        **intervals.spread("p_first", share, ""), first_share=ordered["a"] / answered
    )
    return table.reset_index().rename_axis(columns=None)


def _count_each_once(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.assign(outcome=frame["outcome"].fillna("failed"), count=1)


def _count_outcomes(frame: pd.DataFrame) -> pd.DataFrame:
    table = frame.pivot_table(
        index=["judge", "attribute"], columns="outcome", values="count", aggfunc="sum", sort=False
    )
    return table.reindex(columns=[*Outcome, "failed"]).fillna(0).astype(int)


def _ties(store: Store, selection: Selection) -> pd.DataFrame:
    frame = load_marks(store, selection).dropna(subset="value")
    keys = ["attribute", "rater"]
    sizes = frame.groupby([*keys, "item"], sort=False).agg(
        n=("value", "size"), different=("value", "nunique")
    )
    equal = frame.groupby([*keys, "item", "value"], sort=False).size().rename("n")
    table = pd.DataFrame(
        {
            "pairs": _pairs(sizes["n"]).groupby(keys, sort=False).sum(),
            "tied": _pairs(equal).groupby(keys, sort=False).sum(),
            "constant_items": ((sizes["different"] == 1) & (sizes["n"] > 1))
            .groupby(keys, sort=False)
            .sum(),
        }
    )
    return table.reset_index()


def _pairs(n: pd.Series) -> pd.Series:
    return n * (n - 1) // 2
