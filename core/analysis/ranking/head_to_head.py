"""Who beat whom: wins, ties and losses of every system against every other, and the texts behind
them.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd

from core.analysis.judgements import Selection, judged
from core.analysis.ranking.leaderboard import SYSTEMS, RankSettings, columns_of, take
from core.store import Store

SHOWN = 20  # judgements that are shown with their texts


def matches(store: Store, selection: Selection, settings: RankSettings) -> pd.DataFrame:
    """system, opponent, wins, ties, losses, judgements, share (points per judgement), of what a
    method takes; each two systems that were compared in both directions.
    """
    answers = take(store, selection, settings).answers
    names = np.array(sorted({*answers["system_a"], *answers["system_b"]}))
    first, second, outcome = columns_of(answers, SYSTEMS, names)
    counts = np.zeros((3, len(names), len(names)), dtype=int)
    for kind, seen in enumerate((outcome > 0.5, outcome == 0.5, outcome < 0.5)):
        np.add.at(counts[kind], (first[seen], second[seen]), 1)
    wins, ties, losses = counts + counts[::-1].transpose(0, 2, 1)
    i, j = np.nonzero(wins + ties + losses)
    rows = pd.DataFrame(
        {
            "system": names[i],
            "opponent": names[j],
            "wins": wins[i, j],
            "ties": ties[i, j],
            "losses": losses[i, j],
        }
    )
    judgements = rows["wins"] + rows["ties"] + rows["losses"]
    return rows.assign(judgements=judgements, share=(rows["wins"] + rows["ties"] / 2) / judgements)


def behind(
    store: Store, selection: Selection, system: str, opponent: str, *, most: int = SHOWN
) -> pd.DataFrame:
    """The answered judgements of two systems with their texts, as the store's `judged_texts`, and
    `all`: how many there are. Spread over the items when there are more than `most`.
    """
    between, _ = judged(store, replace(selection, systems=(system, opponent)))
    spread = np.unique(np.linspace(0, len(between) - 1, min(most, len(between))).astype(int))
    return store.judgement_frames.texts(between["judgement"].iloc[spread]).assign(all=len(between))
