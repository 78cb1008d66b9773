"""Commands that are made of a declared finding."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence
from dataclasses import MISSING, make_dataclass, replace
from typing import Any, NoReturn

from ..catalogue import FINDINGS, DeclaredFinding
from ..records import TandemError
from ..store import Store
from .command import Command
from .finding_text import PrintSettings, write_answer
from .options import flag
from .output import CommandAnswer, warn
from .settings import add_options, check_parts, collect_given, include, include_all, list_options


def make_command(declared: DeclaredFinding) -> Command:
    """The command that answers with a declared finding."""
    fields = [
        (name, kind, include_all() if name in declared.settings else include(*declared.reads))
        for name, kind in declared.requests.items()
    ]
    request_type = make_dataclass(
        "FindingRequest", [*fields, ("shown", PrintSettings, include_all())], frozen=True
    )

    def run(store: Store, request: Any) -> CommandAnswer:
        asked = {name: getattr(request, name) for name in declared.requests}
        result = declared.find(store, **asked).name_settings(flag)
        text = write_answer(result, request.shown, *declared.describe(result))
        return CommandAnswer(result.document(), text)

    return Command(run, request=request_type)


class _OptionParser(argparse.ArgumentParser):
    """It refuses as everything behind the door does."""

    def error(self, message: str) -> NoReturn:
        raise TandemError(f"{self.prog}: {message}")


def read_settings(declared: DeclaredFinding, words: Sequence[str]) -> dict[str, Any]:
    """Some settings of a declared finding, by name, as its command would take them: none is needed.

    Raises:
        TandemError: an option or a value that the command would refuse.
    """
    options = {
        name: replace(option, default=None if option.default is MISSING else option.default)
        for kind in declared.settings.values()
        for name, option in list_options(kind).items()
    }
    said = Counter(word.partition("=")[0] for word in words)
    for option in options.values():
        if said[option.flag] > 1 and not option.is_many:
            raise TandemError(
                f"--set {declared.command}.{option.flag[2:]} is given {said[option.flag]} times, "
                "and takes one value: give it once"
            )
    parser = _OptionParser(prog=declared.command, add_help=False, allow_abbrev=False)
    add_options(parser, options.values())
    args, unknown = parser.parse_known_args(words)
    if unknown:
        names = ", ".join(option.flag[2:] for option in options.values())
        raise TandemError(
            f"--set {declared.command}.{unknown[0].lstrip('-')}: {declared.command} has no such "
            f"setting; it has {names}"
        )
    given = collect_given(args, options)
    warn(*check_parts(options, given))
    return given


COMMANDS = {
    declared.command: make_command(declared)
    for declared in FINDINGS.values()
    if declared.command and declared.is_plain
}
