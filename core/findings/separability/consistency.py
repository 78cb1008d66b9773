"""Whether a preference between two systems holds over their generations on an item, and how that
goes with separability.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

from core.findings.judgements import (
    Finding,
    Selection,
    exclusion_notes,
    judged,
    oriented,
    records,
    signature,
)
from core.findings.separability import prediction
from core.findings.separability.per_item import Settings, separabilities
from core.records import Kind, TandemError, setting
from core.statistics import intervals
from core.statistics import separability as statistics
from core.store import Store

BINNINGS = ("width", "quantile")
SET = ["judge", "attribute", "item", "system_a", "system_b"]
SHARES = ("mean_consistency", "share_inconsistent", "share_perfect")
STRENGTHS = ("mean_strength", "mean_absolute_strength")  # with its sign, and without
FIGURES = (
    "sets",
    *(f"{name}{end}" for name in (*SHARES, *STRENGTHS) for end in ("", "_low", "_high")),
)
OF_KINDS = ("low", "high", "kind", "judges", *FIGURES)
ROWS = (
    "item",
    "judge",
    "attribute",
    "system_a",
    "system_b",
    "n",
    "consistency",
    "strength",
    "separability",
)


@dataclass(frozen=True)
class Binning:
    """Bins of separability, as measured by `by`: of equal `width` or, by `quantile`, with about as
    many rating sets each. `beside` is another metric, whose prediction of consistency is held
    against that by the first.
    """

    by: Settings
    bins: int = 5
    binning: str = "width"
    beside: str = ""

    def __post_init__(self) -> None:
        if self.binning not in BINNINGS:
            raise TandemError(
                f"unknown {setting('binning')} {self.binning!r}; there are {' and '.join(BINNINGS)}"
            )
        if self.bins < 1:
            raise TandemError(f"{setting('bins')} {self.bins} should be 1 or more")


def rating_sets(frame: pd.DataFrame) -> pd.DataFrame:
    """Rating sets (docs/definitions.md, "Rating set") of answered judgements, as
    `selection.judged` gives them.

    judge, attribute, item, system_a, system_b (in name order), n (answered pairs of generations, 2
    or more), consistency, strength (positive where `system_a` is preferred), judgements. A pair of
    generations has one verdict over both orders and all trials.
    """
    ordered = oriented(frame)
    ordered = ordered.assign(system_a=ordered["system_1"], system_b=ordered["system_2"])
    of_pair = ordered.groupby([*SET, "candidate_1", "candidate_2"], sort=False)["points_1"]
    verdicts = of_pair.agg(["mean", "size"])
    several = verdicts[verdicts.groupby(SET, sort=False)["size"].transform("size") > 1]
    sets = []
    for of, one in several.groupby(SET, sort=False):
        ratings = np.sign(one["mean"].to_numpy(float) - 0.5)
        figures = statistics.consistency(ratings), statistics.strength(ratings)
        sets.append((*of, len(ratings), *figures, int(one["size"].sum())))
    return pd.DataFrame(sets, columns=[*SET, "n", "consistency", "strength", "judgements"])


def consistency(store: Store, selection: Selection, binning: Binning | None = None) -> Finding:
    """Rating consistency (Ghosh et al. 2024, eq. 4) and preference strength (eq. 7): one row per
    rating set.

    item, judge, attribute, system_a, system_b, n, consistency, strength (positive where `system_a`
    is preferred), separability. Facts: over all sets `sets`, `mean_consistency`,
    `share_inconsistent` (0), `share_perfect` (1), `mean_strength` and, of the preference either
    way, `mean_absolute_strength`, each with _low and _high over items; with `binning` the same
    figures per bin, and those of `prediction.predicted`.
    """
    frame, unanswered = judged(store, selection)
    sets = rating_sets(frame)
    notes, facts = exclusion_notes(store, selection), dict(_figures(sets))
    if sets.empty:
        notes.append(
            "No judge has answered two pairs of two systems' generations on one item: sample "
            "several, and judge them."
        )
    used = int(sets["judgements"].sum())
    if binning is None:
        sets["separability"] = np.nan
        facts["bins"] = []
    else:
        sets = _with_separability(store, selection, sets, binning)
        unknown = int(sets["separability"].isna().sum())
        if unknown:
            notes.append(f"{unknown:,} rating sets have no separability and are in no bin.")
        facts |= {"bins": records(_bins(sets, binning))}
        facts |= prediction.predicted(
            sets, seed=selection.seed, beside="beside" if binning.beside else ""
        )
    how = binning and binning.by
    return Finding(
        sets[list(ROWS)],
        signature(
            "consistency",
            **selection.signed(Kind.HUMAN),
            by=how and how.key,
            **(how.signed() if how else {}),
            bins=binning and f"{binning.bins} by {binning.binning}",
            beside=binning and binning.beside,
            boot=binning and prediction.RESAMPLES,
            seed=binning and selection.seed,
        ),
        used,
        unanswered,
        notes,
        facts,
    )


def _figures(sets: pd.DataFrame) -> dict[str, Any]:
    c, strength = sets["consistency"].to_numpy(float), sets["strength"].to_numpy(float)
    item = pd.factorize(sets["item"])[0]
    shares = {
        **dict(zip(SHARES, (c, (c == 0).astype(float), (c == 1).astype(float)), strict=True)),
        "mean_absolute_strength": np.abs(strength),
    }
    figures: dict[str, Any] = {"sets": len(sets)}
    for name, values in shares.items():
        figures |= intervals.spread(name, intervals.share(values, item))
    # From -1 to 1 (Ghosh et al. 2024, figures 11, 12): a share, drawn out.
    ends = intervals.share((strength + 1) / 2, item)[:3]
    figures |= intervals.spread("mean_strength", [2 * end - 1 for end in ends])
    return figures


def _with_separability(
    store: Store, selection: Selection, sets: pd.DataFrame, binning: Binning
) -> pd.DataFrame:
    """With `subset`, `separability`, and that by another metric as `beside`, where it is asked."""
    keys = {"system_1": "system_a", "system_2": "system_b"}
    cell = ["item", *keys.values()]
    found = separabilities(store, selection, replace(binning.by, resamples=0))
    sets = sets.merge(
        found.rename(columns=keys)[[*cell, "subset", "separability"]], on=cell, how="left"
    )
    if not binning.beside:
        return sets
    other = replace(binning.by, metric=binning.beside, encoder="", resamples=0)
    values = separabilities(store, selection, other).rename(
        columns={**keys, "separability": "beside"}
    )
    return sets.merge(values[[*cell, "beside"]], on=cell, how="left")


def _bins(sets: pd.DataFrame, binning: Binning) -> pd.DataFrame:
    edges, member = statistics.binned(
        sets["separability"].to_numpy(float), bins=binning.bins, binning=binning.binning
    )
    rows = [
        {"low": low, "high": high, **_figures(sets[member == index])}
        for index, (low, high) in enumerate(pairwise(edges))
    ]
    return pd.DataFrame(rows, columns=["low", "high", *FIGURES])


def of_kinds(store: Store, sets: pd.DataFrame, binning: Binning) -> pd.DataFrame:
    """Consistency by bin of separability and kind of judge (Ghosh et al. 2024, figures 6 to 8), of
    the rows of `consistency`.

    low, high (of the bin, the same for every kind), kind, judges, and the figures that each bin has
    there.
    """
    sets = sets.dropna(subset="separability")
    kinds = store.judges.all().set_index("judge")["kind"]
    edges, member = statistics.binned(
        sets["separability"].to_numpy(float), bins=binning.bins, binning=binning.binning
    )
    rows = []
    for of_bin, (low, high) in enumerate(pairwise(edges)):
        inside = sets[member == of_bin]
        for kind, of in inside.groupby(inside["judge"].map(kinds)):
            about = {"low": low, "high": high, "kind": kind, "judges": of["judge"].nunique()}
            rows.append({**about, **_figures(of)})
    return pd.DataFrame(rows, columns=list(OF_KINDS))
