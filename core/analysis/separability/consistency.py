"""Whether a preference between two systems holds over their generations on an item, and how that
goes with separability.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

from core.analysis.judgements import Result, Selection, judged, oriented, records, signature
from core.analysis.separability.per_item import Settings, separabilities
from core.records import Kind, TandemError, setting
from core.statistics import correlation, intervals
from core.statistics import separability as statistics
from core.store import Store

BINNINGS = ("width", "quantile")
SET = ["judge", "attribute", "item", "system_a", "system_b"]
FIGURES = ("sets", "mean_consistency", "share_inconsistent", "share_perfect")
STRENGTHS = ("mean_strength", "mean_absolute_strength")
OF_KINDS = ("low", "high", "kind", "judges", "sets", "mean_consistency", "consistency_low",
    "consistency_high",
            "share_inconsistent", "share_perfect", "mean_strength")  # fmt: skip
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
    many rating sets each.
    """

    by: Settings
    bins: int = 5
    binning: str = "width"

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


def consistency(store: Store, selection: Selection, binning: Binning | None = None) -> Result:
    """Rating consistency (Ghosh et al. 2024, eq. 4) and preference strength (eq. 7): one row per
    rating set.

    item, judge, attribute, system_a, system_b, n, consistency, strength (positive where `system_a`
    is preferred), separability. Facts: over all sets `sets`, `mean_consistency`,
    `share_inconsistent` (0), `share_perfect` (1), `mean_strength`; with `binning` the same figures
    per bin, `mean_absolute_strength` of the preference either way, and `spearman`, the rank
    correlation over items and pairs of systems of separability with mean consistency.
    """
    frame, unanswered = judged(store, selection)
    sets = rating_sets(frame)
    notes, facts = [], {**_figures(sets), "mean_strength": sets["strength"].mean()}
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
        sets = _with_separability(store, selection, sets, binning.by)
        unknown = int(sets["separability"].isna().sum())
        if unknown:
            notes.append(f"{unknown:,} rating sets have no separability and are in no bin.")
        facts |= {"bins": records(_bins(sets, binning)), **_correlation(sets)}
    how = binning and binning.by
    return Result(
        sets[list(ROWS)],
        signature(
            "consistency",
            **selection.signed(Kind.HUMAN),
            by=how and how.key,
            **(how.signed() if how else {}),
            bins=binning and f"{binning.bins} by {binning.binning}",
        ),
        used,
        unanswered,
        notes,
        facts,
    )


def _figures(sets: pd.DataFrame) -> dict[str, Any]:
    c = sets["consistency"]
    values = (len(sets), c.mean(), (c == 0).mean(), (c == 1).mean())
    return dict(zip(FIGURES, values, strict=True))


def _strength(sets: pd.DataFrame) -> dict[str, Any]:
    """Mean preference strength, with its sign and without (Ghosh et al. 2024, figures 11, 12)."""
    strength = sets["strength"]
    return dict(zip(STRENGTHS, (strength.mean(), strength.abs().mean()), strict=True))


def _with_separability(
    store: Store, selection: Selection, sets: pd.DataFrame, how: Settings
) -> pd.DataFrame:
    found = separabilities(store, selection, replace(how, resamples=0))
    keys = {"system_1": "system_a", "system_2": "system_b"}
    found = found.rename(columns=keys)[["item", *keys.values(), "separability"]]
    return sets.merge(found, on=["item", *keys.values()], how="left")


def _bins(sets: pd.DataFrame, binning: Binning) -> pd.DataFrame:
    edges, member = statistics.binned(
        sets["separability"].to_numpy(float), bins=binning.bins, binning=binning.binning
    )
    rows = []
    for index, (low, high) in enumerate(pairwise(edges)):
        inside = sets[member == index]
        rows.append({"low": low, "high": high, **_figures(inside), **_strength(inside)})
    return pd.DataFrame(rows, columns=["low", "high", *FIGURES, *STRENGTHS])


def _correlation(sets: pd.DataFrame) -> dict[str, Any]:
    of_item = sets.groupby(["item", "system_a", "system_b"])[["separability", "consistency"]].mean()
    found = correlation.correlations(
        of_item["separability"].to_numpy(float), of_item["consistency"].to_numpy(float)
    )
    return {"spearman": found.spearman, "items": found.n}


def of_kinds(store: Store, sets: pd.DataFrame, binning: Binning) -> pd.DataFrame:
    """Consistency by bin of separability and kind of judge (Ghosh et al. 2024, figures 6 to 8), of
    the rows of `consistency`.

    low, high (of the bin, the same for every kind), kind, judges, sets, mean_consistency with its
    interval consistency_low to consistency_high over items, share_inconsistent (0), share_perfect
    (1), mean_strength (of the preference, either way).
    """
    sets = sets.dropna(subset="separability")
    kinds = store.judges.all().set_index("judge")["kind"]
    edges, member = statistics.binned(
        sets["separability"].to_numpy(float), bins=binning.bins, binning=binning.binning
    )
    rows = []
    for of_bin in range(len(edges) - 1):
        inside = sets[member == of_bin]
        for kind, of in inside.groupby(inside["judge"].map(kinds)):
            c = of["consistency"].to_numpy(float)
            mean, low, high, n = intervals.mean(c, pd.factorize(of["item"])[0])
            ends = np.clip([low, high], 0, 1)
            shares = (c == 0).mean(), (c == 1).mean(), of["strength"].abs().mean()
            rows.append(
                (*edges[of_bin : of_bin + 2], kind, of["judge"].nunique(), n, mean, *ends, *shares)
            )
    return pd.DataFrame(rows, columns=list(OF_KINDS))
