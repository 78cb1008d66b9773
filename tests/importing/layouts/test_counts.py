"""Wins that are counted: a pair a row, and square matrices."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from core.importing import importer
from core.records import Dataset, TandemError
from core.store import Store
from tests.published import Study


def wins(published: Study) -> Counter[tuple[str, ...]]:
    """(winner, loser), or (tie, first, second)."""
    rows = published.votes("system_a", "system_b", "outcome")
    sides = {"a": lambda a, b: (a, b), "b": lambda a, b: (b, a)}
    return Counter(sides.get(said, lambda a, b: ("tie", a, b))(a, b) for a, b, said in rows)


def test_wins_per_pair(published: Study, subtests: pytest.Subtests) -> None:
    for names in [
        ("player1", "player2", "win1", "win2"),
        ("model_a", "model_b", "wins_a", "wins_b"),
        ("item1", "item2", "wins1", "wins2"),
    ]:
        with subtests.test(names=names), published.renewed() as study:
            rows = [("x", "y", 3, 1), ("y", "z", 0, 2), ("x", "z", "2.0", "")]
            study.bring("w.csv", [dict(zip(names, row, strict=True)) for row in rows])
            assert wins(study) == {("x", "y"): 3, ("y", "x"): 1, ("z", "y"): 2, ("x", "z"): 2}
            assert not study.store.judgement_frames.load_all("d")["order_known"].any()


def test_ties_are_counted_beside_wins(published: Study) -> None:
    row = {"model_a": "x", "model_b": "y", "wins_a": 1, "wins_b": 0, "ties": 2}
    published.bring("w.csv", [row])
    assert wins(published) == {("x", "y"): 1, ("tie", "x", "y"): 2}


def test_half_a_win_is_none(published: Study) -> None:
    row = {"model_a": "x", "model_b": "y", "wins_a": 1, "wins_b": 0}
    report = published.bring("w.csv", [row, {**row, "wins_b": 0.5}, {**row, "wins_a": 4}])
    assert [each["row"] for each in report.skipped] == [2]
    assert wins(published) == {("x", "y"): 5}


def test_the_same_file_again_adds_nothing(published: Study) -> None:
    row = {"model_a": "x", "model_b": "y", "wins_a": 4, "wins_b": 2}
    path = published.write("w.csv", [row])
    published.load(path)
    assert published.load(path).added["judgements"] == 0
    assert wins(published) == {("x", "y"): 4, ("y", "x"): 2}


def test_a_square_matrix_of_wins(published: Study) -> None:
    rows = [
        {"winner": "x", "x": "", "y": 3, "z": 2},
        {"winner": "y", "x": 1, "y": 0, "z": 0},
        {"winner": "z", "x": 0, "y": 5, "z": 0},
    ]
    published.bring("m.csv", rows)
    assert wins(published) == {("x", "y"): 3, ("x", "z"): 2, ("y", "x"): 1, ("z", "y"): 5}


def test_counts_of_more_votes_than_a_store_takes_are_refused(store: Store, tmp_path: Path) -> None:
    path = tmp_path / "c.csv"
    path.write_text("player1,player2,win1,win2\nA,B,9000000000000,1\nB,C,3,4\n")
    with pytest.raises(TandemError, match="stand for 9,000,000,000,008 votes"):
        importer.load(store, [path], Dataset("d"))
