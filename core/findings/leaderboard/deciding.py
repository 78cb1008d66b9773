"""Find the smallest number of votes that decides the leader."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from ...rendering import list_names
from ...statistics import FittedThreshold, find_deciding_votes
from ..judgements import debiasing
from .columns import TABLES
from .needs import list_arguments
from .rating_input import (
    SYSTEMS,
    RatingInput,
    extract_columns,
    get_times,
    get_weights,
)
from .settings import RankSettings

NEITHER = "neither"


def find_deciding(
    comparisons: RatingInput, systems: Any, settings: RankSettings
) -> tuple[dict[str, Any] | None, pd.DataFrame]:
    """Find few votes without which another system leads: `votes` out of `of`, the `leader` and the
    new one (`instead`), or None; and these votes, as in the table `deciding`. If `debias` is swap,
    they are the votes in the rarer order of each deciding pair. None if `debias` is threshold and
    ties are dropped, since other medians would make other votes ties.
    """
    frame = comparisons.frame
    times = get_times(frame)
    by_threshold = settings.debias == "threshold"
    if by_threshold and settings.ties == "drop":
        return None, pd.DataFrame(columns=list_names(TABLES["deciding"]))
    found = find_deciding_votes(
        settings.rating_method,
        *extract_columns(frame, SYSTEMS, systems),
        n=len(systems),
        times=times,
        weights=None if times is not None else get_weights(frame),
        fitted=_read_threshold(frame, settings) if by_threshold else None,
        **list_arguments(settings, frame),
    )
    if found is None:
        return None, pd.DataFrame(columns=list_names(TABLES["deciding"]))
    if settings.debias == "swap":
        votes = _list_rarer_order(comparisons.judged, frame[found.removed > 0])
        number, of = len(votes), int(frame["judgements"].sum())
    else:
        votes = frame.assign(votes=found.removed)[found.removed > 0]
        number, of = found.votes, int(len(frame) if times is None else times.sum())
    fact = {
        "votes": number,
        "of": of,
        "leader": str(systems[found.leader]),
        "instead": str(systems[found.rival]),
    }
    return fact, _lay_out(votes)


def _read_threshold(frame: pd.DataFrame, settings: RankSettings) -> FittedThreshold:
    judges = np.asarray(frame.groupby(debiasing.JUDGED, sort=False).ngroup(), dtype=np.int64)
    given = frame["prob_given"].to_numpy(float)
    return FittedThreshold(given, judges, settings.takes_probabilities(frame))


def _list_rarer_order(judged: pd.DataFrame, pairs: pd.DataFrame) -> pd.DataFrame:
    """The fewest judgements without which none of these pairs was answered in both orders, so that
    `debiasing.swap` leaves it out: those of the order that was answered less often.
    """
    every = debiasing.add_pairs(debiasing.keep_known_order(judged)).assign(votes=1)
    every = every.merge(pairs[debiasing.PAIR].drop_duplicates(), on=debiasing.PAIR)
    of_order = every.groupby([*debiasing.PAIR, "reverse"])["votes"].sum().reset_index()
    rarer = of_order.sort_values("votes", kind="stable").drop_duplicates(debiasing.PAIR)
    return every.merge(rarer[[*debiasing.PAIR, "reverse"]], on=[*debiasing.PAIR, "reverse"])


def _lay_out(rows: pd.DataFrame) -> pd.DataFrame:
    """The votes that go, as the table `deciding` has them."""
    better = np.where(rows["points"] > 0.5, rows["system_a"], rows["system_b"])
    rows = rows.assign(better=np.where(rows["points"] == 0.5, NEITHER, better))
    if "times" in rows:  # counts tell nothing of a single vote
        rows = rows.astype(dict.fromkeys(SYSTEMS, object))
        rows = rows.groupby([*SYSTEMS, "better"], sort=False)["votes"].sum().reset_index()
    found: pd.DataFrame = rows.reindex(columns=list_names(TABLES["deciding"]))
    return found.reset_index(drop=True)
