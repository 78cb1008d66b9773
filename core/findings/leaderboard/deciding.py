"""How few votes decide who leads, and which ones these are."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from core.findings.leaderboard.columns import TABLES
from core.findings.leaderboard.needs import list_arguments
from core.findings.leaderboard.rating_input import SYSTEMS, extract_columns, get_times, get_weights
from core.findings.leaderboard.settings import RankSettings
from core.rendering import list_names
from core.statistics import find_deciding_votes

NEITHER = "neither"


def find_deciding(
    frame: pd.DataFrame, systems: Any, settings: RankSettings
) -> tuple[dict[str, Any] | None, pd.DataFrame]:
    """The fewest votes found without which another system leads: `votes` of so many (`of`), who
    leads (`leader`) and who would (`instead`), or None; and these votes, as the table `deciding`
    has them.
    """
    times = get_times(frame)
    found = find_deciding_votes(
        settings.how,
        *extract_columns(frame, SYSTEMS, systems),
        n=len(systems),
        times=times,
        weights=None if times is not None else get_weights(frame),
        **list_arguments(settings, frame),
    )
    if found is None:
        return None, pd.DataFrame(columns=list_names(TABLES["deciding"]))
    fact = {
        "votes": found.votes,
        "of": int(len(frame) if times is None else times.sum()),
        "leader": str(systems[found.leader]),
        "instead": str(systems[found.rival]),
    }
    return fact, _list_votes(frame, found.removed)


def _list_votes(frame: pd.DataFrame, removed: Any) -> pd.DataFrame:
    """The votes that go, as the table `deciding` has them."""
    rows: pd.DataFrame = frame.assign(votes=removed)[removed > 0]
    better = np.where(rows["points"] > 0.5, rows["system_a"], rows["system_b"])
    rows = rows.assign(better=np.where(rows["points"] == 0.5, NEITHER, better))
    if "times" in rows:  # counts tell nothing of a single vote
        rows = rows.astype(dict.fromkeys(SYSTEMS, object))
        rows = rows.groupby([*SYSTEMS, "better"], sort=False)["votes"].sum().reset_index()
    found: pd.DataFrame = rows.reindex(columns=list_names(TABLES["deciding"]))
    return found.reset_index(drop=True)
