"""What an imported vote is known by stays what it is: stores hold it."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pytest

from core.importing import Reading, Repeats, importer
from core.records import Dataset
from core.store import Store

FILE = """item,system_a,system_b,winner,judge,prob_a
1,x,y,a,Ada,0.25
1,x,y,a,Ada,0.25
row-7,x,y,tie,Zoë,
"""
SAID = (
    '["1", "x", "y", "Ada", "overall", true, "", "a", 0.25, ""]',
    '["1", "x", "y", "Ada", "overall", true, "", "a", 0.25, ""]',
    '["row-7", "x", "y", "Zo\\u00eb", "overall", true, "", "tie", null, ""]',
)
"""What tells each vote from others, by hand; stores hold 48 bits of it."""
EVERY = Reading(repeats=Repeats.ALL)


@pytest.fixture
def places(store: Store, tmp_path: Path) -> list[tuple[Any, ...]]:
    path = tmp_path / "votes.csv"
    path.write_text(FILE, encoding="utf-8")
    importer.load(store, [path], Dataset("d"), EVERY)
    return store.connection.rows(
        """SELECT s.name, source_mark, source_occurrence, itemless FROM judgements j
        JOIN sources s ON s.id = j.source ORDER BY j.id"""
    )


def test_marks_are_of_what_a_vote_says(places: list[tuple[Any, ...]]) -> None:
    marks = [int(hashlib.blake2b(said.encode(), digest_size=6).hexdigest(), 16) for said in SAID]
    assert [place[1] for place in places] == marks
    assert {place[0] for place in places} == {"d/votes.csv"}


def test_the_same_said_again_is_another_vote(places: list[tuple[Any, ...]]) -> None:
    assert [place[2] for place in places] == [1, 2, 1]


def test_an_item_that_is_called_like_a_row_is_known_as_one(places: list[tuple[Any, ...]]) -> None:
    assert [place[3] for place in places] == [0, 0, 1]


def test_a_file_under_another_name_adds_nothing(store: Store, tmp_path: Path) -> None:
    first, second = tmp_path / "votes.csv", tmp_path / "votes (1).csv"
    for path in (first, second):
        path.write_text(FILE, encoding="utf-8")
    assert importer.load(store, [first], Dataset("d"), EVERY).added["judgements"] == 3
    assert importer.load(store, [second], Dataset("d"), EVERY).added["judgements"] == 0
    second.write_text(FILE + "2,x,y,b,Ada,\n", encoding="utf-8")
    assert importer.load(store, [first], Dataset("d"), EVERY).added["judgements"] == 0
