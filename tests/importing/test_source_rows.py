"""What an imported vote is known by stays what it is: stores hold it."""

from __future__ import annotations

import hashlib
from pathlib import Path

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


def test_what_a_vote_is_known_by_stays(store: Store, tmp_path: Path) -> None:
    """The mark of what it says; the same said again is another vote, and an item that is called
    like a row is known as one.
    """
    path = tmp_path / "votes.csv"
    path.write_text(FILE, encoding="utf-8")
    importer.load(store, [path], Dataset("d"), EVERY)
    marks = [int(hashlib.blake2b(said.encode(), digest_size=6).hexdigest(), 16) for said in SAID]
    places = store.connection.rows(
        """SELECT s.name, source_mark, source_occurrence, itemless FROM judgements j
        JOIN sources s ON s.id = j.source ORDER BY j.id"""
    )
    expected = zip(["d/votes.csv"] * 3, marks, [1, 2, 1], [0, 0, 1], strict=True)
    assert list(map(tuple, places)) == list(expected)


def test_a_file_under_another_name_adds_nothing(store: Store, tmp_path: Path) -> None:
    first, second = tmp_path / "votes.csv", tmp_path / "votes (1).csv"
    for path in (first, second):
        path.write_text(FILE, encoding="utf-8")
    assert importer.load(store, [first], Dataset("d"), EVERY).added["judgements"] == 3
    assert importer.load(store, [second], Dataset("d"), EVERY).added["judgements"] == 0
    second.write_text(FILE + "2,x,y,b,Ada,\n", encoding="utf-8")
    assert importer.load(store, [first], Dataset("d"), EVERY).added["judgements"] == 0
