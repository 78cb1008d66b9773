"""How many votes a transaction of an import has: few where somebody else writes meanwhile."""

from __future__ import annotations

import time
from itertools import pairwise
from pathlib import Path

import pytest

from core.importing import importer, writing
from core.records import Dataset
from core.store import Store


@pytest.mark.parametrize(
    ("others_write", "sizes"),
    [(False, [100, 100, 500, 500, 300]), (True, [100] * 15)],  # long ones after six seconds
)
def test_long_ones_come_where_nobody_else_writes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, others_write: bool, sizes: list[int]
) -> None:
    votes, path = tmp_path / "votes.csv", tmp_path / "store.sqlite3"
    rows = "".join(f"i{row},x,y,{'abt'[row % 3]}\n" for row in range(1500))
    votes.write_text(f"item,system_a,system_b,winner\n{rows}".replace(",t\n", ",tie\n"))
    monkeypatch.setattr(writing, "CHUNK", 100)
    ends: list[int] = [0]
    monkeypatch.setattr(time, "monotonic", lambda: 3.0 * len(ends))  # a transaction
    with Store(path) as store, Store(path) as other:

        def note(stage: str, done: int, of: int) -> None:
            stored = store.connection.count("SELECT count(*) FROM judgements")
            if stored > ends[-1]:
                ends.append(stored)
                if others_write:
                    other.settings.put("other", str(done))

        importer.load(store, [votes], Dataset("d"), progress=note)
    assert [after - before for before, after in pairwise(ends)] == sizes
