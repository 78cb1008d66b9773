"""Curves: how separability depends on the number of texts, of pairs, and on the temperature the
texts were sampled at.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import Annotated

import numpy as np
import pandas as pd

from ...frames import get_schema
from ...rendering import declare_rows
from ...statistics import correlation, intervals
from ...store import Store
from ..judgements.population import code_families
from ..judgements.selection import Selection, add_families
from .columns import CURVES, TEMPERATURES
from .compute import RAW, separabilities
from .settings import Settings

CurveRows = Annotated[pd.DataFrame, declare_rows(CURVES)]
TemperatureRows = Annotated[pd.DataFrame, declare_rows(TEMPERATURES)]

FEW = (1, 2, 3, 5, 8, 12, 18)
"""The numbers of cross pairs that are tried, and all."""


def compare_sizes(store: Store, selection: Selection, how: Settings) -> CurveRows:
    """Mean separability against K and C (Ghosh et al. 2024, figure 5), from stored similarities.

    The columns are CURVES, the mean being over items and pairs of systems. Each point is of the
    first K texts, or of C pairs drawn among all, on the scale of all of them, so that the points of
    a curve can be compared.
    """
    full = _separability(store, selection, replace(how, cross=None))
    texts = int(full[["samples_1", "samples_2"]].to_numpy().max(initial=0))
    most = int((full["samples_1"] * full["samples_2"]).max()) if len(full) else 0
    scale = _scale(full)
    settings = [("samples", k, replace(how, samples=k, cross=None)) for k in range(2, texts)]
    settings += [("cross", c, replace(how, cross=c)) for c in FEW if c < most]
    rows = []
    for of, value, less in settings:
        found = _separability(store, selection, replace(less, normalise="none", over="systems"))
        rows.append((of, value, *_point(full, found, scale)))
    for of, value in (("samples", texts), ("cross", most)):
        if any(row[0] == of for row in rows):
            rows.append((of, value, *_point(full, full, None)))
    return get_schema(CurveRows).make(rows).sort_values(["of", "value"], ascending=[False, True])


def compare_temperatures(store: Store, selection: Selection, how: Settings) -> TemperatureRows:
    """Compute mean separability by the temperature of two models, where one or both were sampled at
    several.

    The columns are TEMPERATURES. If both were, pairs with equal temperature are compared; if one
    was, each of its temperatures with the other model. Systems with the same `base` are one model;
    the two of a pair are of different ones. If the selection names systems, all systems with their
    bases are included.
    """
    systems = store.datasets.decodings(selection.dataset).dropna(subset="temperature")
    systems = systems[systems["base"] != ""].set_index("system")
    several = systems.groupby("base")["temperature"].nunique()
    varied = set(several[several > 1].index)
    if not varied:
        return get_schema(TemperatureRows).make()
    every = _separability(store, replace(selection, systems=()), how)
    base = {**{name: name for name in store.datasets.systems(selection.dataset)}, **systems["base"]}
    asked = {base[name] for name in selection.systems} or set(base.values())
    rows = []
    for one, two in combinations(
        [name for name in dict.fromkeys(base.values()) if name in asked], 2
    ):
        if not varied & {one, two}:
            continue
        ones, twos = every["system_1"].map(base), every["system_2"].map(base)
        between = every[((ones == one) & (twos == two)) | ((ones == two) & (twos == one))]
        sides = [between[f"system_{n}"].map(systems["temperature"]) for n in (1, 2)]
        if {one, two} <= varied:
            between = between.assign(temperature=sides[0])[sides[0] == sides[1]]
        else:
            first = between["system_1"].map(base).isin(varied)
            between = between.assign(temperature=sides[0].where(first, sides[1]))
        for temperature, of in between.groupby("temperature"):
            rows.append((one, two, temperature, *_mean(of)))
    return get_schema(TemperatureRows).make(rows)


def _separability(store: Store, selection: Selection, how: Settings) -> pd.DataFrame:
    return add_families(
        store, selection, separabilities(store, selection, replace(how, resamples=0))
    )


def _scale(full: pd.DataFrame) -> pd.Series:
    """(system_1, system_2) -> what the raw alignments of a pair were divided by; NaN where they had
    no scale.
    """
    pairs = ["system_1", "system_2"]
    ends = {
        name: full[columns].max(axis=1).groupby([full[pair] for pair in pairs]).max()
        - full[columns].min(axis=1).groupby([full[pair] for pair in pairs]).min()
        for name, columns in (("raw", list(RAW[:3])), ("own", ["self_1", "self_2", "cross"]))
    }
    return ends["raw"] / ends["own"].replace(0, np.nan)


def _point(
    full: pd.DataFrame, found: pd.DataFrame, scale: pd.Series | None
) -> tuple[float, float, float, int, float]:
    keys = ["system_1", "system_2"]
    if scale is not None:
        by = found[keys].merge(scale.rename("scale").reset_index(), on=keys, how="left")["scale"]
        found = found.assign(separability=found["raw_separability"].to_numpy() / by.to_numpy())
    both = full[["item", *keys, "separability"]].merge(
        found[["item", *keys, "separability"]], on=["item", *keys]
    )
    ranks = correlation.correlations(
        both["separability_x"].to_numpy(float), both["separability_y"].to_numpy(float)
    )
    return *_mean(found), ranks.spearman


def _mean(measured: pd.DataFrame) -> tuple[float, float, float, int]:
    return intervals.mean(measured["separability"].to_numpy(float), code_families(measured))
