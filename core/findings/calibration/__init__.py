"""Calibration: how close a judge's probabilities are to people's, before and after each map."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from ...labels import describe_left_out, pluralize
from ...records import Kind, TandemError, option_ref
from ...rendering import (
    COUNT,
    DECIMAL,
    P_VALUE,
    SHARE,
    SHARE_RATING,
    Column,
    Interval,
    Place,
    Unit,
    list_names,
)
from ...settings import check_choices, declare, list_settings, sign_settings
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
from ..judgements.judges import ATTRIBUTE, JUDGE, declare_estimate

AS_GIVEN = "as given"


@dataclass(frozen=True)
class CalibrateSettings:
    """Settings of calibration: `maps` to fit (() = all), number of `bins` of equal width, whose
    votes are the reference (`against`), and number of draws of what chance makes (`bootstrap`).
    """

    maps: tuple[str, ...] = declare(
        (),
        "from a judge's probability to people's (default: all)",
        choices={name: name for name in estimates.METHODS},
    )
    bins: int = declare(
        estimates.BINS, "bins of equal width", metavar="N", least=1, is_always_signed=True
    )
    against: str = declare(
        "",
        "whose votes probabilities are held against (default: people, else gold, else simulated)",
        choices={
            Kind.HUMAN.value: "people",
            Kind.SIMULATED.value: "simulated annotators",
            Kind.GOLD.value: "the gold labels",
        },
    )
    bootstrap: int = declare(1000, "draws of what chance alone makes", metavar="B")

    def __post_init__(self) -> None:
        check_choices(self)
        if not 2 <= self.bins <= 100:
            raise TandemError(f"{option_ref('bins')} {self.bins} should lie between 2 and 100")
        if self.bootstrap < 2:
            raise TandemError(f"{option_ref('bootstrap')} {self.bootstrap} should be 2 or more")

    @property
    def all_maps(self) -> tuple[str, ...]:
        """Probabilities as they were given, and by each map."""
        return (AS_GIVEN, *(self.maps or tuple(estimates.METHODS)))


ROBUST = Interval(
    "Those of slopes: leaving out items.", "Student's, with the variance of leaving out each item"
)
SCORE = Unit(".3f")
MAP = Column(
    "map", "map", help="`as given`, or by a map, cross-fitted: on items that it has not seen"
)
COLUMNS = (
    JUDGE,
    ATTRIBUTE,
    MAP,
    Column("answers", "answers", COUNT, "With a probability, about pairs people voted on"),
    Column("pairs", "pairs", COUNT, "Of texts", place=Place.FILES),
    Column("items", "items", COUNT),
    Column(
        "calibration_error", "calibration error", SHARE_RATING,
        "Expected: the mean distance between probabilities and votes, over bins of equal width",
    ),
    Column(
        "error_by_chance", "by chance", SHARE_RATING,
        "The error that a calibrated judge would have",
    ),
    declare_estimate(
        "brier", "Brier score", SCORE,
        "`reliability` - `resolution` + `uncertainty` + `within_variance` - `within_covariance`",
    ),
    Column("reliability", "reliability", SCORE, "The distance from the diagonal: 0 is best"),
    Column("resolution", "resolution", SCORE, "How far the votes differ between bins"),
    Column("uncertainty", "uncertainty", SCORE, "How far the votes differ at all"),
    Column("within_variance", "variance within bins", SCORE, place=Place.FILES),
    Column("within_covariance", "covariance within bins", SCORE, place=Place.FILES),
    Column(
        "p", "p", P_VALUE,
        "Tests that the judge is calibrated; a map, that it does not help. Holm over all rows",
    ),
    declare_estimate(
        "slope", "slope", DECIMAL, "How many times as large log-odds should be, by the map of all "
        "items; nothing where a map has none", interval=ROBUST,
    ),
    Column("shift", "shift", DECIMAL, "What that map then adds to log-odds"),
)  # fmt: skip
BINS = (
    JUDGE,
    ATTRIBUTE,
    MAP,
    Column("low", "from", SHARE, "Where the bin begins"),
    Column("high", "to", SHARE, "Where it ends"),
    Column("answers", "answers", COUNT, "In the bin"),
    Column("mean_prob", "says", SHARE, "The judge's mean probability for the first text"),
    declare_estimate("share", "people say", SHARE, "The share of votes for the first text"),
)  # fmt: skip
"""Columns of the reliability diagram."""


STEEP = 1.25  # a slope so far from 1 is worth a word
NOTHING = 0.1  # a slope below which a probability of 99% becomes one between 39% and 61%

MAPS = {
    "temperature": "one temperature",
    "platt": "Platt's slope and shift",
    "isotonic": "an isotonic map",
}


def describe_calibration(rows: pd.DataFrame, against: str) -> list[str]:
    """Describe how far each judge's probabilities are from the votes, and name the best calibration
    map.
    """
    groups = rows.groupby(["judge", "attribute"], sort=False)
    votes = list_settings(CalibrateSettings)["against"].choices[against]
    several_attributes = rows["attribute"].nunique() > 1
    found = []
    for (judge, attribute), of in groups:
        where = f" on {attribute}" if several_attributes else ""
        found.append(_sentence(f"{judge}{where}", of, votes))
    return found


def _sentence(who: str, of: pd.DataFrame, votes: str) -> str:
    given = of.iloc[0]
    is_shown = (of["p"] < intervals.ALPHA) & (of["brier"] < given["brier"])
    start = (
        f"{who}: its probabilities are {_points(given['calibration_error'])} off what {votes} say "
        f"({_points(given['error_by_chance'])} by chance alone), on "
        f"{pluralize(int(given['items']), 'item')}."
    )
    parts = [start, _confidence(of)]
    if given["p"] >= intervals.ALPHA:
        parts.insert(1, "Chance may explain that.")
    if not is_shown.any():
        parts.append("No map is shown to bring them closer on items it has not seen.")
    else:
        best = of[is_shown].sort_values("brier").iloc[0]
        parts.append(
            f"Corrected by {MAPS[best['map']]}, they are {_points(best['calibration_error'])} off; "
            f"the Brier score falls from {given['brier']:.3f} to {best['brier']:.3f}."
        )
    return " ".join(filter(None, parts))


def _confidence(of: pd.DataFrame) -> str:
    """Describe overconfidence or underconfidence by the slope of a map and its interval; '' if
    neither is shown, where chance may explain the errors, or without a slope.
    """
    slopes = of.dropna(subset="slope_low")
    if slopes.empty:
        return ""
    slope, low, high = (
        float(slopes[name].iloc[0]) for name in ("slope", "slope_low", "slope_high")
    )
    if low > -NOTHING and high < NOTHING:
        return "They say next to nothing about what is preferred."
    if high < 0:
        return "It prefers what is rejected."
    if low <= 0:
        return "Whether they say anything about preferences is unknown."
    if of["p"].iloc[0] >= intervals.ALPHA:
        return ""
    times = f"its log-odds should be {slope:.2f} times as large ({low:.2f} to {high:.2f})."
    if high < 1 and slope < 1 / STEEP:
        return f"It is too sure of itself: {times}"
    if low > 1 and slope > STEEP:
        return f"It is not sure enough: {times}"
    return ""


def _points(error: float) -> str:
    value = 100 * error
    return f"{value:.1f} points" if value < 10 else f"{value:.0f} points"


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
    `core.findings.calibration`.

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
