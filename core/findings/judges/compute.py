"""Compute measures of judges that need no labels, and accuracy by people's votes."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Annotated

import pandas as pd

from ...frames import Schema
from ...records import Kind
from ...store import Store
from .. import accuracy
from ..bias import bias
from ..judgements import (
    Caution,
    Finding,
    Selection,
    choose_truth,
    unless_refused,
    write_signature,
)
from ..leaderboard import RankSettings, leaderboard
from .columns import COLUMNS, MEASURES, RIGHT

MeasureRows = Annotated[pd.DataFrame, Schema({str: "judge attribute"}, is_open=True)]

OTHERS = (Kind.LLM.value, Kind.BASELINE.value)
KEYS = ["judge", "attribute"]


def judges(store: Store, selection: Selection, against: str = "") -> Finding:
    """Measure each judge on each attribute: its accuracy `against` people's votes or gold labels,
    '' those of `choose_truth`, and measures that need neither. The default is all models and
    baselines. The columns are declared in `core.findings.judges.columns`. Fact `right`: a sentence
    about accuracy; '' if unknown.

    `transitive` is 1 - the share of cyclic triples, to be expected if each pair is asked in one
    order where both were, else of the verdicts there are. A discrimination is known of several
    judges that agree on anything.
    """
    chosen = replace(selection, judges=selection.judges or OTHERS)
    biased = bias(store, chosen)
    settings = accuracy.AccuracySettings(against or choose_truth(store, selection.dataset))
    right = unless_refused(partial(accuracy.accuracy, store, chosen, settings))
    parts = [
        _measure_consistency(biased.rows),
        _measure_transitivity(biased.tables["triples"]),
        _measure_discrimination(store, chosen),
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


def _measure_discrimination(store: Store, selection: Selection) -> MeasureRows:
    """Discriminations attribute by attribute; nothing of those on which there is no jury."""
    found = []
    names = [attribute.name for attribute in store.datasets.attributes(selection.dataset)]
    for name in [selection.attribute] if selection.attribute else names:
        of = replace(selection, attribute=name)
        result = unless_refused(partial(leaderboard, store, of, RankSettings(method="jury")))
        if result is not None:
            rows = result.tables["judges"].assign(attribute=name)
            figures = (rows[each] for each in ("discrimination", "low", "high", "answers"))
            found.append(_measure("discrimination", rows, *figures))
    return pd.concat(found) if found else pd.DataFrame(columns=KEYS)


def _measure_accuracy(rows: pd.DataFrame) -> MeasureRows:
    figures = (rows[each] for each in ("accuracy", "low", "high", "comparisons"))
    return _measure("accuracy", rows, *figures)
