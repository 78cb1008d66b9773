"""The command line: its commands in the groups of its help, and their parser. The module of a
command is imported when it is asked for: all of them take seconds.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Container, Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from textwrap import fill, wrap
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from ..records import TandemError
from .settings import file_path

if TYPE_CHECKING:
    from .command import Command, Verbs


class Entry(NamedTuple):
    """A command in the help: its module, what it does in a line, and what follows in an example."""

    module: str
    help: str
    example: str = "--dataset news"


GROUPS: dict[str, dict[str, Entry]] = {
    "Data": {
        "look": Entry("reading",
            "say what files hold, who would lead and what to do next; store nothing", "votes.csv"),
        "import": Entry("data", "import files into the store", "votes.csv --dataset news"),
        "datasets": Entry("data", "list the data sets", ""),
        "describe": Entry("data", "summarise judgements and scores"),
        "dataset": Entry("data",
            "rename, delete or reword a data set, or withdraw its simulated votes",
            "rename news --to news-2026"),
        "export": Entry("data", "export what the store holds, also for other tools",
            "--dataset news --what judgements --to votes.csv"),
        "sample": Entry("upkeep", "load the sample study and run the baselines on it", ""),
    },
    "Ask": {
        "judge": Entry("judge", "run a judge on pairs; repeat the command to continue",
            "--dataset news --judge openai:gpt-4o-mini --pairs symmetric"),
        "try": Entry("judge", "try a judge on a few pairs without saving the answers",
            "--dataset news --judge local:smollm2"),
        "generate": Entry("generate", "generate K texts an item; repeat the command to continue",
            "--dataset news --model openai:gpt-4o-mini --system mini --instruction "
            "'Summarise the text.'"),
        "steps": Entry("generate",
            "let a model write the steps by which it then scores texts (G-Eval)",
            "--dataset news --model openai:gpt-4o-mini --attribute coherence"),
        "model": Entry("upkeep", "fetch a small model to try judging with (local:smollm2, 93 MB)",
            ""),
        "runs": Entry("runs", "list runs and campaigns", ""),
        "worker": Entry("runs", "execute queued runs", ""),
        "servers": Entry("runs", "list, add and remove the servers that pages and worker may use",
            "add lab http://localhost:8000/v1"),
    },
    "Understand": {
        "compare": Entry("compare", "say whether the new system is better than the old one",
            "old.csv new.csv --judge openai:gpt-4o-mini"),
        "rank": Entry("rank", "make a leaderboard of the systems"),
        "agreement": Entry("findings", "say how far judges agree"),
        "bias": Entry("findings", "show position and length bias of each judge, and contradictions",
            "--dataset news --judges llm"),
        "probes": Entry("findings",
            "show what changes of a text move a judge (`judge --probe` asks)"),
        "accuracy": Entry("findings", "say how often judges are right",
            "--dataset news --against human"),
        "correlate": Entry("rank", "correlate ratings or scores with other scores",
            "--dataset news --table win-ratio --against human"),
        "separability": Entry("separability", "measure which items can tell systems apart"),
        "consistency": Entry("separability",
            "show how consistent preferences are over an item's texts"),
        "combine": Entry("findings", "rank by few human votes and many judges together"),
        "share": Entry("findings", "say what judges may answer alone, and what people answer",
            "--dataset news --accept-error 0.1"),
        "lab": Entry("lab", "compare judges on the same pairs, and say whether to trust one"),
        "plan": Entry("findings", "say how many more votes the combined estimate needs"),
        "budget": Entry("findings", "say how few comparisons would have done"),
        "drift": Entry("findings", "test whether a judge has changed since its first answers"),
        "items": Entry("findings",
            "find items worth another look, and save them as a set for --item-set",
            "--dataset news --save hard"),
        "report": Entry("findings", "write a page and files for a paper",
            "--dataset news --html report.html"),
    },
    "People": {
        "campaign": Entry("campaign",
            "open and manage campaigns: which pairs people judge, and how",
            "create news-1 --dataset news"),
        "annotators": Entry("findings",
            "show how each person judges: pace, sides, agreement, misfit"),
        "adjudicate": Entry("annotators", "list pairs on which people disagree, and decide them"),
        "exclude": Entry("annotators",
            "leave a person's votes out of statistics, or count them again",
            "Ada --dataset news --reason 'clicks without reading'"),
        "people": Entry("people", "manage people, roles and invitation links", "invite Ada"),
        "crowd": Entry("annotators",
            "invite a panel's participants by one link, and list their payments",
            "payments --dataset news"),
    },
    "Upkeep": {
        "app": Entry("upkeep", "open the pages in the browser; Streamlit takes all further options",
            ""),
        "backup": Entry("upkeep", "copy the store into a file, even while it is in use",
            "news.sqlite3"),
        "restore": Entry("upkeep", "make the store what a backup holds; keep it as it was",
            "news.sqlite3"),
        "check": Entry("upkeep", "check the store and change nothing", ""),
        "completion": Entry("upkeep",
            "write the script by which a shell completes commands and options", "bash"),
    },
}  # fmt: skip
ENTRIES = {name: entry for group in GROUPS.values() for name, entry in group.items()}
"""Every command by its name."""


class CommandTable(Mapping[str, "Command | Verbs"]):
    """The commands by name, each loaded when it is taken."""

    def __getitem__(self, name: str) -> Command | Verbs:
        module = import_module(f".{ENTRIES[name].module}", __package__)
        command: Command | Verbs = module.COMMANDS[name]
        return command

    def __iter__(self) -> Iterator[str]:
        return iter(ENTRIES)

    def __len__(self) -> int:
        return len(ENTRIES)


COMMANDS = CommandTable()

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
            epilog=f"example:\n  {prog} {name} {entry.example}".rstrip(),
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
