"""Store frames -> tidy result frames: what is there, who is at work, which side is preferred. Page and command line show the
same ones; `rankings` and `correlating` answer the larger questions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from core import debiasing, runs
from core.records import Kind, Outcome, Status, TandemError
from core.selections import (
    Result,
    Selection,
    check,
    chosen_scores,
    judged,
    records,
    selected,
    signature,
    some,
)
from core.statistics import bias as positional
from core.store import Store

BIAS = (
    "judge", "prompt", "attribute", "comparisons", "p_first", "low", "high", "first_share", "mean_prob_first",
    "pairs_both_orders", "consistent_both_orders", "both_unanswered", "tau", "alpha", "p_first_after",
)  # fmt: skip


def span(seconds: float) -> str:
    """A duration as a person would say it: "40 s", "12 min", "3.5 h"."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def plans(store: Store) -> pd.DataFrame:
    """Runs and campaigns, newest first: the store's columns, `done` (asked, or with all its votes), `failed` and by
    reason `failures`, and `per_second` of those at work (0 = not known)."""
    frame = store.plans().rename(columns={"asked": "done"})
    failed = [
        runs.failures(store, run) if kind == "run" else {}
        for run, kind in zip(frame["run"], frame["kind"], strict=True)
    ]
    for row in frame.index[(frame["kind"] == "run") & (frame["task"] != "compare")]:
        standing = runs.standing(store, int(frame["run"][row]))
        frame.loc[row, ["planned", "done"]] = standing.planned, standing.done
    counts = [sum(reasons.values()) for reasons in failed]
    pace = frame["per_second"].where(frame["status"] == Status.RUNNING, 0.0)
    return frame.assign(failed=counts, failures=pd.Series(failed, dtype=object), per_second=pace)


@dataclass(frozen=True)
class Description:
    """What a data set holds, as named frames."""

    frames: Mapping[str, pd.DataFrame]
    signature: str
    judgements: int
    unanswered: Mapping[str, int]

    def document(self) -> dict[str, Any]:
        """As the command line prints it with --json."""
        return {
            **{name: records(frame) for name, frame in self.frames.items()},
            "signature": self.signature,
            "judgements": self.judgements,
            "unanswered": dict(self.unanswered),
        }


def describe(store: Store, selection: Selection) -> Description:
    """What a data set holds in figures, of all kinds of judges unless some are chosen.

    scores: system (None = all), attribute, rater, n, mean; a panel such as expert-1, expert-2 .. also as `expert`.
    outcomes: judge, attribute, a, b, tie, both_bad, failed, p_first and first_share (where the order shown is known).
    ties: attribute, rater, pairs within items, how many of them tied, items with all scores equal.
    """
    check(store, selection)
    outcomes = _outcomes(store, selection)
    judges = selection.judges or tuple(Kind)
    failures = chosen_scores(store, selection)["failure"]
    unanswered = Counter(failures[failures != ""].tolist())
    if outcomes["failed"].any():
        unanswered.update(judged(store, replace(selection, judges=judges))[1])
    return Description(
        {"scores": _means(store, selection), "outcomes": outcomes, "ties": _ties(store, selection)},
        signature(
            "describe",
            judges="+".join(selection.judges) or "all",
            attribute=selection.attribute or "all",
            subset=selection.subset,
            systems="+".join(selection.systems),
        ),
        int(outcomes[list(Outcome)].to_numpy().sum()),
        unanswered,
    )


def _means(store: Store, selection: Selection) -> pd.DataFrame:
    frame = chosen_scores(store, selection)
    panels = frame[frame["panel"] != frame["rater"]]
    frame = pd.concat([frame, panels.assign(rater=panels["panel"])])
    per_system = (
        frame.groupby(["attribute", "rater", "system"], sort=False)["value"].agg(n="count", mean="mean").reset_index()
    )
    overall = frame.groupby(["attribute", "rater"], sort=False)["value"].agg(n="count", mean="mean").reset_index()
    every = pd.concat([overall.assign(system=None), per_system])
    return every[["system", "attribute", "rater", "n", "mean"]].reset_index(drop=True)


def _outcomes(store: Store, selection: Selection) -> pd.DataFrame:
    kept = selection.judges or tuple(Kind)
    if selection.subset:
        frame = store.judgements(selection.dataset, subset=selection.subset)
        frame = frame.assign(outcome=frame["outcome"].fillna("failed"), count=1)
    else:
        frame = store.tally(selection.dataset)
    frame = frame[frame["judge"].isin(kept) | frame["kind"].isin(kept)]
    if selection.attribute:
        frame = frame[frame["attribute"] == selection.attribute]
    if selection.systems:
        frame = frame[frame["system_a"].isin(selection.systems) & frame["system_b"].isin(selection.systems)]
    table = _crossed(frame)
    ordered = _crossed(frame[frame["order_known"] == 1]).reindex(table.index, fill_value=0)
    decisive, answered = ordered["a"] + ordered["b"], ordered[list(Outcome)].sum(axis=1)
    table = table.assign(p_first=ordered["a"] / decisive, first_share=ordered["a"] / answered)
    return table.reset_index().rename_axis(columns=None)


def _crossed(frame: pd.DataFrame) -> pd.DataFrame:
    """Counts by judge and attribute: a, b, tie, both_bad, failed."""
    table = frame.pivot_table(
        index=["judge", "attribute"], columns="outcome", values="count", aggfunc="sum", sort=False
    )
    return table.reindex(columns=[*Outcome, "failed"]).fillna(0).astype(int)


def _ties(store: Store, selection: Selection) -> pd.DataFrame:
    frame = chosen_scores(store, selection).dropna(subset="value")
    keys = ["attribute", "rater"]
    sizes = frame.groupby([*keys, "item"], sort=False).agg(n=("value", "size"), different=("value", "nunique"))
    equal = frame.groupby([*keys, "item", "value"], sort=False).size().rename("n")
    table = pd.DataFrame(
        {
            "pairs": _pairs(sizes["n"]).groupby(keys, sort=False).sum(),
            "tied": _pairs(equal).groupby(keys, sort=False).sum(),
            "constant_items": ((sizes["different"] == 1) & (sizes["n"] > 1)).groupby(keys, sort=False).sum(),
        }
    )
    return table.reset_index()


def _pairs(n: pd.Series) -> pd.Series:
    return n * (n - 1) // 2


def bias(store: Store, selection: Selection, debias: str = "none") -> Result:
    """How much the place of a text decides: one row per judge and attribute, of all judges unless some are chosen.

    judge, prompt (name@version or None), attribute, comparisons (answered, shown order known), p_first with its interval
    low to high, first_share, mean_prob_first, pairs_both_orders, consistent_both_orders, both_unanswered (pairs), tau,
    alpha, p_first_after (with `debias`).
    """
    if debias not in debiasing.DEBIASING:
        raise TandemError(f"unknown --debias {debias!r}; there are {', '.join(debiasing.DEBIASING)}")
    check(store, selection)
    everybody = replace(selection, judges=selection.judges or tuple(Kind))
    every, unanswered = selected(store, everybody)
    frame = debiasing.paired(debiasing.with_order(every))
    if debias != "none":
        debiasing.debias(frame.dropna(subset="points"), debias)  # says so where it can be done for nobody
    prompts = store.judges().set_index("judge")["prompt"]
    rows = pd.DataFrame(
        [
            {"judge": judge, "prompt": prompts.get(judge), "attribute": attribute, **_biased(of_judge, debias)}
            for (judge, attribute), of_judge in frame.groupby(debiasing.JUDGED, sort=False)
        ],
        columns=BIAS,
    )
    answered = every["points"].notna()
    unknown = int((answered & (every["order_known"] != 1)).sum())
    one_order = rows.loc[rows["pairs_both_orders"] == 0, "judge"].unique()
    notes = [f"{unknown:,} judgements whose shown order is unknown are left out."] if unknown else []
    if len(one_order):
        notes.append(
            f"No pair was answered in both orders by {some(one_order)}: what was shown first may also have been better."
        )
    return Result(
        rows,
        signature(
            "bias",
            judges="+".join(selection.judges) or "all",
            attribute=selection.attribute or "all",
            subset=selection.subset,
            systems="+".join(selection.systems),
            debias=debias,
        ),
        int(answered.sum()) - unknown,
        unanswered,
        notes,
    )


def _biased(frame: pd.DataFrame, debias: str) -> dict[str, Any]:
    """The figures of one judge and attribute; `frame` holds every pair with its `points`, NaN where unanswered."""
    points, prob_a = frame["points"].to_numpy(float), frame["prob_a"].dropna().to_numpy(float)
    found = positional.first_position(points)
    pair = np.asarray(frame.groupby(debiasing.PAIR, sort=False).ngroup(), dtype=np.int64)
    orders = positional.both_orders(pair, frame["reverse"].to_numpy(bool), points)
    tau = positional.threshold(prob_a)
    after = points
    if debias == "threshold":
        after = debiasing.decided(positional.reweighted(prob_a, tau))
    elif debias == "swap":
        after = _both_ways(frame, orders.answered)
    return {
        "comparisons": int((~np.isnan(points)).sum()),
        **found._asdict(),
        "mean_prob_first": prob_a.mean() if len(prob_a) else np.nan,
        "pairs_both_orders": orders.answered,
        "consistent_both_orders": orders.consistent,
        "both_unanswered": orders.unanswered,
        "tau": tau,
        "alpha": positional.weight(tau),
        "p_first_after": positional.first_position(after).p_first,
    }


def _both_ways(frame: pd.DataFrame, pairs: int) -> Any:
    """The points of the first in either order once both orders say the same."""
    if not pairs:
        return np.array([])
    merged = debiasing.debias(frame.dropna(subset="points"), "swap").frame["points"].to_numpy(float)
    return np.concatenate([merged, 1 - merged])
