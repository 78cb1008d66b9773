"""How well ratings or scores follow the scores of people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from core.rankings import RankSettings, candidates, leaderboard
from core.records import TandemError
from core.selections import (
    Result,
    Selection,
    check,
    scored,
    signature,
)
from core.statistics import correlation
from core.store import Store


def correlate(
    store: Store,
    selection: Selection,
    *,
    against: str,
    level: str,
    scores: str = "",
    settings: RankSettings | None = None,
) -> Result:
    """How well scores of a rater, or ratings from comparisons, follow the scores of another rater.

    One row per attribute: attribute, spearman, kendall, pearson, n (items, systems or texts that were correlated), items,
    undefined_items, pair_accuracy, pairs, missing (texts that have only one of the two values). `level` item: within each
    item, then averaged; system: over the systems' means; pool: over all texts. With `scores` no judgements are used.
    """
    if level not in ("item", "system", "pool"):
        raise TandemError(f"unknown --level {level!r}; there are item, system, pool")
    check(store, selection)
    truth = scored(store, selection, against)
    unanswered: Mapping[str, int] = {}
    used, notes, rows = 0, [], []
    for attribute in truth["attribute"].unique():
        one = Selection(**{**vars(selection), "attribute": attribute})
        if scores:
            predicted = scored(store, selection, scores)
            predicted = predicted.loc[predicted["attribute"] == attribute, ["generation", "value"]]
        else:
            try:
                result, predicted = _ratings(store, one, settings or RankSettings(), level, truth)
            except TandemError as error:
                if selection.attribute:
                    raise
                notes.append(f"{attribute}: {error}")
                continue
            used, unanswered = used + result.judgements, _sum(unanswered, result.unanswered)
            notes += [f"{attribute}: {note}" for note in result.notes]
        both = truth[truth["attribute"] == attribute].merge(
            predicted, on="generation", how="outer", suffixes=("", "_predicted")
        )
        both = both.dropna(subset=["item"])
        rows.append({"attribute": attribute, **_correlated(both, level)})
    if not rows:
        raise TandemError(notes[0] if notes else f"{scores!r} and {against!r} have no attribute in common")
    frame = pd.DataFrame(rows)
    how = settings or RankSettings()
    of = (
        {"of": scores}
        if scores
        else {
            "of": how.method,
            "position": "term" if how.position_term else None,
            "separability": how.separability,
            "debias": how.debias if how.debias != "none" else None,
        }
    )
    return Result(
        frame,
        signature("correlation", **of, against=against, level=level, attribute=selection.attribute or "all"),
        used,
        unanswered,
        notes,
        {"level": level, **(rows[0] if len(rows) == 1 else dict.fromkeys(rows[0]))},
    )


def _ratings(
    store: Store, selection: Selection, settings: RankSettings, level: str, truth: pd.DataFrame
) -> tuple[Result, pd.DataFrame]:
    """What comparisons say of each text (generation, value): its system's rating on the leaderboard at system level, else
    its own among its item's candidates."""
    if level != "system":
        result = candidates(store, selection, settings)
        return result, result.rows[["generation", "rating"]].rename(columns={"rating": "value"})
    result = leaderboard(store, selection, settings)
    of_system = result.rows.set_index("system")["rating"]
    texts = truth.loc[truth["attribute"] == selection.attribute, ["generation", "system"]]
    return result, pd.DataFrame({"generation": texts["generation"], "value": texts["system"].map(of_system)})


def _correlated(both: pd.DataFrame, level: str) -> dict[str, Any]:
    predicted, truth = both["value_predicted"].to_numpy(float), both["value"].to_numpy(float)
    items, systems = pd.factorize(both["item"])[0], pd.factorize(both["system"])[0]
    found: correlation.Correlations | correlation.ItemCorrelations
    undefined = 0
    if level == "item":
        found = correlation.by_item(items, predicted, truth)
        n, undefined = found.items, found.undefined
        accuracy = correlation.pair_accuracy(items, predicted, truth)
    elif level == "system":
        found = correlation.by_system(systems, predicted, truth)
        n = found.n
        means = both.dropna(subset=["value", "value_predicted"]).groupby("system")[["value_predicted", "value"]].mean()
        accuracy = correlation.pair_accuracy(np.zeros(len(means), dtype=np.int64), *means.to_numpy(float).T)
    else:
        found = correlation.correlations(predicted, truth)
        n = found.n
        accuracy = correlation.pair_accuracy(np.zeros(len(both), dtype=np.int64), predicted, truth)
    return {
        "spearman": found.spearman,
        "kendall": found.kendall,
        "pearson": found.pearson,
        "n": n,
        "items": n if level == "item" else len(np.unique(items)),
        "undefined_items": undefined,
        "pair_accuracy": accuracy.accuracy,
        "pairs": accuracy.pairs,
        "missing": found.missing,
    }


def _sum(one: Mapping[str, int], other: Mapping[str, int]) -> dict[str, int]:
    return {reason: one.get(reason, 0) + other.get(reason, 0) for reason in {**one, **other}}
