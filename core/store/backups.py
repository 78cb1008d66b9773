"""Dated copies of a store in a folder: one is added, the old ones thin out to days and weeks."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

from ..records import TandemError, option_ref
from .store import Store

DAILY, WEEKLY = 7, 4
_NAMED = "%Y%m%dT%H%M%SZ"


@dataclass(frozen=True)
class Keep:
    """Number of days, and of weeks before them, whose last copy is kept.

    Raises TandemError for a number that would keep none.
    """

    daily: int = DAILY
    weekly: int = WEEKLY

    def __post_init__(self) -> None:
        for name, number, least in (("keep_daily", self.daily, 1), ("keep_weekly", self.weekly, 0)):
            if number < least:
                raise TandemError(f"{option_ref(name)} is {number}: give {least} or more")


@dataclass(frozen=True)
class Backup:
    """A dated copy, and when it was made (UTC)."""

    file: Path
    at: datetime
    bytes: int


@dataclass(frozen=True)
class BackupMade:
    """A copy that was made, and the older ones that went."""

    backup: Backup
    judgements: int
    gone: tuple[Path, ...]


def find_backup_folder(store: Path) -> Path:
    """Return the default folder of a store's dated copies.

    It is the one in TANDEM_BACKUPS, else one beside the store.
    """
    return Path(os.environ.get("TANDEM_BACKUPS") or f"{store}.backups")


def list_copies(folder: Path, store: Path) -> list[Backup]:
    """List the dated copies of a store in a folder, newest first.

    Files of other names do not count, nor copies of other stores. Raises TandemError where the
    folder cannot be looked into.
    """
    _check_folder(folder)
    name = re.compile(rf"{re.escape(store.stem)}-(\d{{8}}T\d{{6}}Z)\.sqlite3")
    try:
        files = list(folder.iterdir()) if folder.is_dir() else []
    except OSError as error:
        raise TandemError(
            f"{str(folder)[:80]} cannot be looked into ({error.strerror}): name another folder"
        ) from error
    copies = [
        Backup(file, at, file.stat().st_size)
        for file in files
        if (matched := name.fullmatch(file.name)) and file.is_file() and (at := _moment(matched[1]))
    ]
    return sorted(copies, key=lambda copy: copy.at, reverse=True)


def _check_folder(folder: Path) -> None:
    if os.path.exists(folder) and not os.path.isdir(folder):
        raise TandemError(f"{folder} is not a folder: name one for the backups")


def add(
    store: Store,
    folder: Path,
    keep: Keep | None = None,
    *,
    clock: Callable[[], datetime] = lambda: datetime.now(UTC),
) -> BackupMade:
    """Copy a store into a folder under this moment's name, then delete the dated copies that are
    not to be kept; without `keep` none is deleted. Nothing goes before the new one is whole and on
    disk. The new one itself never goes, even where a clock that was set back makes it the oldest.

    Raises TandemError where the copy cannot be made: then nothing is deleted.
    """
    file, at = find_free_path(store.path, folder, ".sqlite3", clock=clock)
    made = store.connection.backup(file)
    new = Backup(file, at, file.stat().st_size)
    copies = list_copies(folder, store.path)
    stay = {file, *(select_kept(copies, keep) if keep else (copy.file for copy in copies))}
    gone = tuple(copy.file for copy in copies if copy.file not in stay)
    for old in gone:
        old.unlink(missing_ok=True)
    return BackupMade(new, int(str(made["judgements"])), gone)


def find_free_path(
    store: Path,
    folder: Path,
    ending: str,
    *,
    clock: Callable[[], datetime] = lambda: datetime.now(UTC),
) -> tuple[Path, datetime]:
    """Find an unused file name for a copy of this moment; make the folder if it is missing. Raises
    TandemError where the folder cannot be made.
    """
    _check_folder(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise TandemError(
            f"{folder} cannot be made ({error.strerror}): name another folder for the backups"
        ) from error
    at = clock().replace(microsecond=0)
    while (file := folder / f"{store.stem}-{at.strftime(_NAMED)}{ending}").exists():
        at += timedelta(seconds=1)  # somebody made one in this very second
    return file, at


def select_kept(copies: Iterable[Backup], keep: Keep) -> set[Path]:
    """Select the copies that stay.

    All copies of the newest day stay, and the last one of each of the newest days that have one.
    Before the week in which these days begin, the last one of each of the newest calendar weeks
    (ISO 8601) stays.
    """
    newest = sorted(copies, key=lambda copy: copy.at, reverse=True)
    days: dict[date, Path] = {}
    for copy in newest:
        days.setdefault(copy.at.date(), copy.file)
    recent = sorted(days, reverse=True)[: keep.daily]
    latest = {copy.file for copy in newest if copy.at.date() == recent[0]}
    weeks: dict[tuple[int, int], Path] = {}
    for day, file in days.items():
        week = day.isocalendar()[:2]
        if recent and week < recent[-1].isocalendar()[:2]:
            weeks.setdefault(week, file)
    older = sorted(weeks, reverse=True)[: keep.weekly]
    return latest | {days[day] for day in recent} | {weeks[week] for week in older}


def _moment(name: str) -> datetime | None:
    """Return the moment in the name of a copy; None for a day that does not exist."""
    with suppress(ValueError):
        return datetime.strptime(name, _NAMED).replace(tzinfo=UTC)
    return None
