"""Commands about the store itself: backup, backups, restore, check, sample."""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import pandas as pd

from core import sample_study
from core.cli.command import Command
from core.cli.options import WHO, Part, file_path, flag
from core.cli.output import Answer, say, table, warn
from core.records import FaultError, TandemError, spoken
from core.runs import worker
from core.store import Store, archive, backup_preview, backups, faults, restoring

YEAR = 24 * 365  # hours
LOOK = 5.0  # seconds after which a backup looks again whether there is a store


def backup(store: Store, asked: argparse.Namespace) -> Answer:
    if asked.to is None:
        return _dated(store, asked)
    if asked.to.suffix.lower() == archive.SUFFIX:
        made = archive.write(store.connection, asked.to)
    else:
        made = store.connection.backup(asked.to)
    return Answer(
        made, f"{made['file']}: {made['bytes']:,} bytes, {made['judgements']:,} judgements"
    )


def _dated(store: Store, asked: argparse.Namespace) -> Answer:
    folder = asked.into or backups.beside(asked.store)
    keep = backups.Keep(
        backups.DAILY if asked.keep_daily is None else asked.keep_daily,
        backups.WEEKLY if asked.keep_weekly is None else asked.keep_weekly,
    )
    if asked.every is None:
        return _told(backups.add(store, folder, keep), folder, store.path)
    if not 0 < asked.every <= YEAR:
        raise TandemError(f"--every is {asked.every:g}: give hours, more than 0, at most {YEAR:,}")
    while True:
        try:
            _wait(asked.store)
            with Store(asked.store, create=False) as there:
                say(_told(backups.add(there, folder, keep), folder, there.path).text)
        except FaultError as error:  # the next may do better: what guards the work must not end
            warn(spoken(error.sentence, flag))
        time.sleep(asked.every * 3600)


def _wait(path: Path) -> None:
    """Until there is a store: of a service nobody waits for the one that begins it."""
    if not faults.begun(path):
        warn(f"there is no store at {path} yet: it is backed up once there is one")
    while not faults.begun(path):
        time.sleep(LOOK)


def _told(made: backups.Made, folder: Path, path: Path) -> Answer:
    there, new = len(backups.dated(folder, path)), made.backup
    gone = f"; {len(made.gone)} older went" if made.gone else ""
    text = (
        f"{new.file}: {new.bytes:,} bytes, {made.judgements:,} judgements; "
        f"{there} dated {'copy' if there == 1 else 'copies'} there{gone}"
    )
    document = {
        "file": str(new.file),
        "bytes": new.bytes,
        "judgements": made.judgements,
        "gone": [str(file) for file in made.gone],
    }
    return Answer(document, text)


def _backup_options(sub: argparse.ArgumentParser) -> None:
    sub.add_argument(
        "--to",
        type=file_path,
        metavar="FILE",
        help="write one copy to this new file; with the ending .zip as plain text, JSON lines",
    )
    dated = Part(sub, "dated copies", lambda asked: asked.to is None, "to")
    dated.add(
        "--into",
        type=file_path,
        metavar="FOLDER",
        help="where dated copies are kept (default: $TANDEM_BACKUPS, else STORE.backups)",
    )
    dated.add(
        "--keep-daily",
        type=int,
        metavar="N",
        help=f"keep the last copy of each of N days (default {backups.DAILY})",
    )
    dated.add(
        "--keep-weekly",
        type=int,
        metavar="N",
        help=f"and of each of N weeks before them (default {backups.WEEKLY})",
    )
    dated.add("--every", type=float, metavar="HOURS", help="go on, with a copy every so many hours")


def backups_(store: Store, asked: argparse.Namespace) -> Answer:
    folder = asked.into or backups.beside(asked.store)
    copies = [
        {"file": str(copy.file), "at": f"{copy.at:%Y-%m-%d %H:%M:%S}", "bytes": copy.bytes}
        for copy in backups.dated(folder, asked.store)
    ]
    text = table(pd.DataFrame(copies)) if copies else f"no backups in {folder}: `backup` makes one"
    return Answer({"folder": str(folder), "backups": copies}, text)


def _backups_options(sub: argparse.ArgumentParser) -> None:
    sub.add_argument(
        "--into",
        type=file_path,
        metavar="FOLDER",
        help="where they are (default: $TANDEM_BACKUPS, else STORE.backups)",
    )


def restore(store: Store, asked: argparse.Namespace) -> Answer:
    from core.reporting import sentences

    path = asked.store
    if asked.confirm is None:
        said = backup_preview.preview(path, asked.file)
        changes = sentences.restoration_table(said)
        is_hinted = _leaves_people(said) and not asked.with_people
        lines = [
            *sentences.restoration(said),
            *sentences.people_of_backup(said, wanted=asked.with_people),
            *([f"Add {flag('with_people')} to take them along."] if is_hinted else []),
            *([table(changes)] if len(changes) else []),
            f"Nothing was restored: add --confirm {path.name}",
        ]
        return Answer({"restored": False, **_shown(said)}, "\n".join(lines))
    if asked.confirm != path.name:
        raise TandemError(f"--confirm {asked.confirm!r} is not {path.name!r}: nothing was restored")
    made = restoring.restore(path, asked.file, WHO, with_people=asked.with_people)
    what = sentences.restoration(made.preview, done=True)[1:]
    people = sentences.people_of_backup(made.preview, taken=made.people)
    lines = [f"{path} was begun with what {asked.file} holds.", *people]
    if made.before:
        kept = f"As it was before, it is kept in {made.before}."
        lines = [f"{path} is again what {asked.file} holds.", *what, *people, kept]
    done = {"before": str(made.before or ""), "with_people": made.people}
    document = {"restored": True, **_shown(made.preview), **done}
    return Answer(document, "\n".join(lines))


def _shown(said: backup_preview.Preview) -> dict[str, object]:
    return {
        "backup": str(said.backup),
        "written": said.written,
        "schema": said.schema,
        "damage": said.damage,
        "own": said.own,
        "newcomers": said.newcomers.to_dict("records"),
        "changes": said.changes.to_dict("records"),
    }


def _leaves_people(said: backup_preview.Preview) -> bool:
    """Whether a backup lets in somebody who does not come along by itself."""
    return not said.own and len(said.newcomers) > 0


def _restore_options(sub: argparse.ArgumentParser) -> None:
    sub.add_argument(
        "file", type=file_path, metavar="FILE", help="the backup, or the archive (.zip)"
    )
    sub.add_argument(
        "--confirm",
        metavar="NAME",
        help="the name of the store's file; without it only says what would change",
    )
    sub.add_argument(
        "--with-people",
        action="store_true",
        help="of a backup of another store: let in by roles, sign-ins and links whom it lets in",
    )


def check_(store: Store, asked: argparse.Namespace) -> Answer:
    found = store.connection.check()
    counts = ", ".join(f"{count:,} {name}" for name, count in found["counts"].items())
    text = (
        f"{store.path} is {'whole' if found['ok'] else 'damaged: restore a backup'} (schema "
        f"{found['schema']}): {counts}"
    )
    return Answer(found, text, status=0 if found["ok"] else 1)


def sample_(store: Store, asked: argparse.Namespace) -> Answer:
    added = sample_study.load(store)
    worker.work(store.path, once=True)
    return Answer({"datasets": added}, f"The sample study is there: {', '.join(added)}")


COMMANDS = {
    "backup": Command(
        backup,
        "back up the store, also while it is in use",
        _backup_options,
        reads=None,
        without=lambda asked: asked.every is not None,  # it opens the store for each
    ),
    "backups": Command(
        backups_, "list the dated backups", _backups_options, reads=None, without=lambda asked: True
    ),
    "restore": Command(
        restore,
        "make the store what a backup holds; first says what would change",
        _restore_options,
        reads=None,
        without=lambda asked: True,  # it may be too damaged to be opened
    ),
    "check": Command(
        check_, "check the integrity of the store, changing nothing", reads=None, untouched=True
    ),
    "sample": Command(
        sample_,
        "load the sample study and run the baselines on it",
        reads=None,
        begins=lambda asked: True,
    ),
}
