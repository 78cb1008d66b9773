"""Files that are written whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from core.records import FaultError
from core.whole_files import atomic_write
from tests.disk import Disk
from tests.processes import forked


def test_killed_midway_the_file_is_as_before_and_what_is_left_goes_with_the_next(
    tmp_path: Path,
) -> None:
    target, mine = tmp_path / "export.csv", tmp_path / f"export.csv.{os.getpid()}.part"
    target.write_text("before")
    for name in ("notes.part", "export.csv.of-mine.part", "other.csv.999999999.part"):
        (tmp_path / name).write_text("somebody's")
    killed = forked().Process(target=write_and_die, args=(target,))
    killed.start()
    killed.join()
    assert killed.exitcode == 9
    assert target.read_text() == "before"
    left = tmp_path / f"export.csv.{killed.pid}.part"
    assert left.read_text() == "half"
    with atomic_write(target) as part:
        assert not left.exists()
        assert part == mine
        part.write_text("after")
    assert target.read_text() == "after"
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "export.csv",
        "export.csv.of-mine.part",
        "notes.part",
        "other.csv.999999999.part",
    ]


def write_and_die(target: Path) -> None:
    with atomic_write(target) as part:
        part.write_text("half")
        os._exit(9)


def test_on_a_full_disk_the_file_is_as_before(disk: Disk) -> None:
    target = disk.folder / "export.csv"
    target.write_text("before")
    disk.fill()
    full = pytest.raises(FaultError, match=rf"{target.name}.*full.*free some")
    with full, atomic_write(target) as part:
        part.write_text("x" * 100_000)
    assert target.read_text() == "before"
    assert {path.name for path in disk.folder.iterdir()} == {"export.csv", "filler"}
