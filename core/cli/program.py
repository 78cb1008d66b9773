"""Commands about the program itself: open the pages, complete commands, fetch a small model."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..installation import PROGRAM
from ..settings import declare
from ..store import Store
from .command import Command, NoOptions
from .output import CommandAnswer

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


COMMANDS = {
    "app": _declare(serve_pages, AppRequest, passes_on=True),
    "completion": _declare(complete, CompletionRequest),
    "model": _declare(fetch, NoOptions),
}
