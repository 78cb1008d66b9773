"""Figures of a judge that hold it against people, gold labels or scores."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ...records import Kind
from ...statistics import FIRST, NEITHER, SECOND, calibration, intervals, measure_system_bias
from ...statistics import agreement as agreeing
from ...store import Store
from ..correlation import Reference, correlate_values, rate_by_wins
from ..judgements import Selection, calibrating, code_families, count_verdicts, minimum
from ..judgements.verdicts import PAIR
from .settings import LabSettings

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
