"""Compute how close a judge's probabilities are to people's, before and after each calibration."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from ...labels import describe_left_out
from ...rendering import list_names
from ...settings import sign_settings
from ...statistics import calibration as estimates
from ...statistics import intervals
from ...store import Store
from ..judgements import (
    JUDGED,
    Finding,
    Selection,
    calibrating,
    choose_truth,
    code_families,
    fill_sides,
    pooling_notes,
    select_answered,
    selection_notes,
    warn_of_unusable,
    write_signature,
)
from .columns import BINS, COLUMNS
from .sentences import describe_calibration
from .settings import AS_GIVEN, CalibrateSettings

BIASED = (
    "The calibration error is biased upwards and has no interval: chance alone makes "
    "error_by_chance, beside it."
)
CROSS_FITTED = (
    "Each calibrated probability is by a map fitted on other items. Slope and shift use all items."
)


def calibration(store: Store, selection: Selection, settings: CalibrateSettings) -> Finding:
    """Compare each judge's probabilities with people's votes on the same pairs of texts, one row
    for each judge, attribute and map (AS_GIVEN, and cross-fitted by item). If no judge is named,
    these are all models and baselines. The columns are declared in
    `core.findings.calibration.columns`.

    Table `bins`: the reliability diagram. Facts: `sentences`.

    Raises:
        TandemError: there are no probabilities, or too few votes.
    """
    if not (selection.judges or selection.provenance.by_run):
        selection, _ = fill_sides(store, selection)
    usual = choose_truth(store, selection.dataset).value
    settings = replace(settings, against=settings.against or usual)
    frame, unanswered = select_answered(store, selection)
    rows = calibrating.add_vote_shares(store, selection, frame, settings.against)
    calibrating.check_votes(rows)
    voted = rows[rows["votes"] > 0].reset_index(drop=True)
    found, bins = [], []
    for (judge, attribute), mine in voted.groupby(JUDGED, sort=False):
        about = {"judge": judge, "attribute": attribute}
        for name, prob in fit_each_map(mine, settings, selection.seed):
            found.append(
                {**about, "map": name, **measure_map(mine, prob, name, settings, selection.seed)}
            )
            bins += [{**about, "map": name, **one} for one in _bins(mine, prob, settings.bins)]
    table = pd.DataFrame(found, columns=list_names(COLUMNS))
    table["p"] = intervals.holm(table["p"].to_numpy(float))
    left = len(frame) - len(voted)
    caution = warn_of_unusable(frame, "only its probabilities, not its verdicts, are compared")
    notes = [*caution.cautions, *pooling_notes(frame), *selection_notes(store, selection)]
    notes += [BIASED, CROSS_FITTED]
    if left:
        notes.append(f"{describe_left_out(left, 'answer')}: no probability, or nobody voted.")
    signed = write_signature(
        "calibrate",
        **selection.signature_values(),
        **sign_settings(settings, "bootstrap"),
        folds=calibrating.FOLDS,
        boot=settings.bootstrap,
        seed=selection.seed,
    )
    return Finding(
        table,
        signed,
        len(voted),
        unanswered,
        notes,
        {
            "sentences": [*caution.cautions, *describe_calibration(table, settings.against)],
            "against": settings.against,
            **caution._asdict(),
        },
        {"bins": pd.DataFrame(bins, columns=list_names(BINS))},
        columns=COLUMNS,
        table_columns={"bins": BINS},
        picture="calibration",
    )


def fit_each_map(
    mine: pd.DataFrame, settings: CalibrateSettings, seed: int
) -> Iterator[tuple[str, Any]]:
    """Yield each map's name with the probabilities (m,) of one judge by it, cross-fitted."""
    for name in settings.all_maps:
        as_given = name == AS_GIVEN
        yield (
            name,
            mine["prob_a"].to_numpy(float) if as_given else calibrating.cross_fit(mine, name, seed),
        )


def measure_map(
    mine: pd.DataFrame, prob: Any, name: str, settings: CalibrateSettings, seed: int
) -> dict[str, Any]:
    """The figures of a map of one judge, as COLUMNS; `p` is not yet adjusted."""
    share, items = mine["share"].to_numpy(float), code_families(mine)
    given = mine["prob_a"].to_numpy(float)
    parts = estimates.brier(prob, share, bins=settings.bins)
    error = estimates.expected_error(prob, share, bins=settings.bins)
    by_chance = estimates.draw_errors_by_chance(
        prob, share, pd.factorize(mine["pair"])[0], mine["turned"].to_numpy(bool), items,
        rng=np.random.default_rng(seed), bins=settings.bins, draws=settings.bootstrap,
    )  # fmt: skip
    if name == AS_GIVEN:
        p = (1 + (by_chance >= error).sum()) / (1 + len(by_chance))
    else:
        closer = (given - share) ** 2 - (prob - share) ** 2
        p = intervals.score_test_half(0.5 + closer / 2, items) / 2
        p = p if closer.mean() > 0 else 1 - p
    return {
        "answers": len(mine),
        "pairs": mine["pair"].nunique(),
        "items": int(items.max()) + 1,
        "calibration_error": error,
        "error_by_chance": float(by_chance.mean()),
        **intervals.spread("brier", intervals.share((prob - share) ** 2, items)),
        **{name: value for name, value in parts._asdict().items() if name != "score"},
        "p": p,
        **_describe_map(name, given, share, items),
    }


def _describe_map(name: str, prob: Any, share: Any, items: Any) -> dict[str, Any]:
    """Slope and shift of the map of all items."""
    whole = None if name == AS_GIVEN else estimates.METHODS[name](prob, share, None)
    if not isinstance(whole, estimates.Logistic):
        return {"slope": np.nan, "slope_low": np.nan, "slope_high": np.nan, "shift": np.nan}
    shifted = name == calibrating.WITH_POSITION
    ends = estimates.slope_interval(whole, prob, share, items, shifted=shifted)
    return {**intervals.spread("slope", (whole.slope, *ends)), "shift": whole.shift}


def _bins(mine: pd.DataFrame, prob: Any, bins: int) -> Iterator[dict[str, Any]]:
    place, items = estimates.bin_of(prob, bins), code_families(mine)
    for number in np.unique(place):
        inside = place == number
        share = intervals.share(mine["share"].to_numpy(float)[inside], items[inside])
        yield {
            "low": number / bins,
            "high": (number + 1) / bins,
            "answers": int(inside.sum()),
            "mean_prob": float(prob[inside].mean()),
            **intervals.spread("share", share),
        }
