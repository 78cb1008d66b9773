"""Commands about the program and the store: open the pages, fetch a model, back up, check."""

from __future__ import annotations

import os
import sys
from dataclasses import MISSING, asdict
from pathlib import Path

from ..installation import PROGRAM
from ..labels import pluralize
from ..settings import declare
from ..store import Store, backups
from .command import Command
from .output import CommandAnswer
from .settings import WHO, flag

SHELLS = ("bash", "zsh", "tcsh")


def serve_pages(store: Store, store_path: Path, words: tuple[str, ...] = ()) -> CommandAnswer:
    """Become the server of the pages, as `streamlit run app.py`; does not return."""
    streamlit = ("-m", "streamlit", "run", str(PROGRAM / "app.py"))
    environment = {**os.environ, "TANDEM_STORE": str(store_path.absolute())}
    # From another folder, `-m` would look for modules there first: for somebody's own `core`.
    command = [sys.executable, *(["-P"] if os.getcwd() != str(PROGRAM) else []), *streamlit]
    os.execve(sys.executable, [*command, *words], environment)


def complete(
    store: Store,
    shell: str = declare("bash", "the shell", choices=SHELLS, metavar="SHELL", is_positional=True),
) -> CommandAnswer:
    """Write the script that completes `tandem` in a shell, for its start file."""
    import shtab

    from .command_line import parser

    top = parser()
    top.prog = "tandem"
    for action in top._actions:
        if action.dest == "command":  # which shtab leaves out without a help
            action.help = "a command"
    script = shtab.complete(top, shell=shell)
    return CommandAnswer({"shell": shell, "script": script}, script)


def fetch(store: Store) -> CommandAnswer:
    """Download the small model, and print how to judge with it."""
    from ..models.local import small_model

    folder = small_model.fetch_model(lambda line: print(line, file=sys.stderr, flush=True))
    document = {"spec": small_model.SPEC, "name": small_model.NAME, "folder": str(folder)}
    text = f"{small_model.SPEC} is in {folder}.\nJudge with it: --judge {small_model.SPEC}"
    return CommandAnswer(document, f"{text}\n{small_model.ADVICE}")


def back_up(
    store: Store,
    file: Path | None = declare(
        None,
        "the new file (default: a dated one in $TANDEM_BACKUPS, else in STORE.backups)",
        metavar="FILE",
        is_positional=True,
        output="new file",
    ),
) -> CommandAnswer:
    """Copy the store into a new file, and check the copy."""
    made = backups.back_up(store, file)
    return CommandAnswer(
        made, f"{made['file']}: {made['bytes']:,} bytes, {made['judgements']:,} judgements"
    )


def restore(
    store: Store,
    store_path: Path,
    file: Path = declare(MISSING, "the backup", metavar="FILE", is_positional=True),
    with_people: bool = declare(False, "take its people along, with roles, sign-ins and links"),
) -> CommandAnswer:
    """Make the store what a backup holds, once that is checked. The store as it was is kept."""
    made = backups.restore(store_path, file, WHO, with_people=with_people)
    lines = [f"{store_path} holds what {file} holds: {pluralize(made.judgements, 'judgement')}."]
    if made.damage:
        lines.append(f"As it was, it could not be read ({made.damage}). No link works any more.")
    elif made.lost:
        lines.append(f"{pluralize(made.lost, 'judgement')} given since went.")
    if made.before:
        lines.append(f"As it was, it is kept in {made.before}: restore that to go back.")
    if made.foreign:
        lines.append(f"Only rows were taken. Not as Tandem makes it: {'; '.join(made.foreign)}.")
    if with_people:
        lines.append("People and links of the backup came along.")
    elif made.before and not made.damage:
        lines.append("Who may come in stays as it was.")
    else:
        lines.append(f"Nobody may come in by it: {flag('with_people')} takes people along.")
    document = asdict(made) | {"backup": str(made.backup), "before": str(made.before or "")}
    return CommandAnswer({**document, "foreign": list(made.foreign)}, "\n".join(lines))


def check(store: Store) -> CommandAnswer:
    """Check whether the store's file is intact. Exit status 1 if it is damaged."""
    found = store.connection.check()
    counts = ", ".join(f"{count:,} {name}" for name, count in found["counts"].items())
    text = (
        f"{store.path} is {'whole' if found['ok'] else 'damaged: restore a backup'} (schema "
        f"{found['schema']}): {counts}"
    )
    return CommandAnswer(found, text, status=0 if found["ok"] else 1)


def load_sample(store: Store) -> CommandAnswer:
    """Load the sample study, and execute its runs."""
    from .. import sample_study  # whoever opens the pages does not wait for these
    from ..runs import worker

    added = sample_study.load(store)
    worker.run_worker(store.path, once=True)
    return CommandAnswer({"datasets": added}, f"The sample study is there: {', '.join(added)}")


COMMANDS = {
    "backup": Command(back_up),
    "restore": Command(restore, needs_no_store=lambda given: True),  # it may be damaged
    "check": Command(check, untouched=True),
    "sample": Command(load_sample, begins=lambda given: True),
    "app": Command(serve_pages, needs_no_store=lambda given: True),
    "completion": Command(complete, needs_no_store=lambda given: True),
    "model": Command(fetch, needs_no_store=lambda given: True),
}
