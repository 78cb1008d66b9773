"""The parser of the command line: its help in groups, and the options of the commands that are
asked for.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Container, Sequence
from pathlib import Path
from textwrap import fill, wrap
from typing import TYPE_CHECKING, Any, NoReturn

from ..records import TandemError
from .commands import COMMANDS, ENTRIES, GROUPS
from .settings import file_path

if TYPE_CHECKING:
    from .command import Command, Verbs

NAMED = 14  # columns of a command's name in the list of commands
WIDTH = 80
LONG = 60  # characters of choices that stand beside an option
MOST = 250  # of those in its help


class _HelpFormatter(argparse.RawDescriptionHelpFormatter):
    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=28, width=100)

    def _split_lines(self, text: str, width: int) -> list[str]:
        return wrap(text, width, break_on_hyphens=False)

    def _format_args(self, action: argparse.Action, default_metavar: str) -> str:
        """Name the value of an option; many choices are listed behind its help."""
        named = super()._format_args(action, default_metavar)
        if action.nargs in ("+", "*"):
            named = f"{self._metavar_formatter(action, default_metavar)(1)[0]} ..."
        if len(named) > LONG and action.metavar is None:
            named = action.dest.upper()
        return named

    def _expand_help(self, action: argparse.Action) -> str:
        """Return an option's help; "%" is nothing special in it."""
        listed = ", ".join(map(str, action.choices or ()))
        is_long = LONG < len(listed) < MOST and action.metavar is None
        return f"{action.help or ''}{f'; one of {listed}' if is_long else ''}"


class _Parser(argparse.ArgumentParser):
    def __init__(self, **described: Any) -> None:
        super().__init__(formatter_class=_HelpFormatter, **described)

    def error(self, message: str) -> NoReturn:
        """Raise TandemError, so that the message is one line as for every wrong request."""
        raise TandemError(f"{message}; `{self.prog} --help` says what there is")


def parse(words: Sequence[str]) -> argparse.Namespace:
    """Parse the words of a command; those that it passes on to another program are its `words`.

    Raises TandemError for unknown ones.
    """
    top = parser(words)
    args, unknown = top.parse_known_args(_name_verb(words))
    args.words = tuple(unknown)
    if unknown and not COMMANDS[args.command].passes_on:
        asked = " ".join(filter(None, [top.prog, args.command, getattr(args, "verb", "")]))
        raise TandemError(
            f"unrecognized arguments: {' '.join(unknown)}; `{asked} --help` says what there is"
        )
    return args


def _name_verb(words: Sequence[str]) -> list[str]:
    """Put the usual verb behind a command that has one, where no other is named."""
    for place, word in enumerate(words):
        if word in ENTRIES and (not place or words[place - 1] != "--store"):
            before, after = words[: place + 1], words[place + 1 :]
            is_named = bool(after) and (after[0][:1] != "-" or after[0] in ("-h", "--help"))
            usual = "" if is_named else getattr(COMMANDS[word], "default", "")
            return [*before, *filter(None, [usual]), *after]
    return list(words)


def parser(words: Container[str] = frozenset(ENTRIES)) -> argparse.ArgumentParser:
    """Build the parser of all commands.

    Only commands among `words` are loaded and get their options: loading all takes seconds.
    """
    started_as = Path(sys.argv[0]).name
    prog = "tandem" if started_as == "tandem" else f"python -m {__package__.partition('.')[0]}"
    top = _Parser(
        prog=prog,
        usage=f"{prog} [--store FILE] COMMAND [OPTION ...]",
        description="People and models compare texts; Tandem says who leads, and how sure it is.",
        epilog=f"{_list_commands()}\n\n`{prog} COMMAND --help` lists its options, with an example.",
    )
    top.add_argument(
        "--store",
        type=file_path,
        default=None,
        metavar="FILE",
        help="the SQLite file (default: $TANDEM_STORE, else data/ of a clone, or your data folder)",
    )
    add = top.add_subparsers(
        prog=prog,
        dest="command",
        required=True,
        metavar="COMMAND",
        parser_class=_Parser,
        help=argparse.SUPPRESS,
    )
    for name, entry in ENTRIES.items():
        sub = add.add_parser(
            name,
            help=entry.help,
            description=f"{entry.help[:1].upper()}{entry.help[1:]}.",
            epilog=f"example:\n  {prog} {entry.example}",
        )
        if name in words:
            _add_command(sub, COMMANDS[name])
    return top


def _add_command(sub: argparse.ArgumentParser, command: Command | Verbs) -> None:
    from .command import Verbs  # not for --help: it takes a second

    if isinstance(command, Verbs):
        default = command.default
        usual = f" (without one: {default})" if default else ""
        add = sub.add_subparsers(
            prog=sub.prog, dest="verb", required=not default, metavar="VERB", title="verbs",
            parser_class=_Parser, help=f"what to do{usual}",
        )  # fmt: skip
        for name, verb in command.verbs.items():
            title = f"{verb.help[:1].upper()}{verb.help[1:]}."
            _add_command(add.add_parser(name, help=verb.help, description=title), verb)
        sub.usage = f"{sub.prog} {'[VERB]' if default else 'VERB'} [OPTION ...]"
        return
    sub.add_argument("--json", action="store_true", help="print one JSON document and nothing else")
    command.add_options(sub)
    sub.usage = " ".join(
        filter(None, [sub.prog, *map(_name_positional, sub._actions), "[OPTION ...]"])
    )


def _name_positional(action: argparse.Action) -> str:
    """Name a value without an option as usage has it, "" where it is an option."""
    if action.option_strings:
        return ""
    name = action.metavar or action.dest.upper()
    return {"?": f"[{name}]", "*": f"[{name} ...]", "+": f"{name} ..."}.get(
        str(action.nargs), f"{name}"
    )


def _list_commands() -> str:
    lines = []
    for group, entries in GROUPS.items():
        lines.append(f"{group}:")
        for name, entry in entries.items():
            indent = " " * (NAMED + 2)
            lines.append(fill(f"  {name:<{NAMED}}{entry.help}", WIDTH, subsequent_indent=indent))
        lines.append("")
    return "\n".join(lines).strip()
