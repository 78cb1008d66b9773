"""Compute bias: the effect of position, of length, and of self-preference."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from ...records import Kind
from ...rendering import list_names
from ...statistics import intervals, length_effect
from ...statistics import position_bias as positional
from ...store import Store
from ..judgements import debiasing
from ..judgements.answers import select_judgements
from ..judgements.debiasing import JUDGED, note_unanimity, warn_of_unusable
from ..judgements.finding import Finding
from ..judgements.judges import add_judge_info, compare_to_best
from ..judgements.population import code_families
from ..judgements.provenance import pooling_notes
from ..judgements.selection import (
    Selection,
    check_selection,
    name_some,
    selection_notes,
    write_signature,
)
from ..judgements.verdicts import is_order_confounded, measure_lengths
from ..separability.applications import BinnedSettings
from . import columns
from .tables import measure_consistent_wins, pair_codes, places, self_preference, transitivity

SHOWN_TEXTS = ("item", "generation_a", "generation_b")  # in the order in which they were shown
BINS = 20  # of probabilities
USUAL = BinnedSettings()
FARTHEST = math.log(1e6)  # of odds: beyond, answers do not bound them


def bias(store: Store, selection: Selection, settings: BinnedSettings = USUAL) -> Finding:
    """Compute position bias: one row per judge and attribute. The default is all judges.

    Shares of answers, and of pairs answered in both orders, are over items. The columns are
    declared in `core.findings.bias.columns`.

    Tables: `lengths`, whether the longer text wins (see `_measure_length_bias`); `own`, what a
    judge that is one of the systems gives itself, and others give it; `places`, what each system is
    given when shown first and when second; `triples`, and `triples_by` separability;
    `distribution` of the probability of the first in BINS; `consistent`, pairs each system won in
    both orders; `differences`, how much more often the judge farthest from 1/2 chose the first text
    (`p_first`), or the `longer`, than each other judge where both were shown the same texts in the
    same order and decided (see `compare_to_best`).
    """
    check_selection(store, selection)
    everybody = replace(selection, judges=selection.judges or tuple(Kind))
    every, unanswered = select_judgements(store, everybody)
    frame = debiasing.add_pairs(debiasing.keep_known_order(every))
    frame = frame.assign(
        item=pd.factorize(frame["item"])[0],
        item_name=frame["item"],
        family=code_families(frame),
        forward=frame["system_a"] < frame["system_b"],
    )
    a, b = measure_lengths(store, selection.dataset, frame)
    with np.errstate(divide="ignore", invalid="ignore"):
        frame = frame.assign(doublings=np.where((a > 0) & (b > 0), np.log2(a / b), np.nan))
    caution = warn_of_unusable(frame, "its answers follow the order, not the texts")
    parts = [
        ({"judge": str(judge), "attribute": str(attribute)}, one)
        for (judge, attribute), one in frame.groupby(JUDGED, sort=False)
    ]
    separability = settings.measure_items(store, selection)
    rows = [{**of, **_measure_biases(one)} for of, one in parts]
    table = add_judge_info(store, pd.DataFrame(rows, columns=list_names(columns.COLUMNS)))
    answered = every["points"].notna()
    unknown = int((answered & (every["order_known"] != 1)).sum())
    return Finding(
        table,
        write_signature(
            "bias",
            **selection.signature_values(),
            separability=None if separability is None else separability.attrs.get("metric"),
        ),
        int(answered.sum()) - unknown,
        unanswered,
        [
            *caution.cautions,
            *pooling_notes(every),
            *selection_notes(store, everybody),
            *_notes(table, unknown),
            *note_unanimity(store, table["judge"]),
        ],
        caution._asdict(),
        tables=dict(_tables(store, frame, parts, separability)),
        columns=columns.COLUMNS,
        table_columns=columns.TABLES,
        picture="bias",
    )


def _tables(
    store: Store,
    frame: pd.DataFrame,
    parts: Sequence[tuple[dict[str, str], pd.DataFrame]],
    separability: pd.DataFrame | None,
) -> Iterator[tuple[str, pd.DataFrame]]:
    lengths = [{**of, **_measure_length_bias(one)} for of, one in parts]
    yield "lengths", _frame("lengths", lengths).query("comparisons > 0")
    yield "own", self_preference(frame, store.judges.load_all().set_index("judge"))
    yield "places", places(frame)
    yield "differences", _differences(frame)
    yield from zip(("triples", "triples_by"), transitivity(frame, separability), strict=True)
    bins = [{**of, **cell} for of, one in parts for cell in _distribution(one)]
    yield "distribution", _frame("distribution", bins)
    won = [measure_consistent_wins(of, one) for of, one in parts]
    yield "consistent", pd.concat(won or [_frame("consistent", [])])


def _frame(name: str, rows: list[dict[str, Any]]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=list_names(columns.TABLES[name]))


def _differences(frame: pd.DataFrame) -> pd.DataFrame:
    first = frame["points"].where(frame["points"] != 0.5)
    longer = first.where(frame["doublings"] >= 0, 1 - first)
    by = {"p_first": first, "longer": longer.where(frame["doublings"].fillna(0) != 0)}
    tables = [
        compare_to_best(frame.assign(value=values), "value", unit=SHOWN_TEXTS, fair=0.5).assign(
            of=of
        )
        for of, values in by.items()
    ]
    there = [table for table in tables if len(table)] or tables  # counts stay whole numbers
    return pd.concat(there, ignore_index=True)[list_names(columns.DIFFERENCES)]


def _notes(rows: pd.DataFrame, unknown: int) -> list[str]:
    answered = rows[rows["comparisons"] > 0]
    confounded = answered.groupby("judge", sort=False)["confounded"].all()
    orders = answered.groupby("judge", sort=False)["pairs_both_orders"].sum()
    one_order = orders.index[(orders == 0) & ~confounded]
    notes = [*debiasing.note_left_out(unknown, "without a known order")]
    if len(one_order):
        notes.append(
            f"No pair was answered in both orders by {name_some(one_order)}: the texts shown first "
            "may simply be better."
        )
    if confounded.any():
        notes.append(
            "Each two systems were always shown in the same order to "
            f"{name_some(confounded.index[confounded])}: position bias and quality cannot be "
            "separated. Ask some pairs in the other order."
        )
    return notes


def _measure_biases(frame: pd.DataFrame) -> dict[str, Any]:
    """The figures of one judge and attribute; `frame` holds every pair with its `points`, NaN where
    unanswered.
    """
    points, every_prob = frame["points"].to_numpy(float), frame["prob_a"].to_numpy(float)
    prob_a = every_prob[~np.isnan(every_prob)]
    item, known = frame["family"].to_numpy(), ~np.isnan(points)
    found = positional.first_position(points, item)
    pair, reverse = pair_codes(frame), frame["reverse"].to_numpy(bool)
    orders = positional.compare_orders(pair, reverse, points)
    _, by_order = positional.order_means(pair, ~frame["forward"].to_numpy(bool), points)
    both = by_order[:, ~np.isnan(by_order).any(axis=0)]
    first_forward, first_reverse = (both > 0.5).sum(axis=1).tolist()
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
    return {
        "comparisons": int(known.sum()),
        "items": len(np.unique(item[known])),
        "unanswered": int((~known).sum()),
        **found._asdict(),
        "p": intervals.score_test_half(
            np.where(known & (points != 0.5), points > 0.5, np.nan), item
        ),
        "decisive": int((known & (points != 0.5)).sum()),
        "share_low": firsts[1],
        "share_high": firsts[2],
        "first_forward": first_forward,
        "first_reverse": first_reverse,
        **intervals.spread("tie_rate", ties, "tie"),
        **intervals.spread("mean_prob_first", prob, "prob"),
        "pairs_both_orders": orders.answered,
        "consistent_both_orders": orders.consistent,
        "consistent_low": consistent[1],
        "consistent_high": consistent[2],
        "both_unanswered": orders.unanswered,
        "confounded": is_order_confounded(frame[known]),
        **intervals.spread("threshold", taus),
        **intervals.spread("threshold_weight", [positional.weight(taus[end]) for end in (0, 2, 1)]),
    }


def _measure_length_bias(frame: pd.DataFrame) -> dict[str, Any]:
    """Compute length bias (see `measure_lengths`): the share of decisive answers for the longer
    text, and the odds of a text twice as long, all else equal. `always` is `longer` or `shorter` if
    a judge always took that one. `unbounded` is the side without finite odds. In both cases odds
    are NaN; otherwise both are ''.
    """
    points, doublings = frame["points"].to_numpy(float), frame["doublings"].to_numpy(float)
    item = frame["family"].to_numpy()
    told = (points != 0.5) & ~np.isnan(points) & (np.nan_to_num(doublings) != 0)
    won = intervals.share(((points > 0.5) == (doublings > 0))[told].astype(float), item[told])
    effect = length_effect(points, doublings, item)
    always = {1.0: "longer", 0.0: "shorter"}.get(won[0], "")
    unbounded = always or _find_unbounded_side(effect.slope, won)
    bounded = not always and abs(effect.slope) < FARTHEST
    with np.errstate(over="ignore"):  # few answers: the end of an interval may be infinite
        odds = np.exp(effect[:3]).tolist() if bounded else [math.nan] * 3
    return {
        "comparisons": effect.n,
        "items": len(np.unique(item[told])),
        "decisive": won[3],
        **intervals.spread("longer", won),
        **intervals.spread("odds", odds, ""),
        "p": effect.p if bounded else math.nan,
        "always": always,
        "unbounded": unbounded,
    }


def _find_unbounded_side(slope: float, longer: Sequence[float]) -> str:
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
