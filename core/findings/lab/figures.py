"""Figures of a judge: those that need no votes and how they go with accuracy over the judges, those
that hold it against people, gold labels or scores, and those of answers that have something in
common.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Annotated, Any

import numpy as np
import pandas as pd

from ...frames import Schema, get_schema
from ...records import Kind
from ...rendering import declare_rows
from ...statistics import (
    CONTRADICTS,
    FIRST,
    NEITHER,
    SECOND,
    SHARED,
    Floats,
    calibration,
    correlation,
    intervals,
    measure_system_bias,
    position_bias,
)
from ...statistics import agreement as agreeing
from ...store import Store
from ..correlation import Reference, correlate_values, rate_by_wins
from ..judgements import calibrating, debiasing, minimum
from ..judgements.population import code_families
from ..judgements.selection import Selection
from ..judgements.verdicts import PAIR, count_by_unit, count_verdicts, measure_lengths
from ..separability.applications import cut_bins
from .settings import BY, UNLABELLED, LabSettings

FEWEST = 4  # judges: three are in one order, or in its reverse, by chance in a third of studies
MeasuredRows = Annotated[pd.DataFrame, Schema({str: "judge family", float: "value"})]
ABOUT = ["judge", "family", "value"]


def list_measures(frame: pd.DataFrame) -> dict[str, MeasuredRows]:
    """List what the means of UNLABELLED are of, by judge and family, from answered judgements in a
    known order about one attribute: `fairness` has preferences for the first text.
    """
    pairs = debiasing.add_pairs(frame)
    prob = frame["prob_a"].fillna(frame["points"])
    code = pairs.groupby(debiasing.PAIR, sort=False).ngroup().to_numpy().astype(np.int64)
    points, reverse = pairs["points"].to_numpy(float), pairs["reverse"].to_numpy(bool)
    same = position_bias.compare_orders(code, reverse, points).same
    heads = pairs.iloc[np.unique(code, return_index=True)[1]]
    return {
        "fairness": frame.assign(value=prob)[ABOUT],
        "consistent": heads.assign(value=same)[ABOUT].dropna(subset="value"),
        "repeats": _compare_trials(frame),
        "peers": _compare_judges(frame),
    }


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
    counts, verdict = count_by_unit(said)[said["unit"].to_numpy()], said["verdict"].to_numpy()
    others = counts[:, :SHARED].sum(axis=1) - (verdict != CONTRADICTS)
    same = np.where(verdict == CONTRADICTS, 0, counts[np.arange(len(said)), verdict] - 1)
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
    rows = rows[rows["family"].isin(families) & rows["judge"].isin(judges)]
    sides = ((families, "family"), (judges, "judge"))
    place = tuple(names.get_indexer(pd.Index(rows[name])) for names, name in sides)
    total, number = np.zeros((2, len(families), len(judges)))
    np.add.at(total, place, rows["value"].to_numpy(float))
    np.add.at(number, place, 1.0)
    size: Floats = counts @ number
    nothing = np.full(size.shape, np.nan)
    return np.asarray(np.divide(counts @ total, size, out=nothing, where=size > 0))


FEWEST_SYSTEMS = 3


def measure_kappa(rows: pd.DataFrame) -> dict[str, float]:
    """Compute the agreement of one judge's verdicts with the truth beyond chance (Cohen's kappa)
    from its scored rows, over the items' families.
    """
    told = rows.dropna(subset="truth").drop_duplicates(PAIR).set_index(PAIR)["truth"]
    said = count_verdicts(rows.dropna(subset="truth"))
    truth = told.reindex(pd.MultiIndex.from_frame(said[PAIR])).to_numpy(float)
    better = np.select([truth > 0.5, truth < 0.5], [FIRST, SECOND], NEITHER)
    nothing = np.zeros(len(said), dtype=np.int64)
    found = agreeing.compare(
        nothing, code_families(said), (said["verdict"].to_numpy(), better), n=1
    )
    return intervals.spread("kappa", [float(x[0]) for x in (found.kappa, found.low, found.high)])


def measure_systems(
    rows: pd.DataFrame, settings: LabSettings, seed: int
) -> tuple[dict[str, float], dict[str, float]]:
    """Measure how one judge ranks systems (JuStRank: Gera et al. 2024), from its scored rows: tau,
    decisiveness and the bias for systems; and the bias for each. {} of fewer than FEWEST_SYSTEMS.
    """
    rows = rows.dropna(subset="truth")
    systems = np.unique(rows[["system_1", "system_2"]].astype(str))
    if len(systems) < FEWEST_SYSTEMS:
        return {}, {}
    judged = pd.DataFrame(
        {"item": rows["item"], "system_a": rows["system_1"], "system_b": rows["system_2"],
         "outcome": rows["points_1"]}
    )  # fmt: skip
    sides = [
        rows.assign(generation=rows[f"candidate_{n}"], system=rows[f"system_{n}"], value=value)
        for n, value in ((1, rows["truth"]), (2, 1 - rows["truth"]))
    ]
    keys = ["generation", "item", "family", "system"]
    truth = pd.concat(sides).groupby(keys, sort=False)["value"].mean().reset_index()
    followed = Reference(settings.against, level="system", bootstrap=settings.bootstrap)
    found = correlate_values(truth, rate_by_wins(judged, truth, "system"), followed, seed)
    family = code_families(rows)
    rng = np.random.default_rng(seed)
    drawn = intervals.resample_counts(int(family.max()) + 1, settings.bootstrap, rng)
    first, second = (np.searchsorted(systems, rows[f"system_{n}"].astype(str)) for n in (1, 2))
    points, right = (rows[name].to_numpy(float) for name in ("points_1", "truth"))
    *decisive, bias = measure_system_bias(first, second, points, right, family, drawn)
    figures = {
        **{name: found.figures[name] for name in ("kendall", "kendall_low", "kendall_high")},
        **intervals.spread("decisiveness", decisive),
        "system_bias": float(bias.std()),
    }
    return figures, dict(zip(systems.tolist(), bias.tolist(), strict=True))


def measure_calibration(
    store: Store, selection: Selection, frame: pd.DataFrame, settings: LabSettings
) -> dict[str, dict[str, float]]:
    """Measure the calibration error of each judge with probabilities, and the error that chance
    alone makes; nothing where scores are the reference, or too few people voted.
    """
    usable = frame[frame["prob_a"].notna()]
    if settings.against not in tuple(Kind) or usable.empty:
        return {}
    rows = calibrating.add_vote_shares(store, selection, usable, settings.against)
    rows = rows[rows["votes"] > 0]
    found = {}
    for judge, of in rows.groupby("judge", sort=False):
        if len(of) < minimum.ANSWERS or of["family"].nunique() < minimum.ITEMS:
            continue
        prob, share = of["prob_a"].to_numpy(float), of["share"].to_numpy(float)
        by_chance = calibration.draw_errors_by_chance(
            prob, share, pd.factorize(of["pair"])[0], of["turned"].to_numpy(bool),
            code_families(of), rng=np.random.default_rng(selection.seed), draws=settings.bootstrap,
        )  # fmt: skip
        found[str(judge)] = {
            "calibration_error": calibration.expected_error(prob, share),
            "error_by_chance": float(by_chance.mean()),
        }
    return found


LONGER = (-1.0, -0.5, -0.25, 0.0, 0.25, 0.5, 1.0)
SURE = (0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
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
