"""Restoring a store from one of its backups.

Content comes back, access stays: who came, who was removed, whose role was changed and whose link
was revoked since the backup stays so, and the log forgets nothing. A backup of another store brings
nobody in, unless that is asked for.
"""

from __future__ import annotations

import os
import sqlite3
import time
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from ..records import TandemError
from ..whole_files import atomic_write
from . import faults, opening
from .backup_preview import RestorationPreview, compare_stores, prepare_backup
from .datasets import ORIGIN
from .faults import TranslateErrors
from .store import Store
from .store_secrets import IDENTITY, SIDES
from .write_queue import WriteQueue

RESTORED = "restored the store"

# Without any of them nobody could be asked.
_SECRETS = f"""INSERT OR IGNORE INTO secrets (name, value) VALUES
    ('screen', randomblob(32)), ('{SIDES}', randomblob(32)), ('{IDENTITY}', randomblob(32))"""
# For the backup of another store: names stay with their votes, and let nobody in.
_WITHOUT_ACCESS = (
    "DELETE FROM invitations",
    "UPDATE people SET role = 'annotator', email = ''",
    "DELETE FROM people WHERE judge IS NULL",
    """UPDATE crowds SET code = lower(hex(randomblob(16))),
        closed_at = coalesce(closed_at, strftime('%Y-%m-%dT%H:%M:%f+00:00', 'now'))""",
)
# First names of renamed data sets are content: what is drawn for them depends on these.
_OF_DATASETS = f"name LIKE '{ORIGIN}%'"
_DEFAULTS = (f"DELETE FROM settings WHERE NOT {_OF_DATASETS}",)
_OTHER_STORE = (
    f"UPDATE secrets SET value = randomblob(32) WHERE name IN ('{SIDES}', '{IDENTITY}')",
)
# Who may come in stays as it is now: `present` is the store as it is, `main` what it becomes.
_ACCESS = (
    """UPDATE people SET email = '' WHERE name IN (SELECT name FROM present.people)
        OR lower(email) IN (SELECT lower(email) FROM present.people)""",
    """UPDATE people SET (role, email, left_at) = (SELECT p.role, p.email, p.left_at
            FROM present.people p WHERE p.name = people.name)
        WHERE name IN (SELECT name FROM present.people)""",
    # Who came since keeps their number, unless the backup has given it to somebody else.
    """INSERT OR IGNORE INTO people (id, name, email, role, created_at, seen_at, left_at)
        SELECT iif(p.id IN (SELECT id FROM main.people), NULL, p.id), p.name, p.email, p.role,
            p.created_at, p.seen_at, p.left_at
        FROM present.people p WHERE p.name NOT IN (SELECT name FROM main.people)""",
    """UPDATE invitations SET (expires_at, revoked_at) = (SELECT i.expires_at, i.revoked_at
            FROM present.invitations i WHERE i.code_hash = invitations.code_hash)
        WHERE code_hash IN (SELECT code_hash FROM present.invitations)""",
    """UPDATE crowds SET (code, closed_at) = (SELECT c.code, c.closed_at
            FROM present.crowds c WHERE c.campaign = crowds.campaign)
        WHERE campaign IN (SELECT campaign FROM present.crowds)""",
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
    *_DEFAULTS,
    f"INSERT INTO settings SELECT * FROM present.settings WHERE NOT {_OF_DATASETS}",
    f"""UPDATE secrets SET value = (SELECT p.value FROM present.secrets p
            WHERE p.name = secrets.name)
        WHERE name IN ('{SIDES}', '{IDENTITY}')""",
    # No number is given out again that was given out since the backup.
    """UPDATE sqlite_sequence SET seq = max(seq, coalesce((SELECT p.seq
            FROM present.sqlite_sequence p WHERE p.name = sqlite_sequence.name), 0))""",
    """INSERT INTO audit (at, who, action, subject, details)
        SELECT at, who, action, subject, details FROM present.audit
        EXCEPT SELECT at, who, action, subject, details FROM main.audit ORDER BY at""",
)
# Where the store is damaged, who was shut out since is unknown: nobody comes in by a link.
_SHUT = (
    """UPDATE invitations SET revoked_at = strftime('%Y-%m-%dT%H:%M:%f+00:00', 'now')
        WHERE revoked_at IS NULL""",
    """UPDATE crowds SET closed_at = strftime('%Y-%m-%dT%H:%M:%f+00:00', 'now')
        WHERE closed_at IS NULL""",
)
# A screen of the store as it was answers nothing in the store as it becomes, and a run that had
# not ended goes on only when somebody says so.
_STANDING = (
    "UPDATE secrets SET value = randomblob(32) WHERE name = 'screen'",
    "UPDATE runs SET status = 'cancelled' WHERE status IN ('queued', 'running')",
)


@dataclass(frozen=True)
class RestorationResult:
    """Result of a restoration.

    `preview` says what was restored. `before` is the file that has the store as it was before (None
    where there was none). `people` says whether those came along whom the backup lets in.
    """

    preview: RestorationPreview
    before: Path | None
    people: bool


def restore(path: Path, backup: Path, who: str, *, with_people: bool = False) -> RestorationResult:
    """Make a store what its backup holds, in one transaction.

    Until it ends, others read what was there before. The store as it was is kept beside it, also
    where it is damaged. From the backup of another store, or into a place without one, roles,
    sign-ins, links and settings come along only `with_people`. Names that votes were given under
    always do.

    Raises TandemError as `preview` does, and while a run waits or works; FaultError where the disk
    has no room. Then nothing is changed.
    """
    file = Path(os.path.realpath(path))  # what is kept and replaced, where the path is a link to it
    with prepare_backup(path, backup) as prepared:
        queue = WriteQueue(path, opening.PATIENCE)
        try:
            with TranslateErrors(path), queue.turn():
                said = compare_stores(path, prepared)
                before = opening.path_before(file, "restoring") if path.exists() else None
                people = with_people or said.own
                _finish(prepared.ready, path, said, who, before, people=people)
                _exchange(prepared.ready, file, before, said.damage)
        finally:
            queue.close()
    return RestorationResult(said, before, people)


def _finish(
    ready: Path,
    path: Path,
    said: RestorationPreview,
    who: str,
    before: Path | None,
    *,
    people: bool,
) -> None:
    """Make a backup fit to be the store: with the access of now, and a line in the log. Where no
    store is, as where a study moves to, it is the backup's own, if its `people` come along.

    Raises TandemError while a run of the present store waits or works.
    """
    present = path.exists() and not said.damage
    with Store(ready, create=False) as store:
        db = store.connection
        access: tuple[str, ...] = () if people else _WITHOUT_ACCESS
        if present:
            db.execute("ATTACH ? AS present", (str(path),))
            _check_runs(store)
            access += _ACCESS
        elif not people:
            access += (*_DEFAULTS, *_OTHER_STORE)
        if said.damage:
            access += _SHUT
        lost = {what: said.sum(what) for what in ("votes", "answers")}
        came = said.newcomers["person"].tolist() if people else []
        with store.transaction():
            for statement in (_SECRETS, *access, *_STANDING):
                db.execute(statement)
            details = {"before": str(before or ""), **lost, "own": said.own, "came_along": came}
            store.audit.add(who, RESTORED, said.backup.name, **details)


def _check_runs(store: Store) -> None:
    runs = store.connection.rows(
        "SELECT id FROM present.runs WHERE status IN ('queued', 'running')"
    )
    if runs:
        numbers = ", ".join(str(run) for (run,) in runs[:5])
        raise TandemError(f"run {numbers} waits or works: cancel it, then restore")


def _exchange(ready: Path, path: Path, before: Path | None, damage: str) -> None:
    """Keep the store as it was as `before`, and put the new one in its place."""
    with closing(sqlite3.connect(ready)) as new:
        if before is None:
            _write_store(new, path)
        elif damage:
            _set_aside(path, before)
            _write_store(new, path)
        else:
            with Store(path, create=False) as store:
                store.connection.backup(before)
            try:
                _overwrite(new, path)
            except BaseException:
                before.unlink(missing_ok=True)
                raise


def _overwrite(new: sqlite3.Connection, path: Path) -> None:
    """Overwrite a store by SQLite's own copying.

    It is one transaction: others wait for it, and a power cut takes it back.
    """
    began = time.monotonic()

    def check(status: int, remaining: int, total: int) -> None:
        if time.monotonic() - began > opening.PATIENCE and status in faults.BUSY:
            raise faults.make_locked_file_error(path)

    with closing(sqlite3.connect(path, timeout=1.0, isolation_level=None)) as old:
        old.execute("PRAGMA synchronous = FULL")
        new.backup(old, progress=check)
        old.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()


def _set_aside(path: Path, before: Path) -> None:
    """Move the files of a damaged store to another name; its own name is never without a file."""
    os.link(path, before)
    for log in ("-wal", "-shm"):
        if Path(f"{path}{log}").exists():
            Path(f"{path}{log}").replace(f"{before}{log}")


def _write_store(new: sqlite3.Connection, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_write(path) as part:
        part.touch()
        with closing(sqlite3.connect(part)) as file:
            new.backup(file)
