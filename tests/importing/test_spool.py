"""What was read waits on disk, and comes back as it was."""

from __future__ import annotations

import gc
from pathlib import Path

import pytest

from core.importing import importer
from core.importing.spool import Found, Spool, without_cycles
from core.records import (
    Answer,
    Attribute,
    Dataset,
    FaultError,
    Generation,
    Item,
    JudgeSpec,
    Kind,
    Outcome,
    Score,
    SourceRow,
    System,
    Vote,
)
from core.store import Store
from tests.disk import Disk

RECORDS = [
    Item("i", "Context \u2028 of 李", ("a", "b"), "s"),
    System("x", "base", {"temperature": 0.7}),
    Attribute("coherence", "coherent"),
    JudgeSpec("Ada", Kind.HUMAN),
    Generation("i", "x", 3, None),
    Score("i", "x", "coherence", "Ada", 0.1 + 0.2, 0),
    Vote("i", "x", "y", "Ada", Answer(Outcome.TIE, prob_a=1 / 3)).changed(
        source_row=SourceRow("d/f", 2**48 - 1, 2)
    ),
]


def test_rows_come_back_as_they_were_and_as_often_as_asked() -> None:
    lots = [[Found(RECORDS), Found([], own=True)], [], [Found(RECORDS[:2], own=True)]]
    spool = Spool()
    for read, lot in enumerate(lots):
        spool.keep(lot, read)
    expected = [(lot, read) for read, lot in enumerate(lots)]
    assert [*spool] == expected
    assert [*spool] == expected


def test_a_full_disk_of_temporary_files_leaves_the_store_as_it_was(
    disk: Disk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = "".join(f"i{n},x,y,a,Ada\n" for n in range(3000))
    (tmp_path / "votes.csv").write_text("item,system_a,system_b,winner,judge\n" + rows)
    monkeypatch.setattr("tempfile.tempdir", str(disk.folder))
    with Store(tmp_path / "store.sqlite3") as store:
        disk.fill()
        with pytest.raises(FaultError, match=r"the disk of temporary files, .*, is full"):
            importer.load(store, [tmp_path / "votes.csv"], Dataset("d"))
        assert store.datasets.names() == []
        disk.free()
        assert importer.load(store, [tmp_path / "votes.csv"], Dataset("d")).added["items"] == 3000
    assert [*disk.folder.iterdir()] == []


def test_python_looks_for_cycles_as_before_afterwards() -> None:
    before = gc.get_threshold()
    with without_cycles():
        assert gc.get_threshold()[0] > before[0]
    assert gc.get_threshold() == before
