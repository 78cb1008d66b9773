"""Calibrate judges' probabilities to people's, by maps that are fitted to people's votes on other
items.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import numpy as np
import pandas as pd

from ...frames import Schema
from ...records import Kind, TandemError, option_ref
from ...statistics import calibration
from ...store import Store
from . import minimum
from .answers import JudgedRows, select_judgements
from .debiasing import JUDGED, DebiasedJudgements, decide_points, keep_known_order, note_left_out
from .population import code_families
from .selection import Selection
from .verdicts import PAIR, count_verdicts, orient

BesideVotes = Annotated[
    pd.DataFrame, Schema({float: "points_1 share", int: "votes pair"}, is_open=True)
]

FOLDS = 5
WITH_POSITION = "platt"
FIXED = "Intervals take the calibration as fixed: other votes would change it a little."
NOBODY = {
    "human": "nobody has voted on these pairs: annotate some first",
    "simulated": "no simulated voter has voted on these pairs",
    "gold": f"these pairs have no gold label: import them with {option_ref('kind')} gold",
}


def add_vote_shares(
    store: Store, selection: Selection, frame: pd.DataFrame, against: str
) -> BesideVotes:
    """Answered judgements with probabilities, as `orient` gives them, and beside each the `share`
    of people who prefer its first text, a tie counting half, of how many `votes` (a verdict of
    each), NaN and 0 where nobody voted; `pair` is a code of the pair of texts. A judge's own votes
    are left out. Raises TandemError where there is no probability, or no vote on any of these
    pairs.
    """
    rows = frame[frame["prob_a"].notna() & (frame["kind"] != against)]
    if rows.empty:
        names = sorted(frame["judge"].unique())
        who = f"{names[0]} gives" if len(names) == 1 else f"these {len(names)} judges give"
        raise TandemError(
            f"there is no probability to calibrate: {who} verdicts only. "
            "`accuracy` and `agreement` need none; ask a judge again with several votes"
        )
    rows = orient(rows).reset_index(drop=True)
    groups = count_verdicts(load_votes(store, selection, frame, against)).groupby(PAIR)["points"]
    pairs = pd.MultiIndex.from_frame(rows[PAIR])
    share = groups.mean().reindex(pairs).to_numpy(float)
    rows = rows.assign(
        share=np.where(rows["turned"], 1 - share, share),
        votes=groups.size().reindex(pairs).fillna(0).to_numpy(np.int64),
        pair=pd.factorize(pairs)[0],
    )
    if rows["share"].isna().all():
        raise TandemError(NOBODY[against])
    return rows


def load_votes(store: Store, selection: Selection, frame: pd.DataFrame, against: str) -> JudgedRows:
    """Load the answered votes in a selection by every judge of the kind `against`, also by those in
    `frame` who only compare by their marks. Raises TandemError if there are no such votes.
    """
    named = frame.loc[frame["kind"] == against, "judge"].unique()
    meant = (against, *sorted(map(str, named)))
    asked = replace(selection, judges=meant, runs=(), trials=(), strategies=())
    try:
        votes, _ = select_judgements(store, asked)
    except TandemError as error:
        raise TandemError(NOBODY[against]) from error
    votes = votes.dropna(subset="points")
    if votes.empty:
        raise TandemError(NOBODY[against])
    return votes


def calibrate(
    store: Store, selection: Selection, frame: pd.DataFrame, method: str
) -> DebiasedJudgements:
    """The judgements with the `prob_a` that people would have, by one of `calibration.METHODS` for
    each judge and attribute, and `points` as these decide. Each item's are by a map fitted without
    it. Who gives no probability stays as it is.

    Raises TandemError where a judge has too few answers beside people's votes.
    """
    usable = keep_known_order(frame) if method == WITH_POSITION else frame
    rows = add_vote_shares(store, selection, usable, Kind.HUMAN.value)
    check_votes(rows)
    moved = pd.Series(np.nan, index=rows.index)
    for _, mine in rows.groupby(JUDGED, sort=False):
        rng = np.random.default_rng(selection.seed)  # the same folds for everything that is fitted
        folds = calibration.folds(code_families(mine), FOLDS, rng)
        prob, share = (mine[name].to_numpy(float) for name in ("prob_a", "share"))
        moved[mine.index] = calibration.cross_fitted(method, prob, share, folds)
    others = usable[usable["prob_a"].isna() | (usable["kind"] == Kind.HUMAN)]
    rows = rows.assign(prob_a=moved, points=decide_points(moved))[frame.columns]
    notes = (FIXED, *note_left_out(len(frame) - len(usable), "without a known order"))
    every = [part for part in (rows, others) if len(part)]
    return DebiasedJudgements(pd.concat(every, ignore_index=True), notes)


def check_votes(rows: pd.DataFrame) -> None:
    """Check that people voted on enough pairs and items of each judge to calibrate it. Raises
    TandemError.
    """
    for (judge, attribute), mine in rows.groupby(JUDGED, sort=False):
        voted = mine[mine["votes"] > 0]
        short = minimum.describe_shortfall(
            "a judge is calibrated",
            minimum.count_answers(len(voted)),
            minimum.count_items(voted["family"].nunique()),
        )
        if short:
            raise TandemError(
                f"{judge} on {attribute}, where people voted: {short.rstrip('.')}; vote on more "
                "of its pairs, or leave it out"
            )
