"""What it would change to make a store again what one of its backups holds."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from core.records import FaultError, TandemError
from core.scratch import scratch
from core.store import archive, faults, opening
from core.store.faults import DamageError, Told
from core.store.store import Store
from core.whole_files import unwritten

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
    "campaigns": "SELECT dataset, count(*) AS n FROM {here}.campaigns GROUP BY 1",
    "runs": "SELECT dataset, count(*) AS n FROM {here}.plans WHERE kind = 'run' GROUP BY 1",
}
"""What of a data set is counted now, and as the backup has it."""


@dataclass(frozen=True)
class Preview:
    """What a restoration would change. `changes` has a row for each data set that becomes another:
    dataset; `votes` (of people) and `answers` (of judges) that go, `votes_back` and `answers_back`
    that count again; `texts`, `scores`, `campaigns` and `runs` now, and as `..._then`. `written` is
    when the backup was last answered in (UTC text, '' = never), `schema` its own; `damage` why the
    present store cannot be compared.
    """

    backup: Path
    written: str
    schema: int
    changes: pd.DataFrame
    damage: str = ""

    def sum(self, column: str) -> int:
        return int(self.changes[column].sum()) if len(self.changes) else 0


def preview(path: Path, backup: Path) -> Preview:
    """What it would change to restore a backup. Nothing is changed.

    Raises TandemError where the backup is no store nor archive, is damaged, is the store itself or
    was written by a newer Tandem.
    """
    with prepared(path, backup) as (ready, schema):
        return compared(path, backup, ready, schema)


@contextmanager
def prepared(path: Path, backup: Path) -> Iterator[tuple[Path, int]]:
    """A copy of a backup, of today's schema and whole; and the schema of the backup."""
    if not backup.is_file():
        raise TandemError(f"there is no backup {backup}: name the file of one")
    if path.exists() and backup.samefile(path):
        raise TandemError(f"{backup} is the store itself: name the file of a backup")
    with scratch() as folder:
        # Errors name it, and SQLite names files beside it.
        ready = Path(folder) / (backup.name if len(os.fsencode(backup.name)) < LONG else "backup")
        _copy(backup, ready)
        schema = _schema(backup, ready)
        with Store(ready, create=False) as store:
            if not store.connection.check()["ok"]:
                raise TandemError(f"the backup {backup} is damaged: name an earlier one")
        yield ready, schema


def _copy(backup: Path, ready: Path) -> None:
    if archive.is_archive(backup):
        archive.unpack(backup, ready)
        return
    try:
        shutil.copyfile(backup, ready)
        if opening.log_of(backup):  # a store that was copied by hand while it was in use
            shutil.copyfile(f"{backup}-wal", f"{ready}-wal")
    except OSError as error:
        raise unwritten(ready, error) from error


def _schema(backup: Path, ready: Path) -> int:
    with closing(sqlite3.connect(ready)) as db:
        try:
            application, schema = db.execute(
                "SELECT application_id, user_version FROM pragma_application_id, "
                "pragma_user_version"
            ).fetchone()
        except faults.MET as error:
            raise TandemError(
                f"{backup} is no backup of a store ({error}): name another file"
            ) from error
    if not schema or not application:
        raise TandemError(f"{backup} is no backup of a store: name another file")
    return int(schema)


def compared(path: Path, backup: Path, ready: Path, schema: int) -> Preview:
    with Told(backup), closing(sqlite3.connect(ready)) as db:
        written = db.execute("SELECT max(created_at) FROM judgements").fetchone()[0] or ""
    nothing = pd.DataFrame(columns=["dataset"])
    if not path.exists():
        return Preview(backup, written, schema, nothing)
    try:
        damage = _damage(path)
    except FaultError:
        raise
    except TandemError as error:
        raise TandemError(
            f"{path} does not look like a store that a backup may replace ({error.sentence}): if "
            "it is one, move it away, and restore again"
        ) from error
    if damage:
        return Preview(backup, written, schema, nothing, damage)
    return Preview(backup, written, schema, _changes(path, ready))


def _damage(path: Path) -> str:
    """What SQLite says is wrong with the file of a store; '' = nothing."""
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


def _changes(path: Path, ready: Path) -> pd.DataFrame:
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
