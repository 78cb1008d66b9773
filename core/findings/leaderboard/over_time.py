"""Elo ratings as votes came in."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ...records import TandemError, option_ref
from ...statistics import elo_path
from ...store import Store
from ..judgements import Finding, Selection
from .columns import OVER_TIME
from .rating_input import (
    SYSTEMS,
    extract_columns,
    prepare_comparisons,
    sign_ranking,
)
from .settings import RankSettings

LONG = pd.Timedelta(days=1)  # votes over less than that have no date to speak of
LOOKS = 100  # at which ratings are told, as many as a chart can show


def rank_over_time(store: Store, selection: Selection, settings: RankSettings) -> Finding:
    """Elo after each vote, or at about LOOKS even steps of them: votes (so many so far), system,
    rating; no row before a system's first vote. Where they came over more than a day, at times
    of their own, also `at`, when the last of so many was given (UTC). Votes are taken in the order
    Elo takes them: by time where it is known, else as in their file, and a run's as planned.
    """
    settings = settings if settings.method else replace(settings, method="elo")
    if settings.method != "elo":
        raise TandemError(
            f"{settings.method} has no order of votes: {option_ref('over_time')} belongs to "
            f"{option_ref('method')} elo"
        )
    comparisons = prepare_comparisons(store, selection, settings)
    names = np.array(sorted({*comparisons.frame["system_a"], *comparisons.frame["system_b"]}))
    columns = extract_columns(comparisons.frame, SYSTEMS, names)
    votes = len(comparisons.frame)
    after = choose_looks(votes)
    path = elo_path(*columns, n=len(names), after=after, k=settings.k)
    rows = pd.DataFrame(
        {
            "votes": np.repeat(after, len(names)),
            "system": np.tile(names, len(after)),
            "rating": path.ravel(),
        }
    )
    times = find_times(store, comparisons.frame, after)
    rows = rows if times is None else rows.assign(at=np.repeat(times, len(names)))
    rows = rows.dropna(subset="rating", ignore_index=True)
    return Finding(
        rows,
        f"{sign_ranking(selection, replace(settings, bootstrap=0), comparisons)}|over:votes",
        comparisons.used,
        comparisons.unanswered,
        [*comparisons.notes, f"After {len(after):,} of {votes:,} votes, in their order."],
        {
            "method": "elo",
            "because": None,
            "attributes": sorted(comparisons.frame["attribute"].unique()),
        },
        columns=OVER_TIME,
        picture="over_time",
    )


def choose_looks(votes: int) -> NDArray[np.int64]:
    """Choose the numbers of votes at which ratings are shown: every vote, or LOOKS evenly spaced
    ones.
    """
    return np.unique(np.linspace(1, votes, min(votes, LOOKS)).round().astype(np.int64))


def find_times(store: Store, frame: pd.DataFrame, after: NDArray[np.int64]) -> list[str] | None:
    """Find the time at which each number of votes was reached. None if most votes have no time of
    their own (a file without times, or one run), or all came within a day.
    """
    if "judgement" not in frame or frame["judgement"].isna().any():
        return None
    given = store.judgement_frames.times(frame["judgement"].to_numpy()[after - 1])
    times = pd.to_datetime(pd.Series(given), utc=True, format="ISO8601", errors="coerce")
    if times.isna().any() or 2 * times.nunique() < len(times):
        return None
    if times.max() - times.min() <= LONG:
        return None
    return times.dt.strftime("%Y-%m-%dT%H:%M:%SZ").tolist()
