"""Transitivity of a judge's preferences: the share of cyclic triples of an item's texts, the part
that position explains, and stochastic transitivity.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ...frames import Schema
from ...rendering import list_names
from ...statistics import intervals
from ...statistics import position_bias as positional
from ...statistics import transitivity as statistics
from ..judgements.bins import cut_bins
from .columns import TRIPLES, TRIPLES_BY
from .system_by_position import pair_codes

COUNTS = (
    "triples", "decided", "cyclic", "drawn", "drawn_cyclic", "by_position", "probable", "weak",
    "strong",
)  # fmt: skip

TripleCounts = Annotated[pd.DataFrame, Schema({int | float: " ".join(COUNTS), object: "family"})]
PAIR = ("item", "generation_1", "generation_2")


def transitivity(
    frame: pd.DataFrame, separability: pd.DataFrame | None
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Count the triples of texts on which each judge contradicts itself (docs/statistics/bias.md,
    "Transitivity"): TRIPLES of judges and attributes that have some, and TRIPLES_BY `separability`
    (item, system_1, system_2, separability), in bins of items from low to high, where it is given.

    `frame` holds judgements with a known order, their codes `item` and names `item_name`, NaN
    `points` where unanswered. triples: of texts of an item with an answer about each of the three
    pairs; decided: with a verdict on each, over both orders; cyclic: the share of these that are,
    low to high. one_order: the share to be expected if each pair had been asked in one of its
    orders only, and how much of it is by_position; of triples asked in both orders throughout.
    weak, strong: the share of triples of (probable) probabilities that violate weak and strong
    stochastic transitivity.
    """
    bins = _bins(frame, separability)
    rows, by = [], []
    for (judge, attribute), of in frame.dropna(subset="points").groupby(
        ["judge", "attribute"], sort=False
    ):
        counts = _counts(of)
        if not counts["triples"].any():
            continue
        about = {"judge": judge, "attribute": attribute}
        rows.append({**about, "kind": of["kind"].iloc[0], **_figures(counts)})
        for name, part in _parts(counts, bins):
            by.append({**about, "separability": name, **_figures(part)})
    return pd.DataFrame(rows, columns=list_names(TRIPLES)), pd.DataFrame(
        by, columns=list_names(TRIPLES_BY)
    )


def _counts(frame: pd.DataFrame) -> TripleCounts:
    """COUNTS of each item of one judge's answers, by its code, and its `family`."""
    pair, reverse = pair_codes(frame), frame["reverse"].to_numpy(bool)
    head = frame.assign(pair=pair).drop_duplicates("pair")  # in the order of the codes
    pairs = statistics.TextPairs(*(head[name].to_numpy() for name in PAIR))
    for_first, prob = (
        np.where(reverse, 1 - values, values)
        for values in (frame["points"].to_numpy(float), frame["prob_a"].to_numpy(float))
    )
    mean = np.bincount(pair, for_first) / np.bincount(pair)
    wins, losses = ((sign * (mean - 0.5) > 0).astype(float) for sign in (1, -1))
    verdicts = statistics.triples(pairs, wins, losses)
    forward, backward = positional.order_means(pair, reverse, for_first)[1] - 0.5
    twice = ~np.isnan(forward + backward)
    drawn, by_position = statistics.estimate_one_order(
        _filter_pairs(pairs, twice), forward[twice], backward[twice]
    )
    p = _mean_of_orders(positional.order_means(pair, reverse, prob)[1])
    known = ~np.isnan(p)
    stochastic = statistics.stochastic(_filter_pairs(pairs, known), p[known])
    every = (*verdicts, drawn.decided, drawn.cyclic, by_position, *stochastic)
    columns = {
        name: np.pad(values, (0, pairs.items - len(values)))
        for name, values in zip(COUNTS, every, strict=True)
    }
    family = frame.drop_duplicates("item").set_index("item")["family"]
    return pd.DataFrame(columns).join(family)


def _filter_pairs(pairs: statistics.TextPairs, kept: NDArray[np.bool_]) -> statistics.TextPairs:
    return statistics.TextPairs(*(column[kept] for column in pairs))


def _mean_of_orders(both: Any) -> Any:
    """Average the two orders, ignoring NaN; NaN where both are."""
    known = ~np.isnan(both)
    total = np.where(known, both, 0.0).sum(axis=0)
    return np.divide(total, known.sum(axis=0), out=np.full(total.shape, np.nan),
                     where=known.any(axis=0))  # fmt: skip


def _bins(frame: pd.DataFrame, separability: pd.DataFrame | None) -> pd.Series | None:
    """The bin of each item's code, by the mean separability of its pairs of systems."""
    if separability is None:
        return None
    names = frame.drop_duplicates("item").set_index("item")["item_name"].sort_index()
    of_item = separability.groupby("item")["separability"].mean().reindex(names)
    bins = cut_bins(of_item.reset_index(drop=True), pd.Series(range(len(names))))
    return bins.set_axis(names.index)


def _parts(counts: pd.DataFrame, bins: pd.Series | None) -> Iterator[tuple[str, pd.DataFrame]]:
    """The items of each bin, from low to high."""
    if bins is None:
        return
    of = bins.reindex(counts.index)
    for name in bins.cat.categories:
        part = counts[(of == name).to_numpy()]
        if part["triples"].any():
            yield str(name), part


def _figures(counts: pd.DataFrame) -> dict[str, Any]:
    by_family = counts.groupby("family")[list(COUNTS)].sum()
    of = {name: by_family[name].to_numpy(float) for name in COUNTS}
    drawn = of["drawn"].sum()
    return {
        "items": int((of["triples"] > 0).sum()),
        "triples": int(of["triples"].sum()),
        "decided": int(of["decided"].sum()),
        **intervals.spread("cyclic", statistics.share(of["cyclic"], of["decided"]), ""),
        **intervals.spread("one_order", statistics.share(of["drawn_cyclic"], of["drawn"])),
        "by_position": of["by_position"].sum() / drawn if drawn else np.nan,
        "probable": int(of["probable"].sum()),
        **intervals.spread("weak", statistics.share(of["weak"], of["probable"])),
        **intervals.spread("strong", statistics.share(of["strong"], of["probable"])),
    }
