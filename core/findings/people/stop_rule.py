"""Test whether the order of the systems is settled, and estimate the votes still needed."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from core.findings.judgements import (
    COLLECTING,
    Finding,
    code_families,
    note_few_items,
    selection_notes,
    write_signature,
)
from core.findings.people.columns import NEIGHBOURS, SETTLED
from core.findings.people.scope import Scope, fill_scope, votes
from core.labels import round_up_to_two_digits
from core.records import TandemError, option_ref
from core.rendering import list_names
from core.settings import check_choices, declare
from core.statistics import Drawing, ratings, settling
from core.store import Store

RESAMPLES = 200
SOON = 5
"""Times the votes so far beyond which more are called too many to say how many: two systems with
as many points each are expected to take 8 times as many, however many those are.
"""
FAR = 100
"""Times the votes so far that are called far more."""

MISSING = ("missing_low", "missing", "missing_high", "missing_once")

NO_NEIGHBOURS = pd.DataFrame(columns=list_names(NEIGHBOURS))
RULES = {"apart": "neighbours are told apart", "certain": "the whole order is likely right"}


@dataclass(frozen=True)
class StopRule:
    """Rule for a settled order. `apart`: every two neighbours differ, with familywise confidence
    `level` over all pairs, at any number of looks. `certain`: the whole order is right with
    probability `level`, at one look.
    """

    rule: str = declare(
        "apart", "what settles an order", choices=RULES, label="When",
        more="**Told apart**: each two neighbours in the order, tested for all systems together. "
        "It holds whenever you look, so you may stop as soon as it is settled. **Likely right**: "
        "the posterior probability of this order, with a flat prior. It holds at one look.",
    )  # fmt: skip
    level: float = declare(
        0.95, "with which certainty", metavar="P", least=0, label="With certainty"
    )

    def __post_init__(self) -> None:
        check_choices(self)
        if not 0.5 < self.level < 1:
            raise TandemError(
                f"{option_ref('level')} {self.level:g} is not between 0.5 and 1, such as 0.95"
            )

    @property
    def statistics(self) -> settling.Rule:
        """Return the rule as the statistics take it."""
        return settling.Rule(self.level, self.rule == "certain", always=True)


def stop(store: Store, scope: Scope, rule: StopRule = StopRule()) -> Finding:
    """Test whether people's votes settle the order of systems, by Bradley-Terry strengths for each
    attribute (ties half). Items are resampled, so results hold for these people.

    Rows: NEIGHBOURS, two in the order each. Table `attributes`: SETTLED; missing votes are those
    expected if they come as these did, infinite where that is more than anybody gives (see
    `settling.estimate_growth`). Facts: settled (all attributes) and sentence, which says it.
    """
    scope = fill_scope(store, scope)
    frame = votes(store, scope)
    once = (frame["trial"] == 0) | frame["campaign"].isna()  # a second answer is no new vote
    frame = frame[frame["outcome"].notna() & ~frame["excluded"] & once]
    planned = store.annotator_stats.count_missing(scope.selection.dataset, scope.campaign)
    pairs, attributes = [], []
    for attribute, of in frame.groupby("attribute", sort=False):
        neighbours, figures = _test_neighbours(
            of, str(attribute), rule, scope.selection.seed, planned
        )
        pairs.append(neighbours)
        attributes.append(figures)
    rows = pd.concat(pairs, ignore_index=True) if pairs else NO_NEIGHBOURS
    table = pd.DataFrame(attributes, columns=list_names(SETTLED))
    sentences = [_sentence(figures, rows, rule) for figures in attributes]
    at_once = rule.rule == "certain"  # which holds at one look
    cautious = at_once and store.annotator_stats.is_collecting(
        scope.selection.dataset, scope.campaign
    )
    several = len(attributes) > 1
    said = [
        f"{figures['attribute']}: {sentence}" if several else sentence
        for figures, sentence in zip(attributes, sentences, strict=True)
    ]
    return Finding(
        rows,
        write_signature(
            "settled", **scope.signature_values(), rule=rule.rule, level=rule.level, boot=RESAMPLES,
            seed=scope.selection.seed,
        ),
        len(frame),
        {},
        [
            "It speaks of these people, on new items like these.",
            *note_few_items(frame["family"].nunique()),
            *selection_notes(store, scope.selection),
        ],
        {
            "settled": bool(len(table)) and bool(table["settled"].all()),
            "sentence": " ".join([*said, *[COLLECTING] * (cautious and bool(said))])
            or "Nobody has answered yet.",
        },
        {"attributes": table},
        "pairs",
        NEIGHBOURS,
        {"attributes": SETTLED},
    )  # fmt: skip


def _test_neighbours(
    frame: pd.DataFrame, attribute: str, rule: StopRule, seed: int, planned: Mapping[str, int]
) -> tuple[pd.DataFrame, dict[str, Any]]:
    """The neighbours of one attribute's order, and its row of the table."""
    names = np.array(sorted({*frame["system_a"], *frame["system_b"]}))
    rng = np.random.default_rng(seed)
    item = code_families(frame)
    board = ratings.leaderboard(
        "bradley-terry",
        np.searchsorted(names, frame["system_a"].to_numpy()),
        np.searchsorted(names, frame["system_b"].to_numpy()),
        frame["points"].to_numpy(float),
        n=len(names),
        drawing=Drawing(
            rng, RESAMPLES if item.any() else 0, item, confidence=rule.level, resolve="always"
        ),
    )
    figures: dict[str, Any] = dict.fromkeys(list_names(SETTLED), math.nan)
    figures |= {
        "attribute": attribute, "settled": False, "systems": len(names), "votes": len(frame),
        "planned": planned.get(attribute, 0),
    }  # fmt: skip
    if board.uncertainty is None or not board.connected:
        return NO_NEIGHBOURS, figures
    order = settling.estimate_order(board.uncertainty, board.beats, rng)
    growth = settling.estimate_growth(
        board.uncertainty, rule.statistics, np.random.default_rng(seed)
    )
    once = replace(rule.statistics, always=False)
    at_once = settling.estimate_growth(board.uncertainty, once, np.random.default_rng(seed)).median
    certain = order.p_order >= rule.level
    settled = certain if rule.rule == "certain" else bool(order.is_significant.all())
    ends = (growth.low, growth.median, growth.high, at_once)
    more = [0.0 if settled else max((times - 1) * len(frame), 1.0) for times in ends]
    figures |= {
        "settled": settled,
        "p_order": order.p_order,
        **dict(zip(MISSING, map(round_up_to_two_digits, more), strict=True)),
        "planned_settle": growth.probability_within(1 + figures["planned"] / len(frame)),
    }
    better, worse = names[order.systems[:-1]], names[order.systems[1:]]
    columns = (attribute, better, worse, order.gap, order.p_better, order.is_significant)
    return pd.DataFrame(dict(zip(NO_NEIGHBOURS, columns, strict=True))), figures


def _sentence(figures: Mapping[str, Any], rows: pd.DataFrame, rule: StopRule) -> str:
    systems, level = figures["systems"], f"{rule.level:.0%}"
    if math.isnan(figures["p_order"]):
        return "Too few votes to say: it takes two items or more, and systems that are compared."
    if figures["settled"] and rule.rule == "certain":
        return (
            f"Settled: the order of the {systems} systems is right with probability {level}, by a "
            "flat prior."
        )
    if figures["settled"]:
        return (
            f"Settled: the {systems} systems are told apart, with {level} confidence whenever you "
            "look."
        )
    near = rows[rows["attribute"] == figures["attribute"]]
    closest = near.loc[near["p_better"].idxmin()]
    pair = f"{closest['better']} and {closest['worse']}"
    low, missing, high = (figures[f"missing{end}"] for end in ("_low", "", "_high"))
    if missing > SOON * figures["votes"]:
        most = round_up_to_two_digits(SOON * figures["votes"])
        return f"Not settled, and not expected within {most:,.0f} more votes: {pair} are too close."
    upper = "far more" if high > FAR * figures["votes"] else f"{high:,.0f}"
    said = (
        f"Not settled: {pair} are closest. About {missing:,.0f} more votes are expected to be "
        f"missing ({low:,.0f} to {upper} in four of five cases)"
    )
    if rule.rule == "certain":
        return f"{said}."
    once = figures["missing_once"]
    return f"{said}, however often you look; {once:,.0f} for one look at a number fixed beforehand."
