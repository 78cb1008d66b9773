"""Files that are written whole or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest

from core.records import FaultError
from core.scratch import scratch, temp_errors
from core.whole_files import atomic_write
from tests.disk import Disk
from tests.processes import run_until_killed

OTHERS = ("notes.part", "export.csv.of-mine.part", "other.csv.999999999.part")


def test_killed_midway_the_file_is_as_before_and_what_is_left_goes_with_the_next(
    tmp_path: Path,
) -> None:
    target, mine = tmp_path / "export.csv", tmp_path / f"export.csv.{os.getpid()}.part"
    target.write_text("before")
    for name in OTHERS:
        (tmp_path / name).write_text("somebody's")
    pid = run_until_killed(write_and_die, target)
    assert target.read_text() == "before"
    left = tmp_path / f"export.csv.{pid}.part"
    assert left.read_text() == "half"
    with atomic_write(target) as part:
        assert not left.exists()
        assert part == mine
        part.write_text("after")
    assert target.read_text() == "after"
    assert {path.name for path in tmp_path.iterdir()} == {target.name, *OTHERS}


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


# ---- Folders for a while


def test_what_a_killed_process_left_goes_with_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    run_until_killed(die, tmp_path)
    (tmp_path / "tandem-notes").mkdir()  # of somebody else
    [left] = tmp_path.glob("tandem-*-*")
    assert (left / "upload").exists()
    with scratch() as first, scratch() as second:
        assert not left.exists()
        assert Path(first).is_dir()  # of a process that lives
        assert Path(second).is_dir()
    assert [path.name for path in tmp_path.glob("tandem-*")] == ["tandem-notes"]


def test_a_full_disk_of_temporary_files_is_named(
    disk: Disk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(disk.folder))
    said = rf"the disk of temporary files, {disk.folder}, is full: free some space there"
    with scratch() as folder:
        disk.fill()
        with pytest.raises(FaultError, match=said), temp_errors():
            (Path(folder) / "upload").write_bytes(b"x" * 100_000)


def test_a_folder_of_temporary_files_that_is_gone_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "gone"))
    with pytest.raises(FaultError, match=r"temporary files.*TMPDIR"):
        scratch()


def die(folder: Path) -> None:
    tempfile.tempdir = str(folder)
    mine = scratch()
    (Path(mine.name) / "upload").write_text("a file")
    os._exit(9)
