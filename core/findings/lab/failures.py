"""Failures of judges: pairs of development items to read, and answers by what can be measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Annotated

import numpy as np
import pandas as pd

from ...frames import Schema, get_schema
from ...rendering import declare_rows
from ...statistics import intervals
from ...store import Store
from ..accuracy import score_answers
from ..judgements import Selection, code_families, count_verdicts, measure_lengths
from ..judgements.reading import MOST_READ, add_texts, average_pairs
from ..judgements.verdicts import PAIR
from ..separability.applications import cut_bins
from .columns import BY
from .settings import DEVELOPMENT, LabSettings, find_common_pairs

LONGER = (-1.0, -0.5, -0.25, 0.0, 0.25, 0.5, 1.0)
SURE = (0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
FailureRows = Annotated[
    pd.DataFrame,
    Schema({
        str: "item attribute context better preferred better_system preferred_system",
        float: "judge people", int: "better_text preferred_text",
    }),
]  # fmt: skip


def list_failures(store: Store, selection: Selection, settings: LabSettings) -> FailureRows:
    """List the pairs of development items on which a judge and the reference differ most surely:
    its mean probability of the worse text (`judge`), times the share of `people` for the better.
    """
    common = find_common_pairs(store, selection).pairs
    settings = settings.fill(store, replace(selection, judges=()))
    parts = []
    for attribute, meant in common[common["side"] == DEVELOPMENT].groupby("attribute"):
        sides = meant["generation_1"].tolist(), meant["generation_2"].tolist()
        about = replace(
            selection, attribute=str(attribute), pairs=frozenset(zip(*sides, strict=True))
        )
        scored = score_answers(store, about, settings.reference())
        rows = scored.rows[scored.rows["truth"].isin((0.0, 1.0))]
        pairs = average_pairs(rows).merge(rows.drop_duplicates(PAIR)[[*PAIR, "truth"]], on=PAIR)
        first = pairs["truth"] == 1
        pairs["judge"] = pairs["prob_1"].where(~first, 1 - pairs["prob_1"])
        pairs["people"] = 1.0
        if scored.truth is not None:
            voted = count_verdicts(scored.truth.dropna(subset="points")).groupby(PAIR)["points"]
            share = voted.mean().reindex(pd.MultiIndex.from_frame(pairs[PAIR])).to_numpy(float)
            pairs["people"] = np.abs(share - 0.5) + 0.5
        parts.append(pairs[pairs["judge"] > 0.5])
    if not parts:
        return get_schema(FailureRows).make()
    wrong = pd.concat(parts, ignore_index=True)
    surest = (wrong["judge"] * wrong["people"]).sort_values(ascending=False, kind="stable").index
    shown = add_texts(store, selection.dataset, wrong.loc[surest].head(MOST_READ))
    is_first = (shown["truth"] == 1).to_numpy(bool)
    for name, place in (("better", is_first), ("preferred", ~is_first)):
        for end, column in (("", "text"), ("_system", "system"), ("_text", "candidate")):
            shown[f"{name}{end}"] = np.where(place, shown[f"{column}_1"], shown[f"{column}_2"])
    return get_schema(FailureRows).read(shown[list(get_schema(FailureRows).kinds)])


ByRows = Annotated[pd.DataFrame, declare_rows(BY)]


def group_answers(
    store: Store, selection: Selection, settings: LabSettings, scored: pd.DataFrame
) -> ByRows:
    """Group the answers of each judge by attribute, subset, separability of the texts, how much
    longer the better text is (of the longer one), the place of the text that it chose, and the
    probability that it gave that text: how many are wrong, which share of all that are wrong, and
    how often it is right, with intervals over items.

    `scored` are rows as `score_answers` gives them, each with what is `right`. What is the same for
    all answers is no group.
    """
    if scored.empty:
        return get_schema(ByRows).make()
    groups = _list_groups(store, selection, settings, scored)
    found = []
    for judge, mine in scored.assign(**groups).groupby("judge", sort=False):
        wrong = mine[mine["right"] < 0.5]
        for by in [name for name, values in groups.items() if values.nunique() > 1]:
            for value, group in mine.groupby(by, observed=True):
                right = group["right"].to_numpy(np.float64)
                errors = np.asarray(wrong[by] == value, dtype=np.float64)
                found.append(
                    {"judge": judge, "by": by, "value": str(value), "answers": len(group),
                     "wrong": int(errors.sum()),
                     **intervals.spread("of_wrong", intervals.share(errors, code_families(wrong))),
                     **intervals.spread("accuracy", intervals.share(right, code_families(group)))}
                )  # fmt: skip
    return get_schema(ByRows).make(found)


def _list_groups(
    store: Store, selection: Selection, settings: LabSettings, scored: pd.DataFrame
) -> dict[str, pd.Series]:
    """List the group of each answer by each of GROUPS; NaN where it is unknown."""
    first, second = measure_lengths(store, selection.dataset, scored)
    is_first = (scored["truth"] == 1) != scored["turned"]
    beyond = np.where(is_first, first - second, second - first) / np.maximum(first, second)
    points, prob = scored["points"], scored["prob_a"]
    subsets = store.datasets.items(selection.dataset).set_index("item")["subset"]
    groups = {"attribute": scored["attribute"], "subset": scored["item"].map(subsets)}
    measured = settings.measure_items(store, replace(selection, judges=()))
    if measured is not None:
        of = ["item", "system_1", "system_2"]
        apart = measured.groupby(of)["separability"].mean()
        values = apart.reindex(pd.MultiIndex.from_frame(scored[of])).to_numpy(float)
        groups["separability"] = cut_bins(pd.Series(values), pd.Series(code_families(scored)))
    return groups | {
        "longer": _cut(pd.Series(beyond), LONGER),
        "chose": pd.Series(
            np.select([points > 0.5, points < 0.5], ["first", "second"], "neither"), scored.index
        ),
        "sure": _cut(pd.Series(np.maximum(prob, 1 - prob)), SURE),
    }


def _cut(values: pd.Series, edges: Sequence[float]) -> pd.Series:
    names = [f"{low:.0%} to {high:.0%}" for low, high in pairwise(edges)]
    return pd.cut(values, edges, labels=names, include_lowest=True)
