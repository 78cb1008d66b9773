"""What else than the texts decides: their place, their length, and whose they are."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from core.findings.bias.self_preference import self_preference
from core.findings.bias.system_by_position import CONSISTENT, consistent, pair_codes, places
from core.findings.bias.transitivity import transitivity
from core.findings.judgements import (
    JUDGED,
    Finding,
    Selection,
    check,
    debiasing,
    described,
    exclusion_notes,
    paired,
    pooled,
    selected,
    signature,
    some,
    unanimity,
)
from core.records import Kind
from core.statistics import intervals, length_effect
from core.statistics import position_bias as positional
from core.store import Store

ROW = (
    "judge", "model", "kind", "mode", "prompt", "attribute", "comparisons", "items", "unanswered",
    "p_first", "low", "high", "decisive",
    "first_share", "share_low", "share_high", "first_forward", "first_reverse", "tie_rate",
    "tie_low", "tie_high",
    "mean_prob_first", "prob_low", "prob_high",
    "pairs_both_orders", "consistent_both_orders", "consistent_low", "consistent_high",
    "both_unanswered", "confounded",
    "tau", "tau_low", "tau_high", "alpha", "alpha_low", "alpha_high", "p_first_threshold",
    "threshold_low", "threshold_high",
    "p_first_swap", "p_first_after", "after_low", "after_high",
)  # fmt: skip
SHOWN = (  # where there is no room for all of a row
    "judge", "prompt", "attribute", "comparisons", "unanswered", "p_first", "low", "high",
    "tie_rate", "tie_low", "tie_high",
    "mean_prob_first", "prob_low", "prob_high", "pairs_both_orders", "consistent_both_orders",
    "consistent_low",
    "consistent_high", "tau", "tau_low", "tau_high", "p_first_after", "after_low", "after_high",
)  # fmt: skip
TRIPLES_SHOWN = (  # of a row of triples
    "judge", "attribute", "separability", "items", "decided", "cyclic", "low", "high", "one_order",
    "by_position", "weak", "strong",
)  # fmt: skip
LENGTHS = (
    "judge",
    "attribute",
    "comparisons",
    "items",
    "decisive",
    "longer",
    "longer_low",
    "longer_high",
    "odds",
    "low",
    "high",
    "always",
    "unbounded",
)
DISTRIBUTION = ("judge", "attribute", "low", "high", "judgements")
DIFFERENCES = ("of", *paired.DIFFERENCES)
SHOWN_TEXTS = ("item", "generation_a", "generation_b")  # in the order in which they were shown
BINS = 20  # of probabilities
FARTHEST = math.log(1e6)  # of odds: beyond, answers do not bound them


def bias(
    store: Store,
    selection: Selection,
    debias: str = "none",
    *,
    separability: pd.DataFrame | None = None,
) -> Finding:
    """How much the place of a text decides: one row per judge and attribute, of all judges unless
    some are chosen.

    judge, model (its SPEC, else its name), kind, mode (None where it is not told), prompt
    (name@version or None), attribute, comparisons (answered, shown order known) on so many items,
    unanswered; p_first with its interval low to high, of `decisive` answers, first_share with
    share_low and share_high; of the pairs answered in both orders how many went to the first when
    that was the system first by name (first_forward), and when it was the other (first_reverse);
    tie_rate (both_bad among them) with tie_low and tie_high; mean_prob_first with prob_low and
    prob_high; pairs_both_orders, consistent_both_orders with the interval of their share,
    both_unanswered (pairs); whether position and system are `confounded`, since no two systems were
    shown in both orders; tau and alpha, each with _low and _high; p_first after a threshold and
    after the swap, and p_first_after with `debias`, with after_low and after_high (none after the
    swap, where it is 1/2 whatever the judge says).

    Tables: `lengths`, in words, whether the longer text wins: its share of decisive answers, and
    the odds of a text twice as long, all else equal; of a judge that `always` took the `longer` or
    the `shorter` one, and of any whose odds are `unbounded` on that side, they are NaN ('' of any
    other; see `_unbounded`); `own`, the points a judge that
    is one of the systems gives itself, and what the others give it on the same pairs; `places`,
    what each system is given when shown first and when second; `distribution` of the probability of
    the first in BINS;
    `consistent`, pairs each system won in both orders; `differences`, how much more often the judge
    farthest from 1/2 chose the first text (`p_first`), or the `longer`, than each other judge where
    both were shown the same texts in the same order and decided (see `paired.ahead`).
    """
    debiasing.check(debias)
    check(store, selection)
    everybody = replace(selection, judges=selection.judges or tuple(Kind))
    every, unanswered = selected(store, everybody)
    frame = debiasing.paired(debiasing.with_order(every))
    frame = frame.assign(
        item=pd.factorize(frame["item"])[0],
        item_name=frame["item"],
        forward=frame["system_a"] < frame["system_b"],
    )
    if debias != "none":
        debiasing.debias(
            frame.dropna(subset="points"), debias
        )  # says so where it can be done for nobody
    words = store.supervision.words(selection.dataset)
    a, b = (words.reindex(frame[f"generation_{side}"]).to_numpy() for side in "ab")
    with np.errstate(divide="ignore", invalid="ignore"):
        frame = frame.assign(doublings=np.where((a > 0) & (b > 0), np.log2(a / b), np.nan))
    parts = list(_parts(frame))
    triples, triples_by = transitivity(frame, separability)
    rows = [{**of, **_biased(one, debias)} for of, one in parts]
    table = described(store, pd.DataFrame(rows, columns=ROW))
    answered = every["points"].notna()
    unknown = int((answered & (every["order_known"] != 1)).sum())
    return Finding(
        table,
        signature(
            "bias",
            **selection.signed(),
            debias=debias,
            separability=None if separability is None else separability.attrs.get("metric"),
        ),
        int(answered.sum()) - unknown,
        unanswered,
        [
            *pooled(every),
            *exclusion_notes(store, everybody),
            *_notes(table, unknown),
            *unanimity.notes(store, table["judge"]),
        ],
        {},
        {
            "lengths": pd.DataFrame(
                [{**of, **_longer(one)} for of, one in parts], columns=LENGTHS
            ).query("comparisons > 0"),
            "own": self_preference(frame, store.judges.all().set_index("judge")),
            "places": places(frame),
            "differences": _differences(frame),
            "triples": triples,
            "triples_by": triples_by,
            "distribution": pd.DataFrame(
                [{**of, **cell} for of, one in parts for cell in _distribution(one)],
                columns=DISTRIBUTION,
            ),
            "consistent": pd.concat(
                [consistent(of, one) for of, one in parts] or [pd.DataFrame(columns=CONSISTENT)]
            ),
        },
    )


def _differences(frame: pd.DataFrame) -> pd.DataFrame:
    """Position and length bias of two judges each, on what both of them decided."""
    first = frame["points"].where(frame["points"] != 0.5)
    longer = first.where(frame["doublings"] >= 0, 1 - first)
    by = {"p_first": first, "longer": longer.where(frame["doublings"].fillna(0) != 0)}
    tables = [
        paired.ahead(frame.assign(value=values), "value", unit=SHOWN_TEXTS, fair=0.5).assign(of=of)
        for of, values in by.items()
    ]
    return pd.concat(tables, ignore_index=True)[list(DIFFERENCES)]


def _parts(frame: pd.DataFrame) -> Iterator[tuple[dict[str, str], pd.DataFrame]]:
    for (judge, attribute), of_judge in frame.groupby(JUDGED, sort=False):
        yield {"judge": str(judge), "attribute": str(attribute)}, of_judge


def _notes(rows: pd.DataFrame, unknown: int) -> list[str]:
    answered = rows[rows["comparisons"] > 0]
    confounded = answered.groupby("judge", sort=False)["confounded"].all()
    orders = answered.groupby("judge", sort=False)["pairs_both_orders"].sum()
    one_order = orders.index[(orders == 0) & ~confounded]
    notes = (
        [f"Left out: {unknown:,} judgement{'s' * (unknown != 1)} without a known order."]
        if unknown
        else []
    )
    if len(one_order):
        notes.append(
            f"No pair was answered in both orders by {some(one_order)}: the texts shown first may "
            "simply be better."
        )
    if confounded.any():
        notes.append(
            f"Each two systems were always shown in the same order to "
            f"{some(confounded.index[confounded])}: position bias cannot be told from quality. Ask "
            "some pairs in the other order."
        )
    return notes


def _biased(frame: pd.DataFrame, debias: str) -> dict[str, Any]:
    """The figures of one judge and attribute; `frame` holds every pair with its `points`, NaN where
    unanswered.
    """
    points, every_prob = frame["points"].to_numpy(float), frame["prob_a"].to_numpy(float)
    prob_a = every_prob[~np.isnan(every_prob)]
    item, known = frame["item"].to_numpy(), ~np.isnan(points)
    found = positional.first_position(points, item)
    pair, reverse = pair_codes(frame), frame["reverse"].to_numpy(bool)
    orders = positional.both_orders(pair, reverse, points)
    ties, firsts = (
        intervals.share(np.where(known, is_so, np.nan), item)
        for is_so in (points == 0.5, points > 0.5)
    )
    prob = intervals.share(every_prob, item)
    of_pair = np.zeros(pair.max(initial=-1) + 1, dtype=np.int64)
    of_pair[pair] = item
    consistent = intervals.share(orders.same, of_pair)
    tau = positional.threshold(prob_a)
    taus = (tau, *positional.threshold_interval(prob_a, item[~np.isnan(every_prob)]))
    decided = debiasing.decided(positional.reweighted(prob_a, tau))
    threshold = positional.first_position(decided, item[~np.isnan(every_prob)])
    # After the swap 1/2 wherever anything is left, so without an interval.
    swapped = 0.5 if _swap_decides(every_prob, points, pair, reverse) else math.nan
    after: dict[str, Sequence[float]] = {
        "none": found,
        "threshold": threshold,
        "swap": (swapped, math.nan, math.nan),
    }
    return {
        "comparisons": int(known.sum()),
        "items": len(np.unique(item[known])),
        "unanswered": int((~known).sum()),
        **found._asdict(),
        "decisive": int((known & (points != 0.5)).sum()),
        "share_low": firsts[1],
        "share_high": firsts[2],
        **dict(
            zip(
                ("first_forward", "first_reverse"),
                _first_by_order(pair, frame, points),
                strict=True,
            )
        ),
        **intervals.spread("tie_rate", ties, "tie"),
        **intervals.spread("mean_prob_first", prob, "prob"),
        "pairs_both_orders": orders.answered,
        "consistent_both_orders": orders.consistent,
        "consistent_low": consistent[1],
        "consistent_high": consistent[2],
        "both_unanswered": orders.unanswered,
        "confounded": _confounded(frame[known]),
        **intervals.spread("tau", taus),
        **intervals.spread("alpha", [positional.weight(taus[end]) for end in (0, 2, 1)]),
        **intervals.spread("p_first_threshold", threshold, "threshold"),
        "p_first_swap": swapped,
        **intervals.spread("p_first_after", after[debias], "after"),
    }


def _confounded(answered: pd.DataFrame) -> bool:
    """Whether no two systems were shown in both orders, so that whoever stands first may simply be
    the better one.
    """
    shown = set(zip(answered["system_a"], answered["system_b"], strict=True))
    return not any((second, first) in shown for first, second in shown)


def _first_by_order(pair: Any, frame: pd.DataFrame, points: Any) -> tuple[int, int]:
    _, by_order = positional.order_means(pair, ~frame["forward"].to_numpy(bool), points)
    both = by_order[:, ~np.isnan(by_order).any(axis=0)]
    forward, reverse = (both > 0.5).sum(axis=1)
    return int(forward), int(reverse)


def _swap_decides(prob_a: Any, points: Any, pair: Any, reverse: Any) -> bool:
    """Whether any pair is decided once its two orders are one answer, which is by probability where
    there is one. Each such pair then went to the first in one order, and not in the other.
    """
    (_, of_prob), (_, of_points) = (
        positional.order_means(pair, reverse, values) for values in (prob_a, points)
    )
    probable, decisive = positional.swap(*of_prob), positional.swap(*of_points)
    merged = np.where(np.isnan(probable), decisive, probable)[~np.isnan(decisive)]
    return bool((debiasing.decided(merged) != 0.5).any())


def _longer(frame: pd.DataFrame) -> dict[str, Any]:
    points, doublings = frame["points"].to_numpy(float), frame["doublings"].to_numpy(float)
    item = frame["item"].to_numpy()
    told = (points != 0.5) & ~np.isnan(points) & (np.nan_to_num(doublings) != 0)
    won = intervals.share(((points > 0.5) == (doublings > 0))[told].astype(float), item[told])
    effect = length_effect(points, doublings, item)
    always = {1.0: "longer", 0.0: "shorter"}.get(won[0], "")
    unbounded = always or _unbounded(effect.slope, won)
    bounded = not always and abs(effect.slope) < FARTHEST
    odds = np.exp(effect[:3]).tolist() if bounded else [math.nan] * 3
    return {
        "comparisons": effect.n,
        "items": len(np.unique(item[told])),
        "decisive": won[3],
        **intervals.spread("longer", won),
        **intervals.spread("odds", odds, ""),
        "always": always,
        "unbounded": unbounded,
    }


def _unbounded(slope: float, longer: Sequence[float]) -> str:
    """The side, `longer` or `shorter`, whose odds are beyond all figures, since a fit of position
    and length leaves next to no answer unexplained; '' where there is such a figure, or where the
    share of answers for the `longer` text (share, low, high) does not say that it was length.
    """
    _, low, high, *_ = longer
    if slope >= FARTHEST and low > 0.5:
        return "longer"
    return "shorter" if slope <= -FARTHEST and high < 0.5 else ""


def _distribution(frame: pd.DataFrame) -> list[dict[str, Any]]:
    prob_a = frame["prob_a"].dropna().to_numpy(float)
    if not len(prob_a):
        return []
    cell = np.minimum(np.floor(np.round(prob_a * BINS, 9)), BINS - 1).astype(np.int64)
    counts = np.bincount(cell, minlength=BINS)
    return [
        {"low": place / BINS, "high": (place + 1) / BINS, "judgements": count}
        for place, count in enumerate(counts)
    ]
