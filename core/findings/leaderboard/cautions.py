"""First cautions about a leaderboard: groups that few comparisons join, systems shown on one side,
and systems that changed.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from ...labels import join_few_names, pluralize
from ...statistics import compute_drift_p, intervals
from ..judgements import minimum
from .fitted_board import FittedBoard
from .rating_input import SYSTEMS

ONE_SIDE = 0.9
"""Share of a system's comparisons on one side from which its place counts as its own."""


def list_first_cautions(fitted: FittedBoard) -> list[str]:
    """List what may turn the order of the systems; nothing where there is nothing to fear."""
    cautions = (_describe_weakest_cut(fitted), _describe_one_sided(fitted), _describe_drift(fitted))
    return [said for said in cautions if said]


def _describe_weakest_cut(fitted: FittedBoard) -> str:
    """Name the systems that few comparisons join with the others."""
    if fitted.board.weakest_cut is None:
        return ""
    group, across = fitted.board.weakest_cut
    names = fitted.systems[group if 2 * group.sum() <= len(group) else ~group].tolist()
    number = pluralize(round(across), "comparison")
    return (
        f"Only {number} {'joins' if round(across) == 1 else 'join'} {join_few_names(names)} with "
        "the others: collect more across, as the order between these groups is a guess."
    )


def _describe_one_sided(fitted: FittedBoard) -> str:
    """Name the system that was shown on one side most, where others were not."""
    frame, settings = fitted.frame, fitted.settings
    if settings.position_term or settings.debias != "none" or "order_known" not in frame:
        return ""
    known = frame[frame["order_known"] == 1]
    first, second = (known[side].value_counts() for side in SYSTEMS)
    shown = pd.DataFrame({"first": first, "second": second}).fillna(0)
    shown = shown[shown.sum(axis=1) >= minimum.OF_EACH]
    if len(shown) < 2:
        return ""
    share = shown["first"] / shown.sum(axis=1)
    name = str((share - 0.5).abs().idxmax())
    place = "first" if share[name] > 0.5 else "second"
    if max(share[name], 1 - share[name]) < ONE_SIDE:
        return ""
    number, of = int(shown[place][name]), int(shown.sum(axis=1)[name])
    return (
        f"{name} was shown {place} in {number:,} of {pluralize(of, 'comparison')}: liking one side "
        "counts as quality. Show pairs in both orders, or rate with a position term."
    )


def _describe_drift(fitted: FittedBoard) -> str:
    """Describe that systems got better or worse over the votes that Elo takes in their order."""
    if not fitted.settings.rating_method.in_order or not fitted.board.uncertainty:
        return ""
    p = compute_drift_p(
        *fitted.columns,
        n=len(fitted.systems),
        groups=pd.factorize(fitted.frame["family"])[0],
        rng=np.random.default_rng(fitted.selection.seed),
    )
    if p > intervals.ALPHA:
        return ""
    return (
        "Some systems got better or worse over the votes. Elo ranks them as they were at the end, "
        "Bradley-Terry over all votes."
    )
