"""Figures of a judge that need no votes, and how they go with accuracy over the judges."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np
import pandas as pd

from ...frames import Schema
from ...statistics import (
    CONTRADICTS,
    SHARED,
    Floats,
    correlation,
    intervals,
    position_bias,
    tabulate_verdicts,
)
from ..judgements import count_verdicts, debiasing
from .columns import UNLABELLED

FEWEST = 4  # judges: three are in one order, or in its reverse, by chance in a third of studies
MeasuredRows = Annotated[pd.DataFrame, Schema({str: "judge family", float: "value"})]
ABOUT = ["judge", "family", "value"]


def list_measures(frame: pd.DataFrame) -> dict[str, MeasuredRows]:
    """List what the means of UNLABELLED are of, by judge and family, from answered judgements in a
    known order about one attribute: `fairness` has preferences for the first text.
    """
    pairs = debiasing.add_pairs(frame)
    prob = frame["prob_a"].fillna(frame["points"])
    return {
        "fairness": frame.assign(value=prob)[ABOUT],
        "consistent": _compare_orders(pairs),
        "repeats": _compare_trials(frame),
        "peers": _compare_judges(frame),
    }


def _compare_orders(pairs: pd.DataFrame) -> MeasuredRows:
    code = pairs.groupby(debiasing.PAIR, sort=False).ngroup().to_numpy().astype(np.int64)
    same = position_bias.compare_orders(
        code, pairs["reverse"].to_numpy(bool), pairs["points"].to_numpy(float)
    ).same
    heads = pairs.iloc[np.unique(code, return_index=True)[1]]
    return heads.assign(value=same)[ABOUT].dropna(subset="value")


def _compare_trials(frame: pd.DataFrame) -> MeasuredRows:
    """The share of every two answers to a comparison that are alike, of those with several."""
    asked = ["judge", "family", "generation_a", "generation_b"]
    counts = frame.groupby([*asked, "points"]).size().rename("n").reset_index()
    counts["alike"] = counts["n"] * (counts["n"] - 1)
    rows = counts.groupby(asked)[["n", "alike"]].sum().reset_index()
    rows = rows[rows["n"] > 1]
    found: pd.DataFrame = rows.assign(value=rows["alike"] / (rows["n"] * (rows["n"] - 1)))
    return found[ABOUT]


def _compare_judges(frame: pd.DataFrame) -> MeasuredRows:
    """The share of the other judges with a verdict that have the same; who contradicts itself has
    none, so it agrees with nobody and is no other.
    """
    said = count_verdicts(frame)
    unit, verdict = said["unit"].to_numpy(), said["verdict"].to_numpy()
    counts = tabulate_verdicts(unit, verdict, int(unit.max(initial=-1)) + 1)[unit]
    others = counts[:, :SHARED].sum(axis=1) - (verdict != CONTRADICTS)
    same = np.where(verdict == CONTRADICTS, 0, counts[np.arange(len(unit)), verdict] - 1)
    value = np.where(others > 0, same / np.maximum(others, 1), np.nan)
    rows: pd.DataFrame = said.assign(value=value)[ABOUT]
    return rows.dropna(subset="value")


def measure_unlabelled(measures: Mapping[str, MeasuredRows]) -> pd.DataFrame:
    """Compute the figures of UNLABELLED with their intervals, a row for each judge (the index)."""
    found = []
    for name, rows in measures.items():
        for judge, of in rows.groupby("judge", sort=False):
            values, family = of["value"].to_numpy(float), pd.factorize(of["family"])[0]
            ends = intervals.share(values, family.astype(np.int64))[:3]
            ends = position_bias.fairness(*ends) if name == "fairness" else ends
            found.append({"judge": judge, **intervals.spread(name, ends)})
    rows = pd.DataFrame(found).groupby("judge", sort=False).first()
    return rows.reindex(columns=[name for column in UNLABELLED for name in column.names])


def correlate_with_accuracy(
    measures: Mapping[str, MeasuredRows], right: MeasuredRows, *, bootstrap: int, seed: int
) -> list[dict[str, Any]]:
    """Correlate each figure without labels with accuracy over the judges (Spearman), with an
    interval over resamples of the items' families; which judge is best by it, and what accuracy
    that loses. No row for fewer than FEWEST judges with both.
    """
    families = pd.Index(pd.unique(right["family"]))
    rng = np.random.default_rng(seed)
    counts = np.vstack(
        [np.ones(len(families)), intervals.resample_counts(len(families), bootstrap, rng)]
    )
    judges = pd.Index(pd.unique(right["judge"]))
    truth = _weigh(right, judges, families, counts)
    found = []
    for name, rows in measures.items():
        values = _weigh(rows, judges, families, counts)
        values = 1 - 2 * np.abs(values - 0.5) if name == "fairness" else values
        known = ~np.isnan(values[0] + truth[0])
        if known.sum() < FEWEST or np.ptp(values[0, known]) < intervals.NOTHING:
            continue
        x, y = values[:, known], truth[:, known]
        rho = np.array([correlation.spearman(a, b) for a, b in zip(x, y, strict=True)])
        low, high = intervals.percentiles(rho[1:], groups=len(families))
        best = int(np.argmax(x[0]))
        spread = intervals.spread("spearman", (float(rho[0]), float(low), float(high)), "")
        about = {"figure": name, "judges": int(known.sum()), **spread}
        lost = float(y[0].max() - y[0, best])
        found.append({**about, "best": judges[known][best], "lost": lost})
    return found


def _weigh(rows: pd.DataFrame, judges: pd.Index, families: pd.Index, counts: Floats) -> Floats:
    """The mean values (B, judges) with each family as often as in `counts` (B, families)."""
    rows = rows[rows["family"].isin(families) & rows["judge"].isin(judges)]
    sides = ((families, "family"), (judges, "judge"))
    place = tuple(names.get_indexer(pd.Index(rows[name])) for names, name in sides)
    total, number = np.zeros((2, len(families), len(judges)))
    np.add.at(total, place, rows["value"].to_numpy(float))
    np.add.at(number, place, 1.0)
    size: Floats = counts @ number
    nothing = np.full(size.shape, np.nan)
    return np.asarray(np.divide(counts @ total, size, out=nothing, where=size > 0))
