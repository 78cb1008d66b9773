"""Backups of a store: whole, checked copies, each in a file of its own."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

from ..records import TandemError
from .store import Store


def find_backup_folder(store: Path) -> Path:
    """Return the folder of a store's dated backups: TANDEM_BACKUPS, else one beside the store."""
    return Path(os.environ.get("TANDEM_BACKUPS") or f"{store}.backups")


def back_up(store: Store, target: Path | None = None) -> dict[str, object]:
    """Copy a store into a new file, also while others write to it: `file`, `bytes`, `judgements`.

    Without a target the file is in the folder of backups, under this moment's name (UTC). Raises
    TandemError rather than replacing a file, FaultError where a disk has no room.
    """
    return store.connection.backup(target or _name_backup(store.path))


def _name_backup(store: Path) -> Path:
    folder, at = find_backup_folder(store), datetime.now(UTC)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise TandemError(
            f"{folder} cannot be made ({error.strerror}): name another file for the backup"
        ) from error
    while (file := folder / f"{store.stem}-{at:%Y%m%dT%H%M%SZ}.sqlite3").exists():
        at += timedelta(seconds=1)  # somebody made one in this very second
    return file
