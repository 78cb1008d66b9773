"""Commands about the store itself: backup, backups, restore, check, sample."""

from __future__ import annotations

import time
from dataclasses import MISSING, dataclass
from pathlib import Path

import pandas as pd

from .. import sample_study
from ..records import FaultError, TandemError, render_options
from ..runs import worker
from ..settings import Part, declare
from ..store import Store, archive, backup_preview, backups, faults, restoring
from .command import Command, NoOptions
from .options import WHO, flag
from .output import CommandAnswer, print_output, table, warn

YEAR = 24 * 365  # hours
LOOK = 5.0  # seconds after which a backup looks again whether there is a store


DATED = Part("dated copies", lambda values: not values["to"], "to")
FOLDER = "(default: $TANDEM_BACKUPS, else STORE.backups)"


@dataclass(frozen=True, kw_only=True)
class BackupRequest:
    """Options of `backup`: where copies of the store go, and which dated ones are kept."""

    store: Path
    to: Path | None = declare(
        None,
        "write one copy to this new file; a name that ends in .zip gives JSON lines",
        metavar="FILE",
        output="new file",
    )
    into: Path | None = declare(
        None,
        f"folder of the dated copies {FOLDER}",
        metavar="FOLDER",
        part=DATED,
        output="new folder",
    )
    keep_daily: int = declare(
        backups.DAILY, "keep the last copy of each of N days", metavar="N", read=int, part=DATED
    )
    keep_weekly: int = declare(
        backups.WEEKLY, "and of each of N weeks before them", metavar="N", read=int, part=DATED
    )
    every: float | None = declare(
        None, "keep running, with a copy every so many hours", metavar="HOURS", part=DATED
    )

    def __post_init__(self) -> None:
        if self.every is not None and not 0 < self.every <= YEAR:
            raise TandemError(
                f"--every is {self.every:g}: give hours, more than 0, at most {YEAR:,}"
            )

    @property
    def folder(self) -> Path:
        """Folder for dated backups: the one given, or that beside the store."""
        return self.into or backups.find_backup_folder(self.store)


def backup(store: Store, request: BackupRequest) -> CommandAnswer:
    """Back up the store to a file, an archive, or a dated copy in its backup folder."""
    if request.to is None:
        return _back_up_dated(store, request)
    if request.to.suffix.lower() == archive.SUFFIX:
        made = archive.write(store.connection, request.to)
    else:
        made = store.connection.backup(request.to)
    return CommandAnswer(
        made, f"{made['file']}: {made['bytes']:,} bytes, {made['judgements']:,} judgements"
    )


def _back_up_dated(store: Store, request: BackupRequest) -> CommandAnswer:
    folder, keep = request.folder, backups.Keep(request.keep_daily, request.keep_weekly)
    if request.every is None:
        return _describe_backup(backups.add(store, folder, keep), folder, store.path)
    while True:
        try:
            _wait(request.store)
            with Store(request.store, create=False) as there:
                made = backups.add(there, folder, keep)
                print_output(_describe_backup(made, folder, there.path).text)
        except FaultError as error:  # the next may do better: what guards the work must not end
            warn(render_options(error.sentence, flag))
        time.sleep(request.every * 3600)


def _wait(path: Path) -> None:
    """Until there is a store: of a service nobody waits for the one that begins it."""
    if not faults.has_content(path):
        warn(f"there is no store at {path} yet: it is backed up once there is one")
    while not faults.has_content(path):
        time.sleep(LOOK)


def _describe_backup(made: backups.BackupMade, folder: Path, path: Path) -> CommandAnswer:
    there, new = len(backups.list_copies(folder, path)), made.backup
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
    return CommandAnswer(document, text)


@dataclass(frozen=True, kw_only=True)
class BackupsRequest:
    """Options of `backups`: the folder of the dated copies."""

    store: Path
    into: Path | None = declare(None, f"where they are {FOLDER}", metavar="FOLDER")


def list_backups(store: Store, request: BackupsRequest) -> CommandAnswer:
    """List the dated backups of the store."""
    folder = request.into or backups.find_backup_folder(request.store)
    copies = [
        {"file": str(copy.file), "at": f"{copy.at:%Y-%m-%d %H:%M:%S}", "bytes": copy.bytes}
        for copy in backups.list_copies(folder, request.store)
    ]
    text = table(pd.DataFrame(copies)) if copies else f"no backups in {folder}: `backup` makes one"
    return CommandAnswer({"folder": str(folder), "backups": copies}, text)


@dataclass(frozen=True, kw_only=True)
class RestoreRequest:
    """The backup that the store becomes, once its name is confirmed."""

    store: Path
    file: Path = declare(
        MISSING, "the backup, or the archive (.zip)", metavar="FILE", is_positional=True
    )
    confirm: str | None = declare(
        None,
        "the name of the store's file; without it, show what would change",
        metavar="NAME",
    )
    with_people: bool = declare(
        False,
        "for a backup of another store: let in the people it lets in, by role, sign-in and link",
    )


def restore(store: Store, request: RestoreRequest) -> CommandAnswer:
    """Restore the store from a backup. Unless `--confirm NAME` is given, only show what would
    change.
    """

    from ..reporting import sentences

    path = request.store
    if request.confirm is None:
        said = backup_preview.preview(path, request.file)
        changes = sentences.restoration_table(said)
        is_hinted = _leaves_people(said) and not request.with_people
        lines = [
            *sentences.restoration(said),
            *sentences.left_behind(said),
            *sentences.people_of_backup(said, wanted=request.with_people),
            *([f"Add {flag('with_people')} to take them along."] if is_hinted else []),
            *([table(changes)] if len(changes) else []),
            f"Nothing was restored: add --confirm {path.name}",
        ]
        return CommandAnswer({"restored": False, **_preview_document(said)}, "\n".join(lines))
    if request.confirm != path.name:
        raise TandemError(
            f"--confirm {request.confirm!r} is not {path.name!r}: nothing was restored"
        )
    made = restoring.restore(path, request.file, WHO, with_people=request.with_people)
    what = sentences.restoration(made.preview, done=True)[1:]
    people = [
        *sentences.left_behind(made.preview),
        *sentences.people_of_backup(made.preview, taken=made.people),
    ]
    lines = [f"{path} was begun with what {request.file} holds.", *people]
    if made.before:
        kept = f"Its state before is kept in {made.before}."
        lines = [f"{path} is again what {request.file} holds.", *what, *people, kept]
    done = {"before": str(made.before or ""), "with_people": made.people}
    document = {"restored": True, **_preview_document(made.preview), **done}
    return CommandAnswer(document, "\n".join(lines))


def _preview_document(said: backup_preview.RestorationPreview) -> dict[str, object]:
    return {
        "backup": str(said.backup),
        "written": said.written,
        "schema": said.schema,
        "damage": said.damage,
        "own": said.own,
        "foreign": list(said.foreign),
        "newcomers": said.newcomers.to_dict("records"),
        "changes": said.changes.to_dict("records"),
    }


def _leaves_people(said: backup_preview.RestorationPreview) -> bool:
    """Return whether a backup of another store lets in people who are only restored on request."""
    return not said.own and len(said.newcomers) > 0


def check(store: Store, request: NoOptions) -> CommandAnswer:
    """Check whether the store's file is intact. Exit status 1 if it is damaged."""
    found = store.connection.check()
    counts = ", ".join(f"{count:,} {name}" for name, count in found["counts"].items())
    text = (
        f"{store.path} is {'whole' if found['ok'] else 'damaged: restore a backup'} (schema "
        f"{found['schema']}): {counts}"
    )
    return CommandAnswer(found, text, status=0 if found["ok"] else 1)


def load_sample(store: Store, request: NoOptions) -> CommandAnswer:
    """Load the sample study, and execute its runs."""
    added = sample_study.load(store)
    worker.run_worker(store.path, once=True)
    return CommandAnswer({"datasets": added}, f"The sample study is there: {', '.join(added)}")


COMMANDS = {
    "backup": Command(
        backup,
        request=BackupRequest,
        reads=None,
        needs_no_store=lambda values: "every" in values,  # it opens the store for each
    ),
    "backups": Command(
        list_backups,
        request=BackupsRequest,
        reads=None,
        needs_no_store=lambda values: True,
    ),
    "restore": Command(
        restore,
        request=RestoreRequest,
        reads=None,
        needs_no_store=lambda values: True,  # it may be too damaged to be opened
    ),
    "check": Command(
        check,
        request=NoOptions,
        reads=None,
        untouched=True,
    ),
    "sample": Command(
        load_sample,
        request=NoOptions,
        reads=None,
        begins=lambda values: True,
    ),
}
