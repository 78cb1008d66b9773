"""Leaderboards of systems, and of an item's candidates, from the judgements of a selection."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, get_args

import numpy as np
import pandas as pd

from core import debiasing
from core.debiasing import Debiased
from core.records import Kind, TandemError
from core.selections import (
    Result,
    Selection,
    judged,
    signature,
)
from core.statistics import ratings
from core.statistics.experts import Experts
from core.store import Store

RANKS = ("rank", "rank_low", "rank_high")
MODEL_TIES = "bradley-terry"  # the one method with a probability of its own for ties


@dataclass(frozen=True)
class RankSettings:
    """How a leaderboard is made: DESIGN.md, "Ties", "Elo", "Debiasing"."""

    method: str = "win-ratio"
    ties: str = "half"
    bootstrap: int = 100
    resample: str = "item"
    k: float = 4.0
    position_term: bool = False
    debias: str = "none"
    experts: str = "logit"

    def __post_init__(self) -> None:
        choices = {
            "method": list(ratings.RATINGS),
            "ties": ["half", "drop", "model"],
            "resample": ["item", "judgement"],
            "debias": list(debiasing.DEBIASING),
            "experts": list(get_args(Experts)),
        }
        for name, allowed in choices.items():
            if getattr(self, name) not in allowed:
                raise TandemError(f"unknown --{name} {getattr(self, name)!r}; there are {', '.join(allowed)}")
        if self.ties == "model" and self.method != MODEL_TIES:
            raise TandemError(f"--ties model belongs to {MODEL_TIES}; {self.method} takes half or drop")
        if self.ties == "drop" and self.how.outcome == "probabilities":
            raise TandemError(
                f"--ties drop belongs to methods that count decisions; {self.method} counts probabilities"
            )
        if self.experts != "logit" and "experts" not in self.how.takes:
            raise TandemError(f"--experts belongs to product-of-experts; {self.method} has none")
        self._check_position_term()
        if self.bootstrap < 0:
            raise TandemError(f"--bootstrap {self.bootstrap} should not be negative")
        if not 0 < self.k < math.inf:
            raise TandemError(f"--k {self.k:g} should be a number above 0")

    def _check_position_term(self) -> None:
        if not self.position_term:
            return
        if "position" not in self.how.takes:
            having = [name for name, how in ratings.RATINGS.items() if "position" in how.takes]
            raise TandemError(f"{self.method} has no --position-term; {', '.join(having)} have one")
        if self.ties == "model":
            raise TandemError("--position-term and --ties model are not fitted together: use --ties half or drop")
        if self.debias != "none":
            raise TandemError(
                f"--position-term and --debias {self.debias} both take out the effect of being shown first: use one of them"
            )

    @property
    def how(self) -> ratings.Method:
        return ratings.RATINGS[self.method]

    def own(self, frame: pd.DataFrame) -> dict[str, Any]:
        """The settings the method itself takes, for these judgements."""
        every = {
            "k": self.k,
            "ties": self.ties,
            "position": self.position_term,
            "experts": self.experts,
            "decisions": not _probable(frame, self),
        }
        return {name: every[name] for name in self.how.takes}


def leaderboard(store: Store, selection: Selection, settings: RankSettings) -> Result:
    """Systems by rating with bootstrap intervals: system, rating, low, high, rank, rank_low, rank_high, wins, losses,
    ties, judgements, sorted best first."""
    frame, unanswered = judged(store, selection)
    taken = _with_outcome(frame, settings)
    frame, used = taken.frame, taken.used
    systems = np.array(sorted({*frame["system_a"], *frame["system_b"]}))
    board = _rate(frame, ("system_a", "system_b"), systems, selection, settings)
    record = ratings.record(*_columns(frame, ("system_a", "system_b"), systems), n=len(systems))
    rows = _board_rows(systems, board, record).rename(columns={"name": "system"})
    few = (
        [f"Only {used} judgements for {len(systems)} systems: take the order as a first impression."]
        if used < 10 * len(systems)
        else []
    )
    return Result(
        rows.sort_values("rating", ascending=False, na_position="last", kind="stable").reset_index(drop=True),
        _rank_signature(store, selection, settings),
        used,
        unanswered,
        [note for note in (board.note, *taken.notes, *few) if note],
        {
            "connected": board.connected,
            "method": settings.method,
            "attributes": sorted(frame["attribute"].unique()),
            "position_effect": _position_effect(frame, systems, settings),
        },
    )


def candidates(store: Store, selection: Selection, settings: RankSettings) -> Result:
    """Each item's candidates by rating among themselves: the leaderboard's columns, and item and generation."""
    frame, unanswered = judged(store, selection)
    taken = _with_outcome(frame, settings)
    frame = taken.frame
    parts, apart = [], 0
    for item, of_item in frame.groupby("item", sort=False):
        names = np.unique(of_item[["generation_a", "generation_b"]])
        board = _rate(
            of_item,
            ("generation_a", "generation_b"),
            names,
            selection,
            replace(settings, bootstrap=0),
        )
        record = ratings.record(*_columns(of_item, ("generation_a", "generation_b"), names), n=len(names))
        parts.append(_board_rows(names, board, record).assign(item=item))
        apart += not board.connected
    rows = pd.concat(parts).rename(columns={"name": "generation"})
    known = store.generations(selection.dataset, texts=False)[["generation", "system", "sample"]]
    rows = rows.merge(known, on="generation")
    rows = rows[["item", "system", "sample", "generation", *rows.columns.difference(known.columns).drop("item")]]
    note = f"In {apart} of {len(parts)} items not all candidates are linked by comparisons." if apart else ""
    return Result(
        rows,
        _rank_signature(store, selection, settings) + "|by:candidate",
        taken.used,
        unanswered,
        [*taken.notes, *([note] if note else [])],
        {"connected": apart == 0, "method": settings.method},
    )


def _with_outcome(frame: pd.DataFrame, settings: RankSettings) -> Debiased:
    """The comparisons a method can use, in `outcome` what it takes of each."""
    taken = debiasing.debias(frame, settings.debias)
    rows = debiasing.with_order(taken.frame) if settings.position_term else taken.frame
    if rows.empty and len(frame):
        raise TandemError("nobody knows which text was shown first in these judgements: rank without --position-term")
    if settings.how.outcome == "probabilities":
        rows = rows.dropna(subset="prob_a")
        if rows.empty and len(frame):
            raise TandemError("these judges give no probabilities, only decisions: use win-ratio or bradley-terry")
    left_out = len(taken.frame) - len(rows)
    needed = "no known order" if settings.how.outcome == "decisions" else "no probability or no known order"
    notes = [*taken.notes, *([f"{left_out:,} judgements with {needed} are left out."] if left_out else [])]
    if settings.ties == "drop":
        rows = rows[rows["points"] != 0.5]
    if rows.empty:
        raise TandemError("nothing is left to rank: no judgement was answered, or all were ties and --ties is drop")
    return Debiased(rows.assign(outcome=rows["prob_a" if _probable(rows, settings) else "points"]), tuple(notes))


def _probable(rows: pd.DataFrame, settings: RankSettings) -> bool:
    """Whether a method takes the probabilities of these judgements."""
    made_for = settings.how.outcome
    return made_for == "probabilities" or (made_for == "either" and bool(rows["prob_a"].notna().all()))


def _columns(frame: pd.DataFrame, sides: tuple[str, str], names: Any) -> tuple[Any, Any, Any]:
    first, second = (np.searchsorted(names, frame[side].to_numpy()) for side in sides)
    return first, second, frame["outcome"].to_numpy(dtype=float)


def _rate(
    frame: pd.DataFrame, sides: tuple[str, str], names: Any, selection: Selection, settings: RankSettings
) -> ratings.Leaderboard:
    try:
        return ratings.leaderboard(
            settings.method,
            *_columns(frame, sides, names),
            n=len(names),
            groups=pd.factorize(frame["item"])[0] if settings.resample == "item" else None,
            resamples=settings.bootstrap,
            rng=np.random.default_rng(selection.seed),
            **settings.own(frame),
        )
    except ArithmeticError as error:
        raise TandemError(str(error)) from error


def _position_effect(frame: pd.DataFrame, names: Any, settings: RankSettings) -> float | None:
    """What being shown first is worth in rating points, where that was asked for."""
    effect = settings.how.position_effect
    if effect is None or not settings.position_term:
        return None
    own = {name: value for name, value in settings.own(frame).items() if name != "position"}
    return effect(*_columns(frame, ("system_a", "system_b"), names), n=len(names), **own)


def _board_rows(names: Any, board: ratings.Leaderboard, record: Any) -> pd.DataFrame:
    wins, losses, ties = record.T
    return pd.DataFrame(
        {
            "name": names,
            "rating": board.rating,
            "low": board.low,
            "high": board.high,
            **{name: pd.Series(np.round(getattr(board, name))).astype("Int64") for name in RANKS},
            "wins": wins,
            "losses": losses,
            "ties": ties,
            "judgements": wins + losses + ties,
        }
    )


def _rank_signature(store: Store, selection: Selection, settings: RankSettings) -> str:
    return signature(
        settings.method,
        judges="+".join(selection.judges) or Kind.HUMAN.value,
        attribute=selection.attribute or "all",
        subset=selection.subset,
        systems="+".join(selection.systems),
        ties=settings.ties,
        k=f"{settings.k:g}" if "k" in settings.how.takes else None,
        position="term" if settings.position_term else None,
        experts=settings.experts if "experts" in settings.how.takes else None,
        debias=settings.debias if settings.debias != "none" else None,
        boot=settings.bootstrap,
        resample=settings.resample,
        seed=selection.seed,
    )
