"""Compute what a judge's comparisons cost, from the records of its runs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from ...prices import Prices
from ...records import Kind
from ...store import Store
from ..judgements import Selection, select_answered
from .pool import Pool


@dataclass(frozen=True)
class Spending:
    """Tokens, money (in the currency of the prices) and seconds a comparison; NaN where nothing was
    recorded.
    """

    tokens: float = np.nan
    money: float = np.nan
    seconds: float = np.nan

    def compute_cost(self, comparisons: float) -> dict[str, float]:
        """Return the cost of this number of comparisons: tokens, money, minutes."""
        return {
            "tokens": self.tokens * comparisons,
            "money": self.money * comparisons,
            "minutes": self.seconds * comparisons / 60,
        }


def estimate_spending(store: Store, dataset: str, pool: Pool) -> Spending:
    """Compute the cost of a comparison. People: median seconds of their answers. Judges: recorded
    cost of their runs on this data set and recent speed, which may include parallel requests.
    """
    return _estimate_spending(store, dataset, pool.frame, people=pool.people)


def _estimate_spending(
    store: Store, dataset: str, answered: pd.DataFrame, *, people: bool
) -> Spending:
    """Compute the cost of a comparison from a frame of answered judgements."""
    seconds = answered["seconds"].astype(float).dropna()
    if people:
        return Spending(seconds=float(seconds.median()) if len(seconds) else np.nan)
    asked_by = answered["run"].dropna().unique()
    plans = store.runs.list_all(dataset=dataset, kind="run")
    runs = plans[plans["run"].isin(asked_by) & (plans["asked"] > 0)]
    if runs.empty:
        return Spending()
    taken = [
        (*store.runs.tokens(int(run)), Prices.from_execution(json.loads(execution)))
        for run, execution in zip(runs["run"], runs["execution"], strict=True)
    ]
    answers = float(answered["run"].isin(runs["run"]).sum())
    tokens = float(sum(tokens for tokens, _, _ in taken))
    priced = all(prices.has_any for _, _, prices in taken)
    money = sum(prices.cost(tokens, written) for tokens, written, prices in taken)
    return Spending(
        tokens / answers if tokens else np.nan,
        float(money) / answers if tokens and priced else np.nan,
        _seconds(runs, seconds),
    )


def answer_costs(store: Store, selection: Selection, judges: Sequence[str]) -> list[float]:
    """Compute what an answer by each of these judges has cost; NaN where its runs know no price.

    The judgements are read once, however many judges there are.
    """
    answered, _ = select_answered(store, replace(selection, judges=tuple(judges)))
    by_judge = dict(list(answered.groupby("judge")))
    return [
        _estimate_spending(
            store,
            selection.dataset,
            by_judge[judge],
            people=set(by_judge[judge]["kind"]) == {Kind.HUMAN.value},
        ).money
        if judge in by_judge
        else np.nan
        for judge in judges
    ]


def _seconds(runs: pd.DataFrame, answers: pd.Series) -> float:
    """Compute seconds per answer: the pace of the runs, weighted by their size, else the median of
    the answers.
    """
    paced = runs[runs["per_second"] > 0]
    if len(paced):
        return float(np.average(1 / paced["per_second"], weights=paced["asked"]))
    return float(answers.median()) if len(answers) else np.nan
