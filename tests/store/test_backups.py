"""Dated copies: which stay, and that none goes before the next is there."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from core.records import FaultError, TandemError
from core.store import Store, backups, opening
from core.store.backups import Backup, Keep
from tests.disk import Disk
from tests.disk import disk as disk  # a fixture
from tests.study import fill

FIRST = datetime(2026, 1, 1, 3, tzinfo=UTC)  # a Thursday


def after(days: float) -> datetime:
    return FIRST + timedelta(days=days)


def copies(*days: float) -> list[Backup]:
    return [Backup(Path(f"{day:g}"), after(day), 1) for day in days]


def stay(*days: float, keep: Keep | None = None) -> list[float]:
    return sorted(float(file.name) for file in backups.select_kept(copies(*days), keep or Keep()))


def test_seven_days_and_the_last_of_four_weeks_before_them() -> None:
    # A copy a day for 60 days. The last is of Sunday 1 March 2026, the seventh of Monday 23
    # February; the weeks before end on Sundays, which a calendar says are these days.
    sundays = [(datetime(2026, *date, 3, tzinfo=UTC) - FIRST).days
               for date in ((1, 25), (2, 1), (2, 8), (2, 15), (2, 22))]  # fmt: skip
    assert stay(*range(60)) == [*sundays[1:], *range(53, 60)]


def test_kept_day_by_day_it_comes_to_the_same() -> None:
    there: list[float] = []
    for day in range(200):
        there = stay(*there, day)
        assert len(there) <= 11
    assert there == stay(*range(200))
    assert len(there) == 11


def test_of_a_day_the_last_stays_and_days_without_a_copy_do_not_count() -> None:
    assert stay(0, 0.1, 0.2, 1, 1.5) == [0.2, 1, 1.5]  # of the newest day all
    assert stay(0, 100, 101, 103, 110, 120, 130, 131) == [0, 100, 101, 103, 110, 120, 130, 131]
    assert stay(*range(0, 140, 7), keep=Keep(daily=2, weekly=1)) == [119, 126, 133]
    assert stay(*range(9), keep=Keep(daily=2, weekly=0)) == [7, 8]
    for numbers, said in (
        ((0, 4), r"^keep daily is 0: .*\b1\b"),
        ((7, -1), r"^keep weekly is -1: .*\b0\b"),
    ):
        with pytest.raises(TandemError, match=said):
            Keep(*numbers)


def add(store: Store, folder: Path, day: float, keep: Keep | None = None) -> backups.BackupMade:
    return backups.add(store, folder, keep or Keep(), clock=lambda: after(day))


def test_a_copy_of_each_day_and_nothing_else_goes(store: Store, tmp_path: Path) -> None:
    fill(store)
    folder = tmp_path / "new" / "folder"
    others = ("notes.txt", "other-20260101T030000Z.sqlite3", "store-20269999T030000Z.sqlite3")
    for day in range(4):
        made = add(store, folder, day, Keep(2, 0))
        for name in others:
            (folder / name).touch()
    assert [file.name for file in made.gone] == ["store-20260102T030000Z.sqlite3"]
    there = backups.list_copies(folder, store.path)
    assert [copy.at for copy in there] == [after(3), after(2)]
    assert len(list(folder.iterdir())) == 2 + len(others)
    with Store(there[1].file) as copy:
        assert copy.connection.check()["ok"]
        assert copy.datasets.names() == store.datasets.names()


def test_without_a_rule_or_under_a_clock_that_was_set_back_none_goes(
    store: Store, tmp_path: Path
) -> None:
    for day in range(12):
        made = backups.add(store, tmp_path / "b", clock=lambda day=day: after(day))
        assert made.gone == ()
    assert len(backups.list_copies(tmp_path / "b", store.path)) == 12
    assert add(store, tmp_path / "b", -300, Keep(1, 0)).backup.file.exists()


def test_on_a_full_disk_none_goes(store: Store, disk: Disk) -> None:
    fill(store)
    folder = disk.folder / "b"
    for day in range(2):
        add(store, folder, day, Keep(1, 0))
    [kept] = backups.list_copies(folder, store.path)
    disk.fill()
    with pytest.raises(FaultError, match=r"disk .*\bfull\b"):
        add(store, folder, 2, Keep(1, 0))
    assert backups.list_copies(folder, store.path) == [kept]


def test_what_is_kept_before_a_deed_replaces_no_file(tmp_path: Path) -> None:
    store, names = tmp_path / "study.sqlite3", set()
    for _ in range(3):  # within one second
        file = opening.path_before(store, "restoring")
        assert re.fullmatch(r"study-before-restoring-\d{8}-\d{6}\.sqlite3", file.name)
        file.touch()
        names.add(file)
    assert len(names) == 3
