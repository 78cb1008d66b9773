"""A store becomes again what one of its backups holds; what that changes is said before.

Content comes back, access stays: who came, who was removed, whose role was changed and whose link
was revoked since the backup stays so, and the log forgets nothing.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pandas as pd

from core.records import TandemError
from core.scratch import scratch
from core.store import faults, opening
from core.store.faults import DamageError, Told
from core.store.store import Store
from core.store.write_queue import WriteQueue
from core.whole_files import unwritten, written_whole

RESTORED = "restored the store"

# Judgements of one file that count there and do not count in the other.
_ONLY_HERE = """SELECT a.dataset, iif(w.kind = 'human', 'votes', 'answers') AS what, count(*) AS n
    FROM {here}.judgements j JOIN {here}.judges w ON w.id = j.judge
    JOIN {here}.comparisons c ON c.id = j.comparison
    JOIN {here}.attributes a ON a.id = c.attribute
    WHERE j.withdrawn_at IS NULL AND NOT EXISTS (SELECT 1 FROM {there}.judgements k
        WHERE k.id = j.id AND k.created_at = j.created_at AND k.judge = j.judge
        AND k.withdrawn_at IS NULL)
    GROUP BY 1, 2"""
_HELD = {
    "texts": """SELECT i.dataset, count(*) AS n FROM {here}.generations g
        JOIN {here}.items i ON i.id = g.item GROUP BY 1""",
    "scores": """SELECT a.dataset, count(*) AS n FROM {here}.scores s
        JOIN {here}.attributes a ON a.id = s.attribute WHERE s.withdrawn_at IS NULL GROUP BY 1""",
    "campaigns": "SELECT dataset, count(*) AS n FROM {here}.campaigns GROUP BY 1",
    "runs": "SELECT dataset, count(*) AS n FROM {here}.plans WHERE kind = 'run' GROUP BY 1",
}

_TITLES = {
    "votes": "votes that go",
    "answers": "answers that go",
    "votes_back": "votes that count again",
    "answers_back": "answers that count again",
}

# Who may come in stays as it is now: `present` is the store as it is, `main` what it becomes.
_ACCESS = (
    """UPDATE people SET (role, left_at) = (SELECT p.role, p.left_at FROM present.people p
            WHERE p.name = people.name)
        WHERE name IN (SELECT name FROM present.people)""",
    # Who came since keeps their number, unless the backup has given it to somebody else.
    """INSERT OR IGNORE INTO people (id, name, email, role, created_at, seen_at, left_at)
        SELECT iif(p.id IN (SELECT id FROM main.people), NULL, p.id), p.name, p.email, p.role,
            p.created_at, p.seen_at, p.left_at
        FROM present.people p WHERE p.name NOT IN (SELECT name FROM main.people)""",
    """UPDATE invitations SET (expires_at, revoked_at) = (SELECT i.expires_at, i.revoked_at
            FROM present.invitations i WHERE i.code_hash = invitations.code_hash)
        WHERE code_hash IN (SELECT code_hash FROM present.invitations)""",
    # A link for one campaign alone does not become one for all.
    """INSERT INTO invitations (person, campaign, code_hash, created_at, expires_at, revoked_at,
            used_at)
        SELECT m.id, i.campaign, i.code_hash, i.created_at, i.expires_at, i.revoked_at, i.used_at
        FROM present.invitations i JOIN present.people p ON p.id = i.person
        JOIN main.people m ON m.name = p.name
        LEFT JOIN present.campaigns c ON c.id = i.campaign
        WHERE i.code_hash NOT IN (SELECT code_hash FROM main.invitations)
        AND (i.campaign IS NULL OR EXISTS (SELECT 1 FROM main.campaigns k
            WHERE k.id = c.id AND k.dataset = c.dataset AND k.name = c.name))""",
    "DELETE FROM settings",
    "INSERT INTO settings SELECT * FROM present.settings",
    """INSERT INTO audit (at, who, action, subject, details)
        SELECT at, who, action, subject, details FROM present.audit
        EXCEPT SELECT at, who, action, subject, details FROM main.audit ORDER BY at""",
)
# Where who was shut out since cannot be read, nobody comes in by a link.
_SHUT = (
    """UPDATE invitations SET revoked_at = strftime('%Y-%m-%dT%H:%M:%f+00:00', 'now')
        WHERE revoked_at IS NULL""",
)
# A screen of the store as it was answers nothing in the store as it becomes, and a run that had
# not ended goes on only when somebody says so.
_STANDING = (
    "UPDATE secrets SET value = randomblob(32) WHERE name = 'screen'",
    "UPDATE plans SET status = 'cancelled' WHERE status IN ('queued', 'running')",
)


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

    @property
    def told(self) -> pd.DataFrame:
        """`changes` for people: only what changes, and "12 → 10" of what is held."""
        rows = self.changes[["dataset"]].copy() if len(self.changes) else pd.DataFrame()
        for column, title in _TITLES.items():
            if self.sum(column):
                rows[title] = self.changes[column]
        for what in _HELD:
            if len(rows) and (self.changes[what] != self.changes[f"{what}_then"]).any():
                rows[what] = [
                    f"{now:,} → {then:,}" if now != then else ""
                    for now, then in self.changes[[what, f"{what}_then"]].itertuples(index=False)
                ]
        return rows


@dataclass(frozen=True)
class Restored:
    """What was restored, and the file that has the store as it was before; None where there was
    none.
    """

    preview: Preview
    before: Path | None


def preview(path: Path, backup: Path) -> Preview:
    """What it would change to restore a backup. Nothing is changed.

    Raises TandemError where the backup is no store, is damaged, is the store itself or was written
    by a newer Tandem.
    """
    with _prepared(path, backup) as (ready, schema):
        return _compared(path, backup, ready, schema)


def restore(path: Path, backup: Path, who: str) -> Restored:
    """Make a store what its backup holds, in one transaction: until it ends, others read what was
    there before. The store as it was is kept beside it, also where it is damaged.

    Raises TandemError as `preview` does, and while a run waits or works; FaultError where the disk
    has no room. Then nothing is changed.
    """
    with _prepared(path, backup) as (ready, schema):
        queue = WriteQueue(path, opening.PATIENCE)
        try:
            with Told(path), queue.turn():
                said = _compared(path, backup, ready, schema)
                before = _before(path) if path.exists() else None
                _finish(ready, path, said, who, before)
                _exchange(ready, path, before, said.damage)
        finally:
            queue.close()
    return Restored(said, before)


@contextmanager
def _prepared(path: Path, backup: Path) -> Iterator[tuple[Path, int]]:
    """A copy of a backup, of today's schema and whole; and the schema of the backup."""
    if not backup.is_file():
        raise TandemError(f"there is no backup {backup}: name the file of one")
    if path.exists() and backup.samefile(path):
        raise TandemError(f"{backup} is the store itself: name the file of a backup")
    with scratch() as folder:
        ready = Path(folder) / backup.name  # errors name it
        _copy(backup, ready)
        schema = _schema(backup, ready)
        with Store(ready, create=False) as store:
            if not store.connection.check()["ok"]:
                raise TandemError(f"the backup {backup} is damaged: name an earlier one")
        yield ready, schema


def _copy(backup: Path, ready: Path) -> None:
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


def _compared(path: Path, backup: Path, ready: Path, schema: int) -> Preview:
    with Told(backup), closing(sqlite3.connect(ready)) as db:
        written = db.execute("SELECT max(created_at) FROM judgements").fetchone()[0] or ""
    nothing = pd.DataFrame(columns=["dataset"])
    if not path.exists():
        return Preview(backup, written, schema, nothing)
    if damage := _damage(path):
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
        for what, sql in _HELD.items():
            for here, suffix in (("main", ""), ("backup", "_then")):
                held = db.frame(sql.format(here=here)).set_index("dataset")["n"]
                parts.append(held.rename(what + suffix))
        names = db.frame("SELECT name FROM main.datasets UNION SELECT name FROM backup.datasets")
    frame = pd.concat(parts, axis=1).reindex(names["name"]).fillna(0).astype(int)
    moved = frame.iloc[:, :4].any(axis=1)
    for what in _HELD:
        moved |= frame[what] != frame[f"{what}_then"]
    return frame[moved].rename_axis("dataset").reset_index()


def _before(path: Path) -> Path:
    moment = datetime.now(UTC).strftime("%Y%m%d-%H%M%S")
    return path.with_name(f"{path.stem}-before-restoring-{moment}.sqlite3")


def _finish(ready: Path, path: Path, said: Preview, who: str, before: Path | None) -> None:
    """Make a backup fit to be the store: with the access of now, and a line in the log.

    Raises TandemError while a run of the present store waits or works.
    """
    with Store(ready, create=False) as store:
        db, present = store.connection, path.exists() and not said.damage
        if present:
            db.execute("ATTACH ? AS present", (str(path),))
            _check_runs(store)
        lost = {what: said.sum(what) for what in ("votes", "answers")}
        with store.transaction():
            for statement in (*(_ACCESS if present else _SHUT), *_STANDING):
                db.execute(statement)
            store.audit.add(who, RESTORED, said.backup.name, before=str(before or ""), **lost)


def _check_runs(store: Store) -> None:
    runs = store.connection.rows(
        "SELECT id FROM present.plans WHERE kind = 'run' AND status IN ('queued', 'running')"
    )
    if runs:
        numbers = ", ".join(str(run) for (run,) in runs[:5])
        raise TandemError(f"run {numbers} waits or works: cancel it, then restore")


def _exchange(ready: Path, path: Path, before: Path | None, damage: str) -> None:
    """Keep the store as it was as `before`, and put the new one in its place."""
    with closing(sqlite3.connect(ready)) as new:
        if before is None:
            _put(new, path)
        elif damage:
            _set_aside(path, before)
            _put(new, path)
        else:
            with Store(path, create=False) as store:
                store.connection.backup(before)
            try:
                _overwrite(new, path)
            except BaseException:
                before.unlink(missing_ok=True)
                raise


def _overwrite(new: sqlite3.Connection, path: Path) -> None:
    """By SQLite's own copying: one transaction, that others wait for and a power cut takes back."""
    began = time.monotonic()

    def check(status: int, remaining: int, total: int) -> None:
        if time.monotonic() - began > opening.PATIENCE and status in faults.BUSY:
            raise faults.busy(path)

    with closing(sqlite3.connect(path, timeout=1.0, isolation_level=None)) as old:
        old.execute("PRAGMA synchronous = FULL")
        new.backup(old, progress=check)
        old.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()


def _set_aside(path: Path, before: Path) -> None:
    """The files of a damaged store under another name, the store's own never without a file."""
    os.link(path, before)
    for log in ("-wal", "-shm"):
        if Path(f"{path}{log}").exists():
            Path(f"{path}{log}").replace(f"{before}{log}")


def _put(new: sqlite3.Connection, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with written_whole(path) as part:
        part.touch()
        with closing(sqlite3.connect(part)) as file:
            new.backup(file)
            file.execute("PRAGMA journal_mode = DELETE")  # into the file, with nothing beside it


def sentences(said: Preview) -> list[str]:
    """What a restoration takes and brings back, in words."""
    when = f"last answered in on {said.written[:16].replace('T', ' at ')} UTC"
    lines = [f"{said.backup.name} was {when if said.written else 'never answered in'}."]
    if said.damage:
        return [
            *lines,
            f"The store as it is cannot be read ({said.damage}): what goes is unknown.",
            "All personal links are revoked then, as nobody knows who was shut out since: invite "
            "people again.",
        ]
    lost = _counted(said, "")
    lines.append(f"{lost} given since would go." if lost else "No answer would go.")
    if back := _counted(said, "_back"):
        lines.append(f"{back} would count again.")
    return lines


def _counted(said: Preview, suffix: str) -> str:
    votes, answers = said.sum(f"votes{suffix}"), said.sum(f"answers{suffix}")
    parts = [f"{votes:,} votes of people"] if votes else []
    parts += [f"{answers:,} answers of judges"] if answers else []
    return " and ".join(parts)
