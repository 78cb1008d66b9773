"""What rows repeat is passed on once, and not lost with a row that is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.importing import importer, repeats
from core.importing.repeats import Repeats
from core.records import Dataset, Generation, Item, JudgeSpec, Kind, System
from core.store import Store


def test_a_system_of_a_refused_row_comes_with_the_next_row_that_names_it(
    store: Store, tmp_path: Path
) -> None:
    votes = tmp_path / "votes.csv"
    votes.write_text(
        "item,context,system_a,system_b,winner,judge\n"
        "i1,Rain,x,y,a,Ada\n"
        "i1,Snow,p,q,b,Bo\n"  # another context of the same item
        "i1,Rain,p,q,b,Bo\n"
    )
    report = importer.load(store, [votes], Dataset("d"))
    assert [row["row"] for row in report.skipped] == [2]
    assert sorted(store.datasets.systems("d")) == ["p", "q", "x", "y"]
    assert report.added["judgements"] == 2
    assert report.added["judges"] == 2


def test_readers_that_make_a_new_system_in_every_row_fill_no_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(repeats, "SIZE", 10)
    repeated, made = Repeats(), [System(f"x{i}") for i in range(95)]
    for system in made:
        repeated.tell([system])
    assert repeated.without(made) == made[:90], "those since all was forgotten are left out"


def test_only_the_same_object_is_left_out_and_of_items_only_the_last() -> None:
    repeated, system, judge = Repeats(), System("x"), JudgeSpec("Ada", Kind.HUMAN)
    first, second, text = Item("i1"), Item("i2"), Generation("i1", "x", 0, "text")
    row = [first, system, text, judge]
    assert repeated.without(row) == row
    assert repeated.without(row) == row, "nothing is taken in before it is told"
    repeated.tell(row)
    assert repeated.without([first, system, text, judge]) == [text]
    assert repeated.without([System("x")]) == [System("x")]
    repeated.tell([second])
    assert repeated.without([first, second]) == [first]
