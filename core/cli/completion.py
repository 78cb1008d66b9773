"""The command that writes the script by which a shell completes commands and options."""

from __future__ import annotations

from dataclasses import dataclass

import shtab

from ..settings import declare
from ..store import Store
from .command import Command
from .command_line import parser
from .output import CommandAnswer

SHELLS = ("bash", "zsh", "tcsh")


@dataclass(frozen=True)
class CompletionRequest:
    """The shell that completes."""

    shell: str = declare("bash", "the shell", choices=SHELLS, metavar="SHELL", is_positional=True)


def complete(store: Store, request: CompletionRequest) -> CommandAnswer:
    """Write the script that completes `tandem` in a shell, for its start file."""
    top = parser()
    top.prog = "tandem"
    for action in top._actions:
        if action.dest == "command":  # which shtab leaves out without a help
            action.help = "a command"
    script = shtab.complete(top, shell=request.shell)
    return CommandAnswer({"shell": request.shell, "script": script}, script)


COMMANDS = {
    "completion": Command(
        complete, request=CompletionRequest, reads=None, needs_no_store=lambda asked: True
    )
}
