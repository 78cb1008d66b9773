from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import false_discovery_control
from statsmodels.stats.multitest import multipletests

from core.findings.judgements import Selection
from core.findings.replacement import ReplaceSettings, replacement
from core.findings.replacement.chart import advantages
from core.importing import importer
from core.records import Dataset, TandemError
from core.rendering.charts import picture
from core.reporting import draw_finding
from core.statistics import FIRST, NEITHER, SECOND, ReplacementTerms
from core.store import Store
from tests.sentence_facts import find_sentences, list_figures
from tests.statistics.test_alternative_annotator import by_the_book

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


def rows(result: Any) -> dict[str, dict[str, Any]]:
    return {row["judge"]: row for row in result.rows.to_dict("records")}


def test_who_may_replace_an_annotator(store: Store, tmp_path: Path) -> None:
    said = votes(40, 4)
    load(store, tmp_path, said)
    result = replacement(store, Selection("d"), ReplaceSettings(epsilon=0.15))
    found = rows(result)
    assert (found["gpt"]["verdict"], found["coin"]["verdict"]) == ("may replace", "not shown")
    people = {
        name: {2 * item + pair: CODE[won] for (item, pair), won in of.items()}
        for name, of in said.items() if name.startswith("p")
    }  # fmt: skip
    item = [unit // 2 for unit in range(80)]
    for judge in ("gpt", "coin"):
        says = {2 * i + pair: CODE[won] for (i, pair), won in said[judge].items()}
        p, rate, probability = by_the_book(people, says, item, ReplacementTerms(0.15))
        each = result.tables["annotators"].query("judge == @judge").sort_values("annotator")
        assert each["p"].tolist() == pytest.approx(p)
        row = found[judge]
        assert [row["rate"], row["probability"]] == pytest.approx([rate, probability])
        assert row["low"] < row["probability"] < row["high"]
        assert (row["annotators"], row["items"], row["pairs"]) == (4, 40, 80)
        of_each = false_discovery_control(p, method="by")
        assert row["p"] == pytest.approx(sorted(of_each)[1]), "half of four annotators"
    p = [found[judge]["p"] for judge in ("gpt", "coin")]
    adjusted = [found[judge]["adjusted"] for judge in ("gpt", "coin")]
    assert adjusted == pytest.approx(multipletests(p, method="holm")[1])
    first, second = result.facts["sentences"]
    assert re.match(
        r"gpt may replace\b.*\b4 of 4 annotators\b.*\bepsilon 0\.15\b.*\bskilled\b", first
    )
    assert re.match(r"coin was not\b.*\breplace\b", second)
    assert find_sentences(result.notes, r"\bpairs of one item\b.*\bmean\b")


def test_too_few_to_tell(tmp_path: Path) -> None:
    """How many of the three annotators it takes are there, and the most items that anybody has."""
    for items, people, figures in ((29, 4, [0, 29]), (30, 2, [2, 30]), (5, 1, [0, 0])):
        with Store(tmp_path / f"{items}.sqlite3") as store:
            load(store, tmp_path, votes(items, people))
            result = replacement(store, Selection("d", judges=("gpt",)), ReplaceSettings())
        assert result.rows["verdict"].tolist() == ["cannot tell"]
        [said] = result.facts["sentences"]
        assert re.match(r"Whether gpt\b.*\bopen\b", said)
        assert list_figures(said)[-2:] == figures


def test_annotators_may_be_named(store: Store, tmp_path: Path) -> None:
    """And whoever is one is no candidate."""
    load(store, tmp_path, votes(30, 4))
    named = ReplaceSettings(people=("p0", "p1", "p2"))
    result = replacement(store, Selection("d", judges=("gpt", "p3")), named)
    assert set(result.rows["judge"]) == {"gpt", "p3"}
    assert set(result.tables["annotators"]["annotator"]) == {"p0", "p1", "p2"}
    with pytest.raises(TandemError, match=r"^no judge but\b"):
        replacement(store, Selection("d", judges=("human",)), ReplaceSettings())


def test_what_cannot_be_asked() -> None:
    wrong: dict[str, dict[str, Any]] = {
        "1 is not from 0 to 1: 0.2 suits experts": {"epsilon": 1.0},
        "-0.1 is not from 0 to 1": {"epsilon": -0.1},
        "'x'; there are category, half": {"ties": "x"},
    }
    for said, settings in wrong.items():
        with pytest.raises(TandemError, match=said):
            ReplaceSettings(**settings)


def test_pictures(store: Store, tmp_path: Path) -> None:
    """A dot for each judge, and for each annotator; left of the line a judge is worse by more."""
    load(store, tmp_path, votes(30, 3))
    result = replacement(store, Selection("d"), ReplaceSettings(epsilon=0.2))
    assert b"coin" in picture(draw_finding(result), "svg")
    each = result.tables["annotators"].query("judge == 'gpt'")
    svg = picture(advantages(each, 0.2), "svg").decode()
    assert all(f"{who} · p " in svg for who in ("p0", "p1", "p2"))
