"""Failures of a judge, as pairs to read, and its card: what it is, how good on both sides of the
items, and where it fails.
"""

from __future__ import annotations

import json
import re
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pandas as pd

from ...frames import Schema, get_schema
from ...labels import percent, pluralize
from ...records import JudgeSpec, Kind, Prompt, Scale, TandemError
from ...store import Store
from ..accuracy import score_answers
from ..judgements import minimum
from ..judgements.finding import Finding, list_records, unless_refused
from ..judgements.selection import Selection
from ..judgements.verdicts import MOST_READ, PAIR, add_texts, average_pairs, count_verdicts
from .compute import lab
from .settings import DEVELOPMENT, TEST, LabSettings, find_common_pairs

FailureRows = Annotated[
    pd.DataFrame,
    Schema({
        str: "item attribute context better preferred better_system preferred_system",
        float: "judge people", int: "better_text preferred_text",
    }),
]  # fmt: skip


def list_failures(store: Store, selection: Selection, settings: LabSettings) -> FailureRows:
    """List the pairs of development items on which a judge and the reference differ most surely:
    its mean probability of the worse text (`judge`), times the share of `people` for the better.
    """
    common = find_common_pairs(store, selection).pairs
    settings = settings.fill(store, replace(selection, judges=()))
    parts = []
    for attribute, meant in common[common["side"] == DEVELOPMENT].groupby("attribute"):
        sides = meant["generation_1"].tolist(), meant["generation_2"].tolist()
        about = replace(
            selection, attribute=str(attribute), pairs=frozenset(zip(*sides, strict=True))
        )
        scored = score_answers(store, about, settings.reference())
        rows = scored.rows[scored.rows["truth"].isin((0.0, 1.0))]
        pairs = average_pairs(rows).merge(rows.drop_duplicates(PAIR)[[*PAIR, "truth"]], on=PAIR)
        first = pairs["truth"] == 1
        pairs["judge"] = pairs["prob_1"].where(~first, 1 - pairs["prob_1"])
        pairs["people"] = 1.0
        if scored.truth is not None:
            voted = count_verdicts(scored.truth.dropna(subset="points")).groupby(PAIR)["points"]
            share = voted.mean().reindex(pd.MultiIndex.from_frame(pairs[PAIR])).to_numpy(float)
            pairs["people"] = np.abs(share - 0.5) + 0.5
        parts.append(pairs[pairs["judge"] > 0.5])
    if not parts:
        return get_schema(FailureRows).make()
    wrong = pd.concat(parts, ignore_index=True)
    surest = (wrong["judge"] * wrong["people"]).sort_values(ascending=False, kind="stable").index
    shown = add_texts(store, selection.dataset, wrong.loc[surest].head(MOST_READ))
    is_first = (shown["truth"] == 1).to_numpy(bool)
    for name, place in (("better", is_first), ("preferred", ~is_first)):
        for end, column in (("", "text"), ("_system", "system"), ("_text", "candidate")):
            shown[f"{name}{end}"] = np.where(place, shown[f"{column}_1"], shown[f"{column}_2"])
    return get_schema(FailureRows).read(shown[list(get_schema(FailureRows).kinds)])


HIDDEN = re.compile(r"<!-- tandem-card\n(.*?)\n-->", re.DOTALL)  # JSON within a page
Card = dict[str, Any]


def make_card(store: Store, selection: Selection, settings: LabSettings, judge: str) -> Card:
    """Make the card of one judge: its settings, its figures on the development items and, where
    these were opened for it, on the test items, and its surest failures on development items.
    """
    selection = replace(selection, judges=(judge,))
    found = lab(store, selection, replace(settings, open_test=False))
    test = unless_refused(partial(lab, store, selection, replace(settings, open_test=True)))
    facts, sides = found.facts, {DEVELOPMENT: found, TEST: test}
    return {
        "judge": asdict(store.judges.spec(judge)),
        "dataset": selection.dataset,
        **{name: facts[name] for name in ("against", DEVELOPMENT, TEST, "tried", "openings")},
        "rows": {side: _list_rows(one, found) if one else [] for side, one in sides.items()},
        "signatures": [one.signature for one in (found, test) if one],
        "notes": list(found.notes),
        "failures": list_records(list_failures(store, selection, settings))
        if facts["against"]
        else [],
    }  # fmt: skip


def _list_rows(one: Finding, found: Finding) -> list[dict[str, Any]]:
    about = ["attribute", "correction"]
    order = found.rows[about].apply(tuple, axis=1).tolist()
    rows = {tuple(row[name] for name in about): row for row in list_records(one.rows)}
    return [rows.get(key, {}) for key in order]


def check_card(card: Card, least: float) -> tuple[str, str]:
    """Say whether a judge is right as often as `least` asks on every attribute, by the interval of
    its accuracy on the test items: `trusted`, `not trusted` or `cannot tell yet`, and the reason.
    """
    judge, items = card["judge"]["name"], card[TEST]
    rows = [row for row in card["rows"][TEST] if row.get("accuracy") is not None]
    if not rows:
        return "cannot tell yet", f"{judge}: open the test items first, with votes or gold labels"
    failing = [row for row in rows if row["accuracy_high"] < least]
    row = min(failing or rows, key=lambda of: of["accuracy_low"])
    low, high = row["accuracy_low"], row["accuracy_high"]
    about = f" ({row['attribute']})" if len(rows) > 1 else ""
    said = f"{judge}{about} is right in {percent(row['accuracy'], low, high)} on "
    said += f"{pluralize(items, 'test item')}, where {least:.0%} is asked"
    if low >= least or failing:
        return "not trusted" if failing else "trusted", said
    needed = minimum.estimate_needed(row["accuracy"], low, high, items, against=least)
    if needed is None:
        return "cannot tell yet", said
    return "cannot tell yet", f"{said}; {pluralize(needed, 'item')} would tell in 4 of 5 studies"


def read_card(file: Path) -> tuple[Card, JudgeSpec]:
    """Read a card and its judge's settings from its page. Raises TandemError for another file."""
    try:
        text = file.read_text(encoding="utf-8")
        hidden = HIDDEN.search(text)
        card: Card = json.loads(hidden[1] if hidden else text)
        told = {**card["judge"], "kind": Kind(card["judge"]["kind"])}
        told |= {"labels": tuple(told["labels"]), "stop": tuple(told["stop"])}
        if told["prompt"]:
            labels = tuple(told["prompt"]["labels"])
            told["prompt"] = Prompt(**{**told["prompt"], "labels": labels})
        return card, JudgeSpec(**{**told, "scale": Scale(*told["scale"])})
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise TandemError(f"{file} holds no card of a judge: `lab --card` writes one") from error
