"""The card of a judge: what it is, how good on both sides of the items, and where it fails."""

from __future__ import annotations

import json
import math
import re
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ...labels import percent, pluralize
from ...records import JudgeSpec, Kind, Prompt, Scale, TandemError
from ...store import Store
from ..accuracy import score_answers
from ..judgements import Finding, Selection, count_verdicts, list_records, unless_refused
from ..judgements.verdicts import PAIR
from .compute import choose_pairs, find_common_pairs, lab
from .settings import DEVELOPMENT, TEST, LabSettings

MOST_FAILURES = 12
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
        "failures": list_failures(store, selection, settings) if facts["against"] else [],
    }  # fmt: skip


def _list_rows(one: Finding, found: Finding) -> list[dict[str, Any]]:
    """The rows of a side in the order of those of the development side."""
    about = ["attribute", "correction"]
    order = found.rows[about].apply(tuple, axis=1).tolist()
    rows = {tuple(row[name] for name in about): row for row in list_records(one.rows)}
    return [rows.get(key, {}) for key in order]


def list_failures(store: Store, selection: Selection, settings: LabSettings) -> list[Card]:
    """List the pairs of development items on which a judge and the reference differ most surely:
    its mean probability of the worse text, times the share of people for the better one.
    """
    common = find_common_pairs(store, selection).pairs
    settings = settings.fill(store, replace(selection, judges=()))
    failures: list[Card] = []
    for _, meant in common[common["side"] == DEVELOPMENT].groupby("attribute"):
        scored = score_answers(store, choose_pairs(selection, meant), settings.reference())
        rows = scored.rows[scored.rows["truth"].isin((0.0, 1.0))]
        prob = np.where(rows["turned"], 1 - rows["prob_a"], rows["prob_a"])
        first = pd.Series(prob, rows.index).fillna(rows["points_1"])
        rows = rows.assign(wrong=np.where(rows["truth"] == 1, 1 - first, first))
        pairs = rows.groupby(PAIR).agg(
            {"wrong": "mean", "judgement": "first", "truth": "first", "turned": "first"}
        )
        share = pd.Series(1.0, pairs.index)
        if scored.truth is not None:
            voted = count_verdicts(scored.truth.dropna(subset="points")).groupby(PAIR)["points"]
            share = (voted.mean().reindex(pairs.index) - 0.5).abs() + 0.5
        shown = store.judgement_frames.texts(pairs["judgement"]).set_index("judgement")
        for row in pairs.assign(people=share)[pairs["wrong"] > 0.5].to_dict("records"):
            text = shown.loc[row["judgement"]]
            better, worse = ("a", "b") if (row["truth"] == 1) != row["turned"] else ("b", "a")
            about = {name: text[name] for name in ("item", "attribute", "context")}
            texts = {"better": text[f"text_{better}"], "preferred": text[f"text_{worse}"]}
            failures.append({**about, **texts, "judge": row["wrong"], "people": row["people"]})
    surest = sorted(failures, key=lambda one: -one["judge"] * one["people"])
    return surest[:MOST_FAILURES]


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
    away = max(abs(row["accuracy"] - least), 0.005)  # nearer, no number of items will do
    more = math.ceil(round(items * ((high - low) / 2 / away) ** 2, 6)) - items
    return "cannot tell yet", f"{said}; it takes about {pluralize(max(more, 1), 'item')} more"


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
