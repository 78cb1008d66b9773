"""Rooms do not grow: each has at most the lines of tests/ceilings.tsv, and no file is long."""

from __future__ import annotations

from pathlib import Path

from tests import ceilings
from tests.paths import ROOT


def test_no_room_is_above_its_ceiling() -> None:
    assert list(ceilings.list_too_high()) == []


def test_every_room_of_size_has_a_ceiling() -> None:
    named = {one.room for one in ceilings.read_ceilings()}
    rooms = {
        path.relative_to(ROOT).as_posix() for path in (ROOT / "core").iterdir() if path.is_dir()
    }
    rooms -= {"core/__pycache__"}
    assert rooms | {"pages", "tests"} <= named


def test_what_grows_is_seen(tmp_path: Path) -> None:
    (tmp_path / "core" / "store").mkdir(parents=True)
    table = tmp_path / "ceilings.tsv"
    table.write_text("room\tmost\taim\ncore/store\t3\t2\n")
    (tmp_path / "core" / "store" / "store.py").write_text("x = 1\n" * 3)
    assert list(ceilings.list_too_high(tmp_path, table)) == []
    (tmp_path / "core" / "store" / "votes.py").write_text("x = 1\n")
    [line] = ceilings.list_too_high(tmp_path, table)
    assert line.startswith("core/store has 4 lines")
    (tmp_path / "core" / "store" / "store.py").write_text("x = 1\n" * (ceilings.LONGEST + 1))
    assert [line.split()[0] for line in ceilings.list_too_high(tmp_path, table)] == [
        "core/store", "core/store/store.py",
    ]  # fmt: skip
