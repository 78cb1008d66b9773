"""Compare judges: measures that need no labels, and accuracy."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Annotated

import pandas as pd

from ...frames import Schema
from ...labels import percent, pluralize
from ...records import Kind
from ...rendering import COUNT, SHARE, Column, Place
from ...store import Store
from .. import accuracy
from ..bias import bias
from ..judgements import (
    Caution,
    Finding,
    Selection,
    choose_truth,
    find_most_extreme,
    name_judge,
    unless_refused,
    write_signature,
)
from ..judgements.judges import ATTRIBUTE, JUDGE, KIND, declare_estimate

RIGHT = declare_estimate("accuracy", "right", SHARE, "Share of single answers, a tie being half")
MEASURES = {
    "consistent": declare_estimate(
        "consistent", "same in both orders", SHARE, "Pairs with the same verdict in both orders",
    ),
    "transitive": declare_estimate(
        "transitive", "three texts agree", SHARE, "Triples of texts without a contradiction",
    ),
}  # fmt: skip
"""Figures of a judge that need no votes: the more, the better."""
COLUMNS = (
    JUDGE,
    KIND,
    ATTRIBUTE,
    RIGHT,
    Column("accuracy_n", "answers", COUNT, place=Place.FILES),
    *MEASURES.values(),
    Column("consistent_n", "pairs", COUNT, place=Place.FILES),
    Column("transitive_n", "triples", COUNT, place=Place.FILES),
)


def name_measure(measure: Column) -> str:
    """Name a measure within a sentence: "pairs with the same verdict in both orders"."""
    phrase = measure.help.partition(";")[0]
    return f"{phrase[:1].lower()}{phrase[1:]}"


MeasureRows = Annotated[pd.DataFrame, Schema({str: "judge attribute"}, is_open=True)]

OTHERS = (Kind.LLM.value, Kind.BASELINE.value)
KEYS = ["judge", "attribute"]


def judges(store: Store, selection: Selection, against: str = "") -> Finding:
    """Measure each judge on each attribute: its accuracy `against` people's votes or gold labels,
    '' those of `choose_truth`, and measures that need neither. The default is all models and
    baselines. The columns are declared in `core.findings.judges`. Fact `right`: a sentence
    about accuracy; '' if unknown.

    `transitive` is 1 - the share of cyclic triples, to be expected if each pair is asked in one
    order where both were, else of the verdicts there are.
    """
    chosen = replace(selection, judges=selection.judges or OTHERS)
    biased = bias(store, chosen)
    settings = accuracy.AccuracySettings(against or choose_truth(store, selection.dataset))
    right = unless_refused(partial(accuracy.accuracy, store, chosen, settings))
    parts = [
        _measure_consistency(biased.rows),
        _measure_transitivity(biased.tables["triples"]),
        *([] if right is None else [_measure_accuracy(right.rows)]),
    ]
    rows = pd.concat([part[KEYS] for part in parts]).drop_duplicates()
    for part in parts:
        rows = rows.merge(part, how="left", on=KEYS)
    known = [biased.rows, *([] if right is None else [right.rows])]
    kinds = pd.concat([of[["judge", "kind"]] for of in known]).drop_duplicates("judge")
    rows = rows.merge(kinds, on="judge").reindex(
        columns=[name for column in COLUMNS for name in column.names]
    )
    figures = [RIGHT.name, *MEASURES]
    return Finding(
        rows.dropna(subset=figures, how="all").reset_index(drop=True),
        write_signature("judges", **chosen.signature_values()),
        biased.judgements,
        biased.unanswered,
        biased.notes,
        {
            "right": "" if right is None else accuracy.describe_accuracy(right),
            **{name: biased.facts[name] for name in Caution._fields},
        },
        columns=COLUMNS,
    )


def _measure(
    name: str, rows: pd.DataFrame, value: pd.Series, low: pd.Series, high: pd.Series, n: pd.Series
) -> MeasureRows:
    names = (name, f"{name}_low", f"{name}_high", f"{name}_n")
    return rows[KEYS].assign(**dict(zip(names, (value, low, high, n), strict=True)))


def _measure_consistency(rows: pd.DataFrame) -> MeasureRows:
    pairs = rows["pairs_both_orders"]
    share = rows["consistent_both_orders"] / pairs.where(pairs > 0)
    return _measure(
        "consistent", rows, share, rows["consistent_low"], rows["consistent_high"], pairs
    )


def _measure_transitivity(rows: pd.DataFrame) -> MeasureRows:
    once = rows["one_order"].notna()
    cyclic, low, high = (
        rows[f"one_order{end}"].where(once, rows[name])
        for end, name in (("", "cyclic"), ("_low", "low"), ("_high", "high"))
    )
    number = rows["triples"].where(once, rows["decided"])
    return _measure("transitive", rows, 1 - cyclic, 1 - high, 1 - low, number)


def _measure_accuracy(rows: pd.DataFrame) -> MeasureRows:
    figures = (rows[each] for each in ("accuracy", "low", "high", "comparisons"))
    return _measure("accuracy", rows, *figures)


def describe_most(rows: pd.DataFrame, measure: Column) -> str:
    """Describe whether the judge that is best without labels is also right most often. `rows` have
    labels.
    """
    best, right = (
        find_most_extreme(rows, rows[name], len(rows)) for name in (measure.name, "accuracy")
    )
    most = f"{name_judge(best)} has most {name_measure(measure)}, and is right"
    if best["label"] == right["label"]:
        return f"{most} most often: {_share(right, 'accuracy')}."
    return (
        f"{most} in {_share(best, 'accuracy')}. {name_judge(right)} is right most often: "
        f"{_share(right, 'accuracy')}."
    )


def describe_unlabelled(rows: pd.DataFrame, *, voted: bool = False) -> str:
    """Name the most consistent judge among those whose accuracy the votes do not show. `voted`:
    there are votes.
    """
    untold = (
        "No vote names a winner where a judge answered, so nothing tells how often one is right."
        if voted
        else "Without human votes, nobody can say how often a judge is right."
    )
    known = rows.dropna(subset="consistent")
    if known.empty:
        return untold
    best = find_most_extreme(known, known["consistent"], len(known))
    level = known.loc[known["consistent"] == best["consistent"], "judge"].nunique()
    share = _share(best, "consistent")
    if level > 1:
        alike = f"{level} judges keep their verdicts in both orders equally often"
        return f"{untold} {alike}, in {share}."
    most = " most often" if known["judge"].nunique() > 1 else ""
    pairs = pluralize(int(best["consistent_n"]), "pair")
    keeps = f"{name_judge(best)} keeps its verdict{most} in both orders"
    return f"{untold} {keeps}: in {share} of {pairs}."


def _share(row: pd.Series, name: str) -> str:
    return percent(row[name], row[f"{name}_low"], row[f"{name}_high"])
