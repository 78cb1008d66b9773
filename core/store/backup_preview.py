"""Preview of the changes that restoring a backup would make to a store."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated
from urllib.parse import quote

import pandas as pd

from ..frames import Schema, get_schema
from ..records import FaultError, TandemError
from ..scratch import scratch
from . import archive, faults, rebuilding
from .faults import DamageError, TranslateErrors
from .store import Store
from .store_secrets import IDENTITY

# Judgements of one file that count there and do not count in the other.
_ONLY_HERE = """SELECT a.dataset, iif(w.kind = 'human', 'votes', 'answers') AS what, count(*) AS n
    FROM {here}.judgements j JOIN {here}.judges w ON w.id = j.judge
    JOIN {here}.comparisons c ON c.id = j.comparison
    JOIN {here}.attributes a ON a.id = c.attribute
    WHERE j.withdrawn_at IS NULL AND NOT EXISTS (SELECT 1 FROM {there}.judgements k
        WHERE k.id = j.id AND k.created_at = j.created_at AND k.judge = j.judge
        AND k.withdrawn_at IS NULL)
    GROUP BY 1, 2"""
LONG = 200  # bytes of a name
HELD = {
    "texts": """SELECT i.dataset, count(*) AS n FROM {here}.generations g
        JOIN {here}.items i ON i.id = g.item GROUP BY 1""",
    "scores": """SELECT a.dataset, count(*) AS n FROM {here}.scores s
        JOIN {here}.attributes a ON a.id = s.attribute WHERE s.withdrawn_at IS NULL GROUP BY 1""",
    "item_sets": "SELECT dataset, count(*) AS n FROM {here}.item_sets GROUP BY 1",
    "campaigns": "SELECT dataset, count(*) AS n FROM {here}.campaigns GROUP BY 1",
    "runs": "SELECT dataset, count(*) AS n FROM {here}.runs GROUP BY 1",
}
"""What of a data set is counted now, and as the backup has it."""


# Who could come in by the store `here`: roles, sign-ins, and how many links work that the store
# `there` does not know; and whether it knows the person.
_NEWCOMERS = """SELECT p.name AS person, p.role, p.email <> '' AS sign_in, (
        SELECT count(*) FROM {here}.invitations i WHERE i.person = p.id AND i.revoked_at IS NULL
        AND coalesce(i.expires_at, '9') > strftime('%Y-%m-%dT%H:%M:%f', 'now')
        AND NOT EXISTS (SELECT 1 FROM {there}.invitations k WHERE k.code_hash = i.code_hash)
    ) AS links, EXISTS (SELECT 1 FROM {there}.people k WHERE k.name = p.name) AS known
    FROM {here}.people p WHERE p.left_at IS NULL"""
_COMING = "SELECT person, role, sign_in, links FROM ({}) WHERE links > 0"
_COMING += " OR NOT known AND (role <> 'annotator' OR sign_in) ORDER BY role DESC, person"
NewcomerRows = Annotated[pd.DataFrame, Schema({str: "person role", bool: "sign_in", int: "links"})]
ChangeRows = Annotated[
    pd.DataFrame,
    Schema(
        {
            str: "dataset",
            int: "votes answers votes_back answers_back texts scores item_sets campaigns runs "
            "texts_then scores_then item_sets_then campaigns_then runs_then",
        }
    ),
]


@dataclass(frozen=True)
class PreparedBackup:
    """A store that has the rows of a backup, and is whole and of today's schema.

    `schema` is that of the backup, and `foreign` lists what of it is not ours.
    """

    backup: Path
    ready: Path
    schema: int
    foreign: tuple[str, ...]


@dataclass(frozen=True)
class RestorationPreview:
    """Preview of what a restoration would change.

    `changes` has a row for each data set that becomes another: dataset; `votes` (of people) and
    `answers` (of judges) that go; `votes_back` and `answers_back` that count again; `texts`,
    `scores`, `item_sets`, `campaigns` and `runs` now, and as `..._then`. `written` is when the
    backup was last answered in (UTC text, '' = never), `schema` its own. `damage` says why the
    present store cannot be compared. `own` says whether the backup is one of this very store.
    `newcomers` (person, role, sign_in, links) lists whom it would let in that may not come in now.
    `foreign` lists its tables, columns, triggers and the like that are not ours: they stay behind.
    """

    backup: Path
    written: str
    schema: int
    changes: ChangeRows
    damage: str = ""
    own: bool = True
    newcomers: NewcomerRows = field(default_factory=get_schema(NewcomerRows).make)
    foreign: tuple[str, ...] = ()

    def sum(self, column: str) -> int:
        """Add up a column of `changes` over all data sets; 0 without changes."""
        return int(self.changes[column].sum()) if len(self.changes) else 0


def preview(path: Path, backup: Path) -> RestorationPreview:
    """Compute what restoring a backup would change; nothing is changed.

    Raises TandemError where the backup is no store nor archive, is damaged, is the store itself or
    was written by a newer Tandem.
    """
    with prepare_backup(path, backup) as prepared:
        return compare_stores(path, prepared)


@contextmanager
def prepare_backup(path: Path, backup: Path) -> Iterator[PreparedBackup]:
    """Make a store of the rows of a backup, bring it to today's schema, and check it."""
    if not backup.is_file():
        raise TandemError(f"there is no backup {backup}: name the file of one")
    if path.exists() and backup.samefile(path):
        raise TandemError(f"{backup} is the store itself: name the file of a backup")
    with scratch() as folder:
        # Errors name it, and SQLite names files beside it.
        ready = Path(folder) / (backup.name if len(os.fsencode(backup.name)) < LONG else "backup")
        foreign: list[str] = []
        if archive.is_archive(backup):
            schema = archive.unpack(backup, ready)
        else:
            schema, foreign = rebuilding.copy_rows(backup, ready)
        with Store(ready, create=False) as store:
            if not store.connection.check()["ok"]:
                raise TandemError(f"the backup {backup} is damaged: name an earlier one")
        yield PreparedBackup(backup, ready, schema, tuple(foreign))


def compare_stores(path: Path, prepared: PreparedBackup) -> RestorationPreview:
    """Compare the store at `path` with a backup.

    All rows are compared, unless the store is missing or damaged. Raises FaultError where it cannot
    be read now, and TandemError where it does not look like a store that a backup may replace.
    """
    backup, ready = prepared.backup, prepared.ready
    with TranslateErrors(backup), closing(sqlite3.connect(ready)) as db:
        written = db.execute("SELECT max(created_at) FROM judgements").fetchone()[0] or ""
    damage, own, changes, there = "", False, get_schema(ChangeRows).make(), None
    if path.exists():
        try:
            damage = _damage(path)
        except FaultError:
            raise
        except TandemError as error:
            raise TandemError(
                f"{path} does not look like a store that a backup may replace ({error.sentence}): "
                "move it away, and restore again"
            ) from error
        own = identity_of(path) == identity_of(ready) is not None
        if not damage:
            changes, there = _changes(path, ready), path
    newcomers = _newcomers(ready, there)
    return RestorationPreview(
        backup, written, prepared.schema, changes, damage, own, newcomers, prepared.foreign
    )


def identity_of(path: Path) -> bytes | None:
    """Return the bytes that tell a store from all others; None if damage makes them unreadable."""
    try:
        with closing(sqlite3.connect(f"file:{quote(str(path))}?mode=ro", uri=True)) as db:
            sql = "SELECT value FROM secrets WHERE name = ?"
            return bytes(db.execute(sql, (IDENTITY,)).fetchone()[0])
    except (*faults.MET, TypeError):
        return None


def _newcomers(ready: Path, path: Path | None = None) -> NewcomerRows:
    """List whom a backup would let in that the store does not; everybody, if there is no store."""
    with Store(ready, create=False) as store:
        db, there = store.connection, "present"
        if path is None:
            there = "temp"
            for table, columns in (("people", "name"), ("invitations", "code_hash")):
                db.execute(f"CREATE TEMP TABLE {table} ({columns})")
        else:
            db.execute("ATTACH ? AS present", (str(path),))
        sql = _COMING.format(_NEWCOMERS.format(here="main", there=there))
        return db.frame(sql, rows=NewcomerRows)


def _damage(path: Path) -> str:
    """Return what SQLite says is wrong with the file of a store; '' = nothing."""
    try:
        with Store(path, create=False) as store:
            said = str(store.connection.value("PRAGMA integrity_check(1)"))
    except TandemError as error:
        cause = error.__cause__
        if isinstance(cause, sqlite3.Error) and faults.code_of(cause) in faults.DAMAGED:
            return str(cause)
        if isinstance(error, DamageError):
            return str(error)
        raise
    return "" if said == "ok" else said.splitlines()[-1]


def _changes(path: Path, ready: Path) -> ChangeRows:
    with Store(path, create=False) as store:
        db = store.connection
        db.execute("ATTACH ? AS backup", (str(ready),))
        parts = []
        for here, there, suffix in (("main", "backup", ""), ("backup", "main", "_back")):
            only = db.frame(_ONLY_HERE.format(here=here, there=there))
            parts += [
                only[only["what"] == what].set_index("dataset")["n"].rename(what + suffix)
                for what in ("votes", "answers")
            ]
        for what, sql in HELD.items():
            for here, suffix in (("main", ""), ("backup", "_then")):
                held = db.frame(sql.format(here=here)).set_index("dataset")["n"]
                parts.append(held.rename(what + suffix))
        names = db.frame("SELECT name FROM main.datasets UNION SELECT name FROM backup.datasets")
    frame = pd.concat(parts, axis=1).reindex(names["name"]).fillna(0).astype(int)
    moved = frame.iloc[:, :4].any(axis=1)
    for what in HELD:
        moved |= frame[what] != frame[f"{what}_then"]
    return frame[moved].rename_axis("dataset").reset_index()
