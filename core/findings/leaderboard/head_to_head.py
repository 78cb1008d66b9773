"""Wins, ties and losses of every two systems, and the comparisons behind them with their texts."""

from __future__ import annotations

from typing import Annotated

import numpy as np
import pandas as pd

from ...frames import Schema
from ...records import Outcome
from ...statistics import intervals, shares_at_every_look
from ...store import Store
from ..judgements import Selection, code_families, select_answered
from .rating_input import SYSTEMS, extract_columns, prepare_comparisons
from .settings import RankSettings

MatchRows = Annotated[
    pd.DataFrame,
    Schema({str: "system opponent", int: "wins ties losses judgements", float: "share low high"}),
]
RecordRows = Annotated[
    pd.DataFrame, Schema({str: "system opponent", int: "wins ties both_bad losses judgements"})
]
SystemRecords = Annotated[
    pd.DataFrame, Schema({str: "system", int: "wins ties both_bad losses judgements"})
]
ComparedTexts = Annotated[
    pd.DataFrame,
    Schema(
        {
            str: "item attribute opponent",
            int: "generation other wins ties both_bad losses judgements",
            object: "judges",
        }
    ),
]

FOR_A = {"wins": Outcome.A, "ties": Outcome.TIE, "both_bad": Outcome.BOTH_BAD, "losses": Outcome.B}
"""What each answer is to the text shown first."""
FOR_B = [3, 1, 2, 0]
"""The places in FOR_A of each answer for the text shown second: its losses are the first one's
wins.
"""


def matches(store: Store, selection: Selection, settings: RankSettings) -> MatchRows:
    """Count the matches of each two compared systems, in both directions, by the answers a method
    takes. Columns: system, opponent, wins, ties, losses, judgements, share (points per judgement)
    with its 95% interval low to high over items. Intervals hold at every look where ranks do by
    these settings.
    """
    comparisons = prepare_comparisons(store, selection, settings)
    answers = comparisons.answers
    names = np.array(sorted({*answers["system_a"], *answers["system_b"]}))
    first, second, outcome = extract_columns(answers, SYSTEMS, names)
    n = len(names)
    cell = np.concatenate([first * n + second, second * n + first])
    points = np.concatenate([outcome, 1 - outcome])
    items = np.tile(code_families(answers), 2)
    met, column = np.unique(cell, return_inverse=True)
    always = settings.with_resolve(comparisons.collecting).resolve == "always"
    bound = shares_at_every_look if always else intervals.shares_by
    share = bound(points, items, column, n=len(met))
    counts = {
        kind: np.bincount(column, seen, minlength=len(met)).astype(int)
        for kind, seen in (
            ("wins", points > 0.5),
            ("ties", points == 0.5),
            ("losses", points < 0.5),
        )
    }
    rows = {"system": names[met // n], "opponent": names[met % n], **counts}
    return pd.DataFrame({**rows, "judgements": share.n, **intervals.spread("share", share, "")})


def records(store: Store, selection: Selection) -> RecordRows:
    """Count the answers as given of each two compared systems, in both directions. Columns: system,
    opponent, wins, ties, both_bad, losses, judgements. "Both bad" is no tie here.
    """
    answers, _ = select_answered(store, selection)
    names = np.array(sorted({*answers["system_a"], *answers["system_b"]}))
    first, second = (np.searchsorted(names, answers[side].to_numpy()) for side in SYSTEMS)
    counts = np.zeros((len(FOR_A), len(names), len(names)), dtype=int)
    for kind, outcome in enumerate(FOR_A.values()):
        seen = (answers["outcome"] == outcome.value).to_numpy()
        np.add.at(counts[kind], (first[seen], second[seen]), 1)
    counts += counts[FOR_B].transpose(0, 2, 1)
    i, j = np.nonzero(counts.sum(axis=0))
    told = {kind: counts[place, i, j] for place, kind in enumerate(FOR_A)}
    rows = {"system": names[i], "opponent": names[j], **told}
    return pd.DataFrame({**rows, "judgements": counts.sum(axis=0)[i, j]})


def sum_by_system(records: pd.DataFrame) -> SystemRecords:
    """The `records` of each system, against all its opponents together."""
    summed = records.groupby("system", sort=False)[[*FOR_A, "judgements"]].sum()
    return summed.reset_index()


def comparisons(
    store: Store, selection: Selection, system: str, opponent: str = ""
) -> ComparedTexts:
    """The judged pairs of texts of a system, and of an `opponent` unless it is '', in the order of
    their items: item, attribute, opponent, generation and other (ids of the texts, its own first),
    wins, ties, both_bad, losses, judgements (how many), judges (a tuple).
    """
    answers, _ = select_answered(store, selection)
    frame = answers[(answers[list(SYSTEMS)] == system).any(axis=1)]
    is_a = (frame["system_a"] == system).to_numpy()
    sides = {"opponent": "system", "other": "generation"}
    of_it = {"generation": np.where(is_a, frame["generation_a"], frame["generation_b"])}
    for name, what in sides.items():
        of_it[name] = np.where(is_a, frame[f"{what}_b"], frame[f"{what}_a"])
    kinds = list(FOR_A)
    places = {outcome.value: place for place, outcome in enumerate(FOR_A.values())}
    code = frame["outcome"].map(places).to_numpy(int)
    code = np.where(is_a, code, np.array(FOR_B)[code])
    counted = {kind: (code == place).astype(int) for place, kind in enumerate(kinds)}
    frame = frame.assign(**of_it, **counted, judgements=1)
    if opponent:
        frame = frame[frame["opponent"] == opponent]
    keys = ["item", "attribute", "opponent", "generation", "other"]
    pairs = frame.groupby(keys, sort=False)
    rows = pairs[[*kinds, "judgements"]].sum()
    rows["judges"] = [tuple(dict.fromkeys(names)) for _, names in pairs["judge"]]
    return rows.reset_index().sort_values(["generation", "other"], kind="stable", ignore_index=True)
