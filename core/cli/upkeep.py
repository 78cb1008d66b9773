"""Commands about the program and the store: open the pages, fetch a model, back up, check."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import MISSING, asdict, dataclass
from pathlib import Path
from typing import Any

from ..installation import PROGRAM
from ..labels import pluralize
from ..settings import declare
from ..store import Store, backups
from .command import Command, NoOptions
from .output import CommandAnswer
from .settings import WHO, flag

SHELLS = ("bash", "zsh", "tcsh")


@dataclass(frozen=True)
class AppRequest:
    """Options of `app`: the store to show, and arguments passed on to Streamlit."""

    store: Path
    words: tuple[str, ...] = ()


def serve_pages(store: Store, request: AppRequest) -> CommandAnswer:
    """Become the server of the pages, as `streamlit run app.py`; does not return."""
    streamlit = ("-m", "streamlit", "run", str(PROGRAM / "app.py"))
    environment = {**os.environ, "TANDEM_STORE": str(request.store.absolute())}
    # From another folder, `-m` would look for modules there first: for somebody's own `core`.
    command = [sys.executable, *(["-P"] if os.getcwd() != str(PROGRAM) else []), *streamlit]
    os.execve(sys.executable, [*command, *request.words], environment)


@dataclass(frozen=True)
class CompletionRequest:
    """The shell that completes."""

    shell: str = declare("bash", "the shell", choices=SHELLS, metavar="SHELL", is_positional=True)


def complete(store: Store, request: CompletionRequest) -> CommandAnswer:
    """Write the script that completes `tandem` in a shell, for its start file."""
    import shtab

    from .command_line import parser

    top = parser()
    top.prog = "tandem"
    for action in top._actions:
        if action.dest == "command":  # which shtab leaves out without a help
            action.help = "a command"
    script = shtab.complete(top, shell=request.shell)
    return CommandAnswer({"shell": request.shell, "script": script}, script)


def fetch(store: Store, asked: NoOptions) -> CommandAnswer:
    """Download the small model, and print how to judge with it."""
    from ..models.local import small_model

    folder = small_model.fetch_model(lambda line: print(line, file=sys.stderr, flush=True))
    document = {"spec": small_model.SPEC, "name": small_model.NAME, "folder": str(folder)}
    text = f"{small_model.SPEC} is in {folder}.\nJudge with it: --judge {small_model.SPEC}"
    return CommandAnswer(document, f"{text}\n{small_model.ADVICE}")


def _declare(run: Callable[..., CommandAnswer], request: type, **how: Any) -> Command:
    """A command that needs no store: what it is about belongs to the machine."""
    return Command(run, request=request, reads=None, needs_no_store=lambda asked: True, **how)


@dataclass(frozen=True, kw_only=True)
class BackupRequest:
    """Options of `backup`: the new file."""

    file: Path | None = declare(
        None,
        "the new file (default: a dated one in $TANDEM_BACKUPS, else in STORE.backups)",
        metavar="FILE",
        is_positional=True,
        output="new file",
    )


def back_up(store: Store, request: BackupRequest) -> CommandAnswer:
    """Copy the store into a new file, and check the copy."""
    made = backups.back_up(store, request.file)
    return CommandAnswer(
        made, f"{made['file']}: {made['bytes']:,} bytes, {made['judgements']:,} judgements"
    )


@dataclass(frozen=True, kw_only=True)
class RestoreRequest:
    """The backup that the store becomes."""

    store: Path
    file: Path = declare(MISSING, "the backup", metavar="FILE", is_positional=True)
    with_people: bool = declare(False, "take its people along, with roles, sign-ins and links")


def restore(store: Store, request: RestoreRequest) -> CommandAnswer:
    """Make the store what a backup holds, once that is checked. The store as it was is kept."""
    made = backups.restore(request.store, request.file, WHO, with_people=request.with_people)
    held = pluralize(made.judgements, "judgement")
    lines = [f"{request.store} holds what {request.file} holds: {held}."]
    if made.damage:
        lines.append(f"As it was, it could not be read ({made.damage}). No link works any more.")
    elif made.lost:
        lines.append(f"{pluralize(made.lost, 'judgement')} given since went.")
    if made.before:
        lines.append(f"As it was, it is kept in {made.before}: restore that to go back.")
    if made.foreign:
        lines.append(f"Only rows were taken. Not as Tandem makes it: {'; '.join(made.foreign)}.")
    if request.with_people:
        lines.append("People and links of the backup came along.")
    elif made.before and not made.damage:
        lines.append("Who may come in stays as it was.")
    else:
        lines.append(f"Nobody may come in by it: {flag('with_people')} takes people along.")
    document = asdict(made) | {"backup": str(made.backup), "before": str(made.before or "")}
    return CommandAnswer({**document, "foreign": list(made.foreign)}, "\n".join(lines))


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
    from .. import sample_study  # whoever opens the pages does not wait for these
    from ..runs import worker

    added = sample_study.load(store)
    worker.run_worker(store.path, once=True)
    return CommandAnswer({"datasets": added}, f"The sample study is there: {', '.join(added)}")


COMMANDS = {
    "backup": Command(back_up, request=BackupRequest, reads=None),
    "restore": Command(
        restore,
        request=RestoreRequest,
        reads=None,
        needs_no_store=lambda values: True,  # it may be too damaged to be opened
    ),
    "check": Command(check, request=NoOptions, reads=None, untouched=True),
    "sample": Command(load_sample, request=NoOptions, reads=None, begins=lambda values: True),
    "app": _declare(serve_pages, AppRequest, passes_on=True),
    "completion": _declare(complete, CompletionRequest),
    "model": _declare(fetch, NoOptions),
}
