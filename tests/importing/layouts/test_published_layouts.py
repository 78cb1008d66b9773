"""Pairs that nobody has judged yet, and pairs of rankings: what is asked about them."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

from core.campaigns import enrol
from core.importing import importer
from core.records import Dataset
from core.store import Store
from tests.published import Study
from tests.study import ask

Row = dict[str, Any]


def rank_rows(*ranks: tuple[str, str, object]) -> list[Row]:
    return [
        {"item": "q", "judge": judge, "system": system, "rank": rank, "text": f"text of {system}"}
        for judge, system, rank in ranks
    ]


def pair(prompt: str, a: str, b: str, **more: str) -> dict[str, str]:
    return {
        "prompt": prompt, "model_a": a, "response_a": f"{a} on {prompt}", "model_b": b,
        "response_b": f"{b} on {prompt}", **more,
    }  # fmt: skip


def planned(store: Store) -> list[str]:
    """The systems of the pairs to ask, by name."""
    rows = store.connection.rows(
        """SELECT s.name, t.name FROM campaign_pairs p JOIN generations a ON a.id = p.generation_1
        JOIN generations b ON b.id = p.generation_2 JOIN systems s ON s.id = a.system
        JOIN systems t ON t.id = b.system"""
    )
    return sorted("".join(sorted(each)) for each in rows)


def test_of_three_texts_just_the_listed_pairs_are_asked(published: Study) -> None:
    rows = [pair("q", "x", "y"), pair("q", "z", "y")]
    path = published.write("p.csv", rows)
    published.load(path)
    assert (planned(published.store), len(published.texts())) == (["xy", "yz"], 3)
    assert published.votes() == []
    assert set(published.load(path).added.values()) == {0}  # the same pairs again
    assert planned(published.store) == ["xy", "yz"]
    enrol(published.store, "Ada")
    shown = ask(published.store, "Ada", "d")
    assert shown is not None
    assert {shown.text_a, shown.text_b} in [{"x on q", "y on q"}, {"z on q", "y on q"}]


def test_a_text_that_comes_later_is_not_asked_about_by_itself(published: Study) -> None:
    published.bring("p.csv", [pair("q", "x", "y")])
    published.bring("more.csv", [{"prompt": "q", "model": "w", "response": "w on q"}])
    assert planned(published.store) == ["xy"]
    rows = [{"prompt": "r", "model": name, "response": name} for name in "xyw"]
    published.bring("other.csv", rows)
    assert set(planned(published.store)) == {"xy", "wx", "wy"}


def test_every_pair_says_which_ranking_it_is_of(published: Study) -> None:
    """And a system once more begins another ranking."""
    rows = [{"item": "q", "ranker": who, "ranking": "a>b>c"} for who in ("ann", "bob")]
    ranks = rank_rows(("ann", "a", 1), ("ann", "b", 2), ("ann", "b", 1), ("ann", "a", 2))
    for name, table, pairs in [("r.csv", rows, [3, 3]), ("s.csv", ranks, [1, 1])]:
        path: Path = published.write(name, table)
        survey = importer.survey(published.store, [path], Dataset("d"))
        counted = "SELECT count(*) FROM entries GROUP BY ranking ORDER BY ranking"
        assert [each for (each,) in survey.stage.database.rows(counted)] == pairs


def test_scores_without_their_pairs(published: Study) -> None:
    path = published.folder / "org" / "reward-one.json"
    path.parent.mkdir(parents=True)
    shutil.copy(Path(__file__).parents[1] / "results/eval-set-scores/org" / path.name, path)
    report = published.load(path)
    assert any(re.search("chosen.*rejected", each) for each in report.warnings)
    assert [row[1:3] for row in published.votes()] == [["chosen", "rejected"]] * 3
