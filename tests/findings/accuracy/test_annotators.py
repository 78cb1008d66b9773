"""How often a judge does as well as an annotator, against the test written down once more."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from core.findings.accuracy import AccuracySettings, accuracy
from core.findings.judgements import Selection
from core.importing import importer
from core.records import Dataset, TandemError
from core.statistics import FIRST, NEITHER, SECOND, ReplacementTerms
from core.store import Store
from tests.statistics.test_reliability import by_the_book

HEAD = "item,left,right,text_a,text_b,winner,judge,kind\n"
PAIRS = (("x", "y"), ("y", "z"))  # of each item
CODE = {"a": FIRST, "tie": NEITHER, "b": SECOND}
TURNED = {"a": "b", "b": "a", "tie": "tie"}


def votes(items: int, people: int, *, seed: int = 0) -> dict[str, dict[tuple[int, int], str]]:
    """Who says what of each pair: people are right in 7 of 10, `gpt` in 9, `coin` never knows."""
    rng = np.random.default_rng(seed)
    units = [(item, pair) for item in range(items) for pair in range(len(PAIRS))]
    truth = {unit: str(rng.choice(["a", "b"])) for unit in units}

    def noisy(right: float) -> dict[tuple[int, int], str]:
        other = ["a", "b", "tie"]
        return {
            unit: truth[unit] if rng.random() < right else str(rng.choice(other)) for unit in units
        }

    return {f"p{n}": noisy(0.7) for n in range(people)} | {"gpt": noisy(0.9), "coin": noisy(0.0)}


def load(store: Store, folder: Path, said: dict[str, dict[tuple[int, int], str]]) -> None:
    """People see each pair once; models both orders, and say the same in both."""
    lines = []
    for who, of in said.items():
        kind = "human" if who.startswith("p") else "llm"
        for (item, pair), won in of.items():
            a, b = PAIRS[pair]
            lines.append(f"q{item},{a},{b},{a} {item},{b} {item},{won},{who},{kind}")
            if kind == "llm":
                lines.append(f"q{item},{b},{a},{b} {item},{a} {item},{TURNED[won]},{who},{kind}")
    (folder / "v.csv").write_text(HEAD + "\n".join(lines) + "\n")
    assert importer.load(store, [folder / "v.csv"], Dataset("d")).skipped == []


def test_advantages_are_those_of_the_book(store: Store, tmp_path: Path) -> None:
    said = votes(40, 4)
    load(store, tmp_path, said)
    result = accuracy(store, Selection("d"), AccuracySettings("human", epsilon=0.15))
    rows = result.rows.set_index("judge")
    people = {
        name: {2 * item + pair: CODE[won] for (item, pair), won in of.items()}
        for name, of in said.items() if name.startswith("p")
    }  # fmt: skip
    item = [unit // 2 for unit in range(80)]
    for judge in ("gpt", "coin"):
        says = {2 * i + pair: CODE[won] for (i, pair), won in said[judge].items()}
        _, rate, probability = by_the_book(people, says, item, ReplacementTerms(0.15))
        row = rows.loc[judge]
        assert [row["winning_rate"], row["advantage"]] == pytest.approx([rate, probability])
        assert row["advantage_low"] < row["advantage"] < row["advantage_high"]
    assert rows.loc["gpt", "winning_rate"] == 1
    assert rows.loc["p0", ["winning_rate", "advantage"]].isna().all(), "an annotator is no judge"


def test_two_annotators_or_few_items_say_nothing(tmp_path: Path) -> None:
    for items, people in ((29, 4), (30, 2)):
        with Store(tmp_path / f"{items}.sqlite3") as store:
            load(store, tmp_path, votes(items, people))
            found = accuracy(store, Selection("d"), AccuracySettings("human"))
        assert "winning_rate" not in found.rows
    with pytest.raises(TandemError, match=r"1\.5"):
        AccuracySettings("human", epsilon=1.5)
