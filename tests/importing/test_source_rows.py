"""What an imported vote is known by stays what it is: stores hold it."""

from __future__ import annotations

import hashlib

import pytest

from core.importing import importer
from core.importing.choice import choose
from core.importing.layouts import LAYOUTS
from core.importing.source_rows import SourceRows
from core.records import Dataset, SourceRow, Vote
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


@pytest.fixture
def places(store: Store, tmp_path) -> list[SourceRow]:
    path = tmp_path / "votes.csv"
    path.write_text(FILE, encoding="utf-8")
    (file,), _ = choose(store, [path], Dataset("d"), {})
    rows, reader = SourceRows("d"), LAYOUTS["votes"].reader(file.source)
    cells = [dict(zip(FILE.split("\n")[0].split(","), line.split(","), strict=True))
             for line in FILE.splitlines()[1:]]  # fmt: skip
    return [
        record.source_row
        for number, row in enumerate(cells, start=1)
        for record in rows.found(file, number, list(reader.records(number, row))).records
        if isinstance(record, Vote) and record.source_row
    ]


def test_marks_are_of_what_a_vote_says(places):
    marks = [int(hashlib.blake2b(said.encode(), digest_size=6).hexdigest(), 16) for said in SAID]
    assert [place.mark for place in places] == marks
    assert {place.source for place in places} == {"d/votes.csv"}


def test_the_same_said_again_is_another_vote(places):
    assert [place.occurrence for place in places] == [1, 2, 1]


def test_an_item_that_is_called_like_a_row_is_told(places):
    assert [place.itemless for place in places] == [False, False, True]


def test_a_file_under_another_name_adds_nothing(store: Store, tmp_path) -> None:
    first, second = tmp_path / "votes.csv", tmp_path / "votes (1).csv"
    for path in (first, second):
        path.write_text(FILE, encoding="utf-8")
    assert importer.load(store, [first], Dataset("d")).added["judgements"] == 3
    assert importer.load(store, [second], Dataset("d")).added["judgements"] == 0
    second.write_text(FILE + "2,x,y,b,Ada,\n", encoding="utf-8")
    assert importer.load(store, [first], Dataset("d")).added["judgements"] == 0
