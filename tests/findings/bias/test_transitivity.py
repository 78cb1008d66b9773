from __future__ import annotations

import re
from collections import defaultdict
from itertools import combinations, permutations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from core.findings.bias import BiasSettings, bias, describe_triples
from core.findings.judgements import Selection
from core.importing import importer
from core.records import Dataset
from core.store import Store
from tests.sentence_facts import list_figures

HEAD = "item,left,right,text_a,text_b,winner,prob_a,judge,kind\n"
SYSTEMS = "wxyz"
ITEMS = 15


def votes(seed: int, judge: str) -> list[tuple[str, str, str, str, float]]:
    """item, left, right, outcome, probability: four texts of 15 items, each pair in both orders."""
    rng = np.random.default_rng(seed)
    return [
        (f"q{item}", a, b, str(rng.choice(["a", "b", "tie"], p=[0.6, 0.3, 0.1])), rng.integers(1, 8) / 8)
        for item in range(ITEMS) for a, b in permutations(SYSTEMS, 2)
    ]  # fmt: skip


def load(store: Store, folder: Path, rows: list[Any], judge: str = "gpt") -> None:
    lines = [
        f"{item},{a},{b},{a} {item},{b} {item},{won},{p},{judge},llm" for item, a, b, won, p in rows
    ]
    (folder / "v.csv").write_text(HEAD + "\n".join(lines) + "\n")
    assert importer.load(store, [folder / "v.csv"], Dataset("d")).skipped == []


def counted(rows: list[Any], items: set[str]) -> dict[str, float]:
    """Triples, and the shares that are cyclic and violate strong transitivity, one by one."""
    points: dict[Any, list[float]] = defaultdict(list)
    probs: dict[Any, list[float]] = defaultdict(list)
    for item, a, b, won, p in rows:
        value = {"a": 1.0, "b": 0.0, "tie": 0.5}[won]
        for x, y, of, prob in ((a, b, value, p), (b, a, 1 - value, 1 - p)):
            points[item, x, y].append(of)
            probs[item, x, y].append(prob)
    totals = {"triples": 0, "decided": 0, "cyclic": 0, "strong": 0}
    for item in items:
        for three in combinations(SYSTEMS, 3):
            mean = {(x, y): np.mean(points[item, x, y]) for x, y in permutations(three, 2)}
            p = {(x, y): np.mean(probs[item, x, y]) for x, y in permutations(three, 2)}
            decided = all(value != 0.5 for value in mean.values())
            chains = list(permutations(three))
            totals["triples"] += 1
            totals["decided"] += decided
            totals["cyclic"] += decided and any(
                min(mean[x, y], mean[y, z], mean[z, x]) > 0.5 for x, y, z in chains
            )
            totals["strong"] += any(
                min(p[x, y], p[y, z]) >= 0.5 and p[x, z] < max(p[x, y], p[y, z]) - 1e-9
                for x, y, z in chains
            )
    return {
        "triples": totals["triples"],
        "cyclic": totals["cyclic"] / totals["decided"],
        "strong": totals["strong"] / totals["triples"],
    }


def test_triples_one_by_one(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = votes(3, "gpt")
    load(store, tmp_path, rows)
    separability = pd.DataFrame({"item": [f"q{i}" for i in range(ITEMS)], "system_1": "w"})
    separability = separability.assign(system_2="x", separability=np.arange(ITEMS) / ITEMS)
    monkeypatch.setattr(BiasSettings, "measure_items", lambda *_: separability)
    tables = bias(store, Selection("d"), BiasSettings()).tables
    (row,) = tables["triples"].to_dict("records")
    by_hand = counted(rows, {f"q{i}" for i in range(ITEMS)})
    assert {name: row[name] for name in by_hand} == pytest.approx(by_hand)
    assert row["low"] < row["cyclic"] < row["high"]
    # In bins of separability from low to high: these of the first are counted again.
    by = tables["triples_by"]
    assert len(by) == 4
    assert by["triples"].sum() == row["triples"]
    first = counted(rows, {f"q{i}" for i in range(int(by["items"].iloc[0]))})
    assert {name: by.iloc[0][name] for name in first} == pytest.approx(first)


def test_two_systems_make_no_triple_and_a_few_claim_nothing(store: Store, tmp_path: Path) -> None:
    load(store, tmp_path, [row for row in votes(0, "gpt") if {row[1], row[2]} == {"w", "x"}])
    triples = bias(store, Selection("d")).tables["triples"]
    assert triples.empty
    assert describe_triples(triples) == ""
    load(store, tmp_path, votes(1, "gpt")[:24])
    said = describe_triples(bias(store, Selection("d")).tables["triples"])
    assert re.search(r"\bso far\b.*\bfrom 30\b", said)


def test_what_is_said(store: Store, tmp_path: Path) -> None:
    """w over x, x over y and y over w in both orders on every item; z loses, and of two orders with
    it the text that is first wins against w.
    """
    beats = {("w", "x"), ("x", "y"), ("y", "w"), ("x", "z"), ("y", "z")}
    rows = [
        (f"q{i}", a, b, "b" if (b, a) in beats else "a", "")
        for i in range(ITEMS) for a, b in permutations(SYSTEMS, 2)
    ]  # fmt: skip
    load(store, tmp_path, rows)
    said = describe_triples(bias(store, Selection("d")).tables["triples"])
    # wxy is cyclic, xyz is not; of wxz and wyz, which have a coin in them, wxz is where z beats w.
    assert re.match(r"[^.]*\bgpt\b[^.]*: 50% \(95% interval [^.]*\bof 30 triples\b", said)
    assert list_figures(said)[-2:] == [38, 12]
