"""Measure whether preferences between two systems are consistent over their generations on an item,
how that depends on separability, and how well it can be predicted.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Annotated, Any

import numpy as np
import pandas as pd

from ...frames import Schema, get_schema
from ...records import Kind
from ...rendering import declare_rows, list_names
from ...statistics import Codes, Floats, correlation, intervals
from ...statistics import reliability as reliable
from ...statistics import separability as statistics
from ...store import Store
from ..judgements.answers import select_answered
from ..judgements.finding import Finding, list_records
from ..judgements.population import code_families
from ..judgements.selection import Selection, selection_notes, write_signature
from ..judgements.verdicts import orient
from .columns import (
    ABSOLUTE,
    AGAINST,
    BINS,
    CONSISTENCY,
    INCONSISTENT,
    KINDS_OF_BINS,
    PERFECT,
    PREDICTION,
    SETS,
)
from .compute import separabilities
from .settings import Binning

RESAMPLES = 200
CELL = ["item", "system_a", "system_b"]


def predict(sets: pd.DataFrame, *, seed: int, beside: str = "") -> dict[str, Any]:
    """Predict the `consistency` of rating sets from their `subset` and `separability`: PREDICTION
    over `items` (items and pairs of systems) and `pairs` (two systems on one subset), with `judges`
    a cell on average; with the separability by another metric in the column `beside` also AGAINST.
    """
    known = sets.dropna(subset=["separability", *([beside] if beside else [])])
    if known.empty:
        return dict.fromkeys(
            ["items", "pairs", "judges", *list_names([*PREDICTION, *(AGAINST if beside else ())])]
        )
    cell, first = _code_rows(known[CELL])
    heads = known.iloc[first]
    # Rounded, so that equal means are equal however they were summed up.
    means = known["consistency"].groupby(cell).mean().to_numpy(float).round(9)
    pair, _ = _code_rows(heads[["system_a", "system_b", "subset"]].fillna(""))
    item = pd.factorize(heads["item"])[0]
    family = code_families(heads)
    size = int(family.max()) + 1
    drawn = intervals.resample_counts(size, RESAMPLES, np.random.default_rng(seed))
    counts = drawn[:, code_families(heads.drop_duplicates("item"))]
    found = _ceilings(known["consistency"].to_numpy(float), cell, pair, counts[:, item])
    by = {
        name: _correlate(heads[name].to_numpy(float), means, pair, counts[:, item])
        for name in ("separability", *([beside] if beside else []))
    }
    found |= by["separability"]
    if beside:
        other, own = by[beside], by["separability"]
        found["spearman_beside"] = other["spearman"]
        for name, of in (("difference", "spearman"), ("difference_within", "spearman_within")):
            found[name] = (own[of][0] - other[of][0], own[of][1] - other[of][1])
    figures: dict[str, Any] = {"items": len(heads), "pairs": int(pair.max()) + 1}
    figures["judges"] = len(known) / len(heads)
    for name, (value, drawn) in found.items():
        low, high = map(float, intervals.percentiles(drawn, groups=size))
        figures |= {name: float(value), f"{name}_low": low, f"{name}_high": high}
    return figures


def _code_rows(frame: pd.DataFrame) -> tuple[Codes, Codes]:
    code = np.asarray(frame.groupby(list(frame), sort=False).ngroup(), dtype=np.int64)
    return code, np.asarray(np.unique(code, return_index=True)[1], dtype=np.int64)


def _correlate(
    x: Floats, y: Floats, pair: Codes, counts: Floats
) -> dict[str, tuple[float, Floats]]:
    """spearman and spearman_within pairs of systems of values (cells,), each with what it is on
    resamples (B, cells).
    """
    found = []
    for times in (np.ones(len(x)), *counts):
        rows = np.repeat(np.arange(len(x)), times.astype(np.int64))
        within = correlation.correlate_by_item(pair[rows], x[rows], y[rows]).spearman
        found.append((correlation.spearman(x[rows], y[rows]), within))
    whole, columns = found[0], np.array(found[1:]).T
    return dict(zip(("spearman", "spearman_within"), zip(whole, columns, strict=True), strict=True))


def _ceilings(
    values: Floats, cell: Codes, pair: Codes, counts: Floats
) -> dict[str, tuple[float, Floats]]:
    """ceiling and ceiling_within, each with what it is on resamples (B, cells)."""
    found = {}
    for name, group in (("ceiling", None), ("ceiling_within", pair)):
        whole, drawn = (
            reliable.ceiling(reliable.reliability(values, cell, group=group, weights=weights))
            for weights in (None, counts)
        )
        found[name] = (float(whole), drawn)
    return found


RatingSets = Annotated[
    pd.DataFrame,
    Schema(
        {
            str: "judge attribute item family system_a system_b",
            int: "n judgements",
            float: "consistency strength",
        }
    ),
]
BinRows = Annotated[pd.DataFrame, declare_rows(BINS)]
KindRows = Annotated[pd.DataFrame, declare_rows(KINDS_OF_BINS)]

SET = ["judge", "attribute", "item", "family", "system_a", "system_b"]


def collect_rating_sets(frame: pd.DataFrame) -> RatingSets:
    """Rating sets (docs/statistics/separability.md, "Rating set") of answered judgements, as
    `selection.judged` gives them.

    judge, attribute, item, family, system_a, system_b (in name order), n (answered pairs of
    generations, 2 or more), consistency, strength (positive where `system_a` is preferred),
    judgements. A pair of generations has one verdict over both orders and all trials.
    """
    ordered = orient(frame)
    ordered = ordered.assign(system_a=ordered["system_1"], system_b=ordered["system_2"])
    of_pair = ordered.groupby([*SET, "candidate_1", "candidate_2"], sort=False)["points_1"]
    verdicts = of_pair.agg(["mean", "size"])
    several = verdicts[verdicts.groupby(SET, sort=False)["size"].transform("size") > 1]
    sets = []
    for of, one in several.groupby(SET, sort=False):
        ratings = np.sign(one["mean"].to_numpy(float) - 0.5)
        figures = statistics.consistency(ratings), statistics.strength(ratings)
        sets.append((*of, len(ratings), *figures, int(one["size"].sum())))
    return get_schema(RatingSets).read(
        pd.DataFrame(sets, columns=[*SET, "n", "consistency", "strength", "judgements"])
    )


def consistency(store: Store, selection: Selection, binning: Binning | None = None) -> Finding:
    """Rating consistency (Ghosh et al. 2024, eq. 4) and preference strength (eq. 7): one row per
    rating set.

    The columns (SETS) are declared in `core.findings.separability.columns`. Facts: FIGURES over all
    sets; with `binning` the same in `bins`, and those of `prediction.predict`.
    """
    if binning:
        binning = binning.fill_metrics(store, selection.dataset)
    frame, unanswered = select_answered(store, selection)
    sets = collect_rating_sets(frame)
    notes, facts = selection_notes(store, selection), dict(_compute_figures(sets))
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
        sets = _add_separability(store, selection, sets, binning)
        unknown = int(sets["separability"].isna().sum())
        if unknown:
            notes.append(f"{unknown:,} rating sets have no separability and are in no bin.")
        edges, member = statistics.bin_values(
            sets["separability"].to_numpy(float), bins=binning.bins, binning=binning.binning
        )
        rows = [
            {"low": low, "high": high, **_compute_figures(sets[member == index])}
            for index, (low, high) in enumerate(pairwise(edges))
        ]
        facts |= {"bins": list_records(get_schema(BinRows).make(rows))}
        facts |= predict(sets, seed=selection.seed, beside="beside" if binning.beside else "")
    how = binning and binning.by
    return Finding(
        sets[list_names(SETS)],
        write_signature(
            "consistency",
            **selection.signature_values(Kind.HUMAN),
            by=how and how.key,
            **(how.signature_values() if how else {}),
            bins=binning and f"{binning.bins} by {binning.binning}",
            beside=binning and binning.beside,
            boot=binning and RESAMPLES,
            seed=binning and selection.seed,
        ),
        used,
        unanswered,
        notes,
        facts,
        columns=SETS,
        picture="consistency",
    )


def _compute_figures(sets: pd.DataFrame) -> dict[str, Any]:
    c, strength = sets["consistency"].to_numpy(float), sets["strength"].to_numpy(float)
    item = code_families(sets)
    shares = {
        CONSISTENCY: c,
        INCONSISTENT: (c == 0).astype(float),
        PERFECT: (c == 1).astype(float),
        ABSOLUTE: np.abs(strength),
    }
    figures: dict[str, Any] = {"sets": len(sets)}
    for column, values in shares.items():
        figures |= intervals.spread(column.name, intervals.share(values, item))
    # From -1 to 1 (Ghosh et al. 2024, figures 11, 12): a share, drawn out.
    ends = intervals.share((strength + 1) / 2, item)[:3]
    figures |= intervals.spread("mean_strength", [2 * end - 1 for end in ends])
    return figures


def _add_separability(
    store: Store, selection: Selection, sets: pd.DataFrame, binning: Binning
) -> pd.DataFrame:
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


def compare_kinds(store: Store, sets: pd.DataFrame, binning: Binning) -> KindRows:
    """Consistency by bin of separability and kind of judge (Ghosh et al. 2024, figures 6 to 8), of
    the rows of `consistency`.

    The columns are KINDS_OF_BINS; the bins are the same for every kind.
    """
    sets = sets.dropna(subset="separability")
    kinds = store.judges.load_all().set_index("judge")["kind"]
    edges, member = statistics.bin_values(
        sets["separability"].to_numpy(float), bins=binning.bins, binning=binning.binning
    )
    rows = []
    for of_bin, (low, high) in enumerate(pairwise(edges)):
        inside = sets[member == of_bin]
        for kind, of in inside.groupby(inside["judge"].map(kinds)):
            about = {"low": low, "high": high, "kind": kind, "judges": of["judge"].nunique()}
            rows.append({**about, **_compute_figures(of)})
    return get_schema(KindRows).make(rows)
