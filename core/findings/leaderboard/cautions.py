"""Cautions about a leaderboard: groups that few comparisons join, systems shown on one side or that
changed, few votes that decide, how reliable its ratings are, and what hangs on how ties count.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from ...labels import join_few_names, pluralize
from ...records import TandemError
from ...rendering import list_names
from ...settings import list_settings
from ...statistics import (
    Drawing,
    compute_drift_p,
    find_deciding_votes,
    intervals,
    is_counted,
    reliability,
)
from ..judgements import minimum
from .columns import TABLES
from .fitted_board import FittedBoard, rate_frame
from .rating_input import SYSTEMS, RatingInput, get_times, weigh_rows
from .settings import RankSettings

ONE_SIDE = 0.9
"""Share of a system's comparisons on one side from which its place counts as its own."""


def list_first_cautions(fitted: FittedBoard) -> list[str]:
    """List what may turn the order of the systems; nothing where there is nothing to fear."""
    cautions = (_describe_weakest_cut(fitted), _describe_one_sided(fitted), _describe_drift(fitted))
    return [said for said in cautions if said]


def _describe_weakest_cut(fitted: FittedBoard) -> str:
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


NEITHER = "neither"


def find_deciding(fitted: FittedBoard) -> tuple[dict[str, Any] | None, pd.DataFrame]:
    """Find few votes without which another system leads: `votes` out of `of`, the `leader` and the
    new one (`instead`), or None; and these votes, as in the table `deciding`. None after a
    correction, which other votes would fit otherwise.
    """
    frame, settings, systems = fitted.frame, fitted.settings, fitted.systems
    found = None
    if settings.debias == "none":
        found = find_deciding_votes(
            settings.rating_method,
            *fitted.columns,
            n=len(systems),
            **{**weigh_rows(frame), **fitted.arguments},
        )
    if found is None:
        return None, pd.DataFrame(columns=list_names(TABLES["deciding"]))
    times = get_times(frame)
    fact = {
        "votes": found.votes,
        "of": int(len(frame) if times is None else times.sum()),
        "leader": str(systems[found.leader]),
        "instead": str(systems[found.rival]),
    }
    return fact, _lay_out(frame.assign(votes=found.removed)[found.removed > 0])


def _lay_out(rows: pd.DataFrame) -> pd.DataFrame:
    better = np.where(rows["points"] > 0.5, rows["system_a"], rows["system_b"])
    rows = rows.assign(better=np.where(rows["points"] == 0.5, NEITHER, better))
    if "times" in rows:  # counts tell nothing of a single vote
        rows = rows.astype(dict.fromkeys(SYSTEMS, object))
        rows = rows.groupby([*SYSTEMS, "better"], sort=False)["votes"].sum().reset_index()
    found: pd.DataFrame = rows.reindex(columns=list_names(TABLES["deciding"]))
    return found.reset_index(drop=True)


FEW_SYSTEMS = 5
"""Below so many, correlations of ratings are high or low by chance."""


def estimate_reliability(fitted: FittedBoard) -> dict[str, Any]:
    """Estimate `separation_reliability`, the share of the ratings' variance that is not error, and
    `split_half`, how closely two random halves of the judges or, of fewer than four, of the items
    rate alike: its `reliability`, which of them they are (`of`), and how many (`parts`). Each is
    None where it is not known, as without intervals, or where too few comparisons join groups.
    """
    board = fitted.board
    if board.uncertainty is None or board.weakest_cut or not board.connected:
        return {"separation_reliability": None, "split_half": None}
    variance, _ = board.uncertainty.variance()
    # Ratings and errors of the same fits, in which each system has won and lost half a comparison
    found = reliability.estimate_scale_separation(board.uncertainty.centre, variance)
    halves = _split_half(fitted) if is_counted(fitted.settings.rating_method) else None
    return {"separation_reliability": None if np.isnan(found) else found, "split_half": halves}


def _split_half(fitted: FittedBoard) -> dict[str, Any] | None:
    frame = fitted.frame
    judges = frame["judge"].nunique() if "judge" in frame else 0
    of = "judge" if judges >= reliability.FEWEST_PARTS else "item"
    part = pd.factorize(frame["judge" if of == "judge" else "family"])[0]
    found = reliability.estimate_split_half(
        fitted.settings.rating_method,
        *fitted.columns,
        n=len(fitted.systems),
        part=part,
        rng=np.random.default_rng(fitted.selection.seed),
        **{**weigh_rows(frame), **fitted.arguments},
    )
    if np.isnan(found):
        return None
    return {"reliability": found, "of": of, "parts": int(part.max()) + 1}


def describe_reliability(facts: Mapping[str, Any], systems: int) -> str:
    """Both figures, what they are and when they flatter; '' where neither is known."""
    separation, halves = facts["separation_reliability"], facts["split_half"]
    said = []
    if separation == 0:
        said.append(
            "Scale separation reliability is 0: the ratings differ by no more than their errors."
        )
    elif separation is not None:
        said.append(
            f"Scale separation reliability is {separation:.2f}: that share of the ratings' "
            "variance is not error."
        )
    if halves is not None:
        said.append(
            f"Split-half reliability is {halves['reliability']:.2f}: so closely do ratings by two "
            f"random halves of the {pluralize(halves['parts'], halves['of'])} correlate."
        )
    if said and systems < FEW_SYSTEMS:
        said.append(f"With {systems} systems that says little.")
    elif said:
        said.append("Pairs that earlier answers chose make it too high.")
    return " ".join(said)


SAME = 1e-7  # ratings this close differ by rounding
IF_TIES = {
    "half": "If ties counted half",
    "drop": "If ties were left out",
    "model": "If ties were modelled",
}


def note_tie_treatments(
    fitted: FittedBoard, load: Callable[[RankSettings], RatingInput]
) -> list[str]:
    """For each other treatment of ties that the method takes, which systems would change places;
    nothing where none would. `load` gives the comparisons by other settings.
    """
    settings, systems = fitted.settings, fitted.systems
    if settings.rating_method.outcome == "rankings":
        return []
    dropped = settings.ties == "drop"
    frame = load(replace(settings, ties="half")).frame if dropped else fitted.frame
    frame = frame[frame[list(SYSTEMS)].isin(systems).all(axis=1)]
    tied = frame["points"] == 0.5
    if not tied.any():
        return []
    found, nothing = [], Drawing(np.random.default_rng(fitted.selection.seed), 0)
    best_first = np.argsort(-np.nan_to_num(fitted.board.rating, nan=-np.inf), kind="stable")
    for ties in list_settings(RankSettings)["ties"].choices:
        if ties == settings.ties:
            continue
        kept = frame[~tied] if ties == "drop" else frame
        try:
            other = rate_frame(kept, SYSTEMS, systems, nothing, replace(settings, ties=ties))
        except TandemError:  # not a treatment of this method, or one that leaves nothing to rate
            continue
        shown, then = (board.rating[best_first] for board in (fitted.board, other))
        ahead = np.subtract.outer(shown, shown) > SAME
        turned = np.argwhere(ahead & (np.subtract.outer(then, then) < -SAME))
        if len(turned):
            first, second = systems[best_first[turned[0]]]
            change = f"{second} would stand above {first}."
            if len(turned) > 1:
                change = (
                    f"{len(turned)} pairs of systems would change places, such as {first} and "
                    f"{second}."
                )
            found.append(f"{IF_TIES[ties]}, {change}")
    return found
