"""Wins, ties and losses of every two systems, and the comparisons behind them with their texts."""

from __future__ import annotations

from typing import Annotated

import numpy as np
import pandas as pd

from ...frames import Schema
from ...records import Outcome
from ...statistics import intervals, shares_at_every_look
from ...store import Store
from ..judgements.answers import select_answered
from ..judgements.population import code_families
from ..judgements.selection import Selection
from .rating_input import SYSTEMS, extract_columns, prepare_comparisons
from .settings import RankSettings

MatchRows = Annotated[
    pd.DataFrame,
    Schema({str: "system opponent", int: "wins ties losses judgements", float: "share low high"}),
]
COUNTED = "wins ties both_bad losses judgements"
RecordRows = Annotated[pd.DataFrame, Schema({str: "system opponent", int: COUNTED})]
SystemRecords = Annotated[pd.DataFrame, Schema({str: "system", int: COUNTED})]
ComparedTexts = Annotated[
    pd.DataFrame,
    Schema(
        {
            str: "item attribute opponent",
            int: f"generation other {COUNTED}",
            object: "judges",
        }
    ),
]

FOR_A = {"wins": Outcome.A, "ties": Outcome.TIE, "both_bad": Outcome.BOTH_BAD, "losses": Outcome.B}
"""What each answer is to the text shown first."""
FOR_B = {"wins": Outcome.B, "ties": Outcome.TIE, "both_bad": Outcome.BOTH_BAD, "losses": Outcome.A}
"""What each answer is to the text shown second."""


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
    kinds = {"wins": points > 0.5, "ties": points == 0.5, "losses": points < 0.5}
    counts = {
        kind: np.bincount(column, seen, minlength=len(met)).astype(int)
        for kind, seen in kinds.items()
    }
    rows = {"system": names[met // n], "opponent": names[met % n], **counts}
    return pd.DataFrame({**rows, "judgements": share.n, **intervals.spread("share", share, "")})


def records(store: Store, selection: Selection) -> RecordRows:
    """Count the answers as given of each two compared systems, in both directions. Columns: system,
    opponent, wins, ties, both_bad, losses, judgements. "Both bad" is no tie here.
    """
    sides = _list_sides(select_answered(store, selection)[0])
    return sides.groupby(["system", "opponent"])[[*FOR_A, "judgements"]].sum().reset_index()


def _list_sides(answers: pd.DataFrame) -> pd.DataFrame:
    """Each answer twice, as it is to either of its systems: `system` and `opponent`, `generation`
    and `other` (their texts), which of FOR_A it is (1 or 0), and `judgements`, 1.
    """
    sides = []
    for own, other, kinds in (("a", "b", FOR_A), ("b", "a", FOR_B)):
        side = {
            "system": answers[f"system_{own}"],
            "opponent": answers[f"system_{other}"],
            "generation": answers[f"generation_{own}"],
            "other": answers[f"generation_{other}"],
        }
        said = {
            name: (answers["outcome"] == kind.value).astype(int) for name, kind in kinds.items()
        }
        sides.append(answers.assign(**side, **said, judgements=1))
    return pd.concat(sides).sort_index(kind="stable")


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
    sides = _list_sides(select_answered(store, selection)[0])
    sides = sides[sides["system"] == system]
    if opponent:
        sides = sides[sides["opponent"] == opponent]
    pairs = sides.groupby(["item", "attribute", "opponent", "generation", "other"], sort=False)
    rows = pairs[[*FOR_A, "judgements"]].sum()
    rows["judges"] = [tuple(dict.fromkeys(names)) for _, names in pairs["judge"]]
    return rows.reset_index().sort_values(["generation", "other"], kind="stable", ignore_index=True)
