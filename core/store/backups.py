"""Backups of a store, and restoring it from one.

A backup is a whole, checked copy in a file of its own. From it content comes back, access stays:
who came, who was removed, whose role was changed and whose link was revoked since the backup stays
so, and the log forgets nothing. A backup brings nobody in, unless that is asked for.
"""

from __future__ import annotations

import os
import sqlite3
import time
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

from ..records import FaultError, TandemError
from ..scratch import scratch
from . import faults, opening, rebuilding
from .datasets import ORIGIN
from .faults import DamageError, TranslateErrors
from .settings import SIDES
from .store import Store
from .write_queue import WriteQueue

RESTORED = "restored the store"
LONG = 200  # bytes of a name

# Without any of them nobody could be asked.
_SECRETS = f"""INSERT OR IGNORE INTO secrets (name, value) VALUES
    ('screen', randomblob(32)), ('{SIDES}', randomblob(32))"""
# Names stay with their votes, and let nobody in.
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
_OTHER_STORE = f"UPDATE secrets SET value = randomblob(32) WHERE name = '{SIDES}'"
# A campaign of now is one of the backup, too.
_SAME_CAMPAIGN = """EXISTS (SELECT 1 FROM main.campaigns k
    WHERE k.id = n.id AND k.dataset = n.dataset AND k.name = n.name)"""
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
    f"""UPDATE crowds SET (code, closed_at) = (SELECT c.code, c.closed_at
            FROM present.crowds c WHERE c.campaign = crowds.campaign)
        WHERE campaign IN (SELECT c.campaign FROM present.crowds c
            JOIN present.campaigns n ON n.id = c.campaign WHERE {_SAME_CAMPAIGN})""",
    # A link for one campaign alone does not become one for all.
    f"""INSERT INTO invitations (person, campaign, code_hash, created_at, expires_at, revoked_at,
            used_at)
        SELECT m.id, i.campaign, i.code_hash, i.created_at, i.expires_at, i.revoked_at, i.used_at
        FROM present.invitations i JOIN present.people p ON p.id = i.person
        JOIN main.people m ON m.name = p.name
        LEFT JOIN present.campaigns n ON n.id = i.campaign
        WHERE i.code_hash NOT IN (SELECT code_hash FROM main.invitations)
        AND (i.campaign IS NULL OR {_SAME_CAMPAIGN})""",
    *_DEFAULTS,
    f"INSERT INTO settings SELECT * FROM present.settings WHERE NOT {_OF_DATASETS}",
    f"""UPDATE secrets SET value = (SELECT p.value FROM present.secrets p
            WHERE p.name = secrets.name)
        WHERE name = '{SIDES}'""",
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


# Votes and answers that count now and that the store becomes without.
_LOST = """SELECT count(*) FROM present.judgements j WHERE j.withdrawn_at IS NULL
    AND NOT EXISTS (SELECT 1 FROM main.judgements k WHERE k.id = j.id
        AND k.created_at = j.created_at AND k.judge = j.judge AND k.withdrawn_at IS NULL)"""


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
    folder = find_backup_folder(store)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise TandemError(
            f"{folder} cannot be made ({error.strerror}): name another file for the backup"
        ) from error
    return opening.name_new(lambda at: folder / f"{store.stem}-{at:%Y%m%dT%H%M%SZ}")


@dataclass(frozen=True)
class Restoration:
    """Result of restoring a backup.

    The backup had the schema `schema`, and `foreign` lists what of it is not Tandem's and stayed
    behind. The store has `judgements` now; `lost` counts those of before that it no longer has.
    `before` is the file that has the store as it was (None where there was none), and `damage` says
    what was wrong with it.
    """

    backup: Path
    schema: int
    foreign: tuple[str, ...]
    judgements: int
    lost: int
    before: Path | None
    damage: str


def restore(path: Path, backup: Path, who: str, *, with_people: bool = False) -> Restoration:
    """Make a store what its backup holds, in one transaction.

    Until it ends, others read what was there before. The store as it was is kept beside it, also
    where it is damaged. Who may come in stays as it is. Roles, sign-ins, links and settings of the
    backup come along only `with_people`; names that votes were given under always do.

    Raises TandemError where the backup is no store, is damaged, is the store itself or was written
    by a newer Tandem, where the store does not look like one that a backup may replace, and while a
    run waits or works; FaultError where the disk has no room. Then nothing is changed.
    """
    if not backup.is_file():
        raise TandemError(f"there is no backup {backup}: name the file of one")
    if path.exists() and backup.samefile(path):
        raise TandemError(f"{backup} is the store itself: name the file of a backup")
    with scratch() as folder:
        # Errors name it, and SQLite names files beside it.
        ready = Path(folder) / (backup.name if len(os.fsencode(backup.name)) < LONG else "backup")
        version, foreign = rebuilding.copy_rows(backup, ready)
        with Store(ready, create=False) as store:
            if not store.connection.check()["ok"]:
                raise TandemError(f"the backup {backup} is damaged: name an earlier one")
        done = _replace(path, ready, backup, who, with_people=with_people)
    return replace(done, schema=version, foreign=tuple(foreign))


def _replace(path: Path, ready: Path, backup: Path, who: str, *, with_people: bool) -> Restoration:
    """Keep the store as it is, and put the one that is `ready` in its place."""
    file = Path(os.path.realpath(path))  # what is kept and replaced, where the path is a link to it
    queue = WriteQueue(path, opening.PATIENCE)
    try:
        with TranslateErrors(path), queue.turn():
            damage = _find_damage(path) if path.exists() else ""
            before = opening.path_before(file, "restoring") if path.exists() else None
            with Store(ready, create=False) as store:
                lost = _finish(
                    store, path, backup, who, before, damage=damage, with_people=with_people
                )
                judgements = store.connection.count("SELECT count(*) FROM judgements")
            _exchange(ready, file, before, damage)
    finally:
        queue.close()
    return Restoration(backup, 0, (), judgements, lost, before, damage)


def _find_damage(path: Path) -> str:
    """Return what SQLite says is wrong with the file of a store; '' = nothing.

    Raises FaultError where it cannot be read now, and TandemError where it does not look like a
    store that a backup may replace.
    """
    try:
        with Store(path, create=False) as store:
            said = str(store.connection.value("PRAGMA integrity_check(1)"))
    except TandemError as error:
        cause = error.__cause__
        if isinstance(cause, sqlite3.Error) and faults.code_of(cause) in faults.DAMAGED:
            return str(cause)
        if isinstance(error, DamageError):
            return str(error)
        if isinstance(error, FaultError):
            raise
        raise TandemError(
            f"{path} does not look like a store that a backup may replace ({error.sentence}): "
            "move it away, and restore again"
        ) from error
    return "" if said == "ok" else said.splitlines()[-1]


def _finish(
    store: Store, path: Path, backup: Path, who: str, before: Path | None,
    *, damage: str, with_people: bool,
) -> int:  # fmt: skip
    """Make a backup fit to be the store: with the access of now, and a line in the log.

    Returns how many judgements of now it lacks. Raises TandemError while a run of the present store
    waits or works.
    """
    db, lost = store.connection, 0
    access: tuple[str, ...] = () if with_people else _WITHOUT_ACCESS
    if path.exists() and not damage:
        db.execute("ATTACH ? AS present", (str(path),))
        if runs := db.column("SELECT id FROM present.runs WHERE status IN ('queued', 'running')"):
            numbers = ", ".join(map(str, runs[:5]))
            raise TandemError(f"run {numbers} waits or works: cancel it, then restore")
        lost = db.count(_LOST)
        access += _ACCESS
    elif not with_people:
        access += (*_DEFAULTS, _OTHER_STORE)
    if damage:
        access += _SHUT
    with store.transaction():
        for statement in (_SECRETS, *access, *_STANDING):
            db.execute(statement)
        details = {"before": str(before or ""), "lost": lost, "with_people": with_people}
        store.audit.add(who, RESTORED, backup.name, **details)
    return lost


def _exchange(ready: Path, path: Path, before: Path | None, damage: str) -> None:
    """Keep the store as it was as `before`, and put the new one in its place."""
    with closing(sqlite3.connect(ready)) as new:
        if before is None:
            path.parent.mkdir(parents=True, exist_ok=True)
            opening.write_copy(new, path)
        elif damage:
            _set_aside(path, before)
            opening.write_copy(new, path)
        else:
            with Store(path, create=False) as store:
                store.connection.backup(before)
            try:
                _overwrite(new, path)
            except BaseException:
                before.unlink(missing_ok=True)
                raise


def _overwrite(new: sqlite3.Connection, path: Path) -> None:
    """Overwrite a store by SQLite's own copying, which is one transaction."""
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
