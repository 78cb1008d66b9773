"""Commands: the function of each, whose parameters are its options, and a line of help.

Each parameter that `core.settings.declare` makes is an option; so are the settings of parameters
that are requests (`include` of `core.cli.settings` says which). What the options were given becomes
the arguments once, here, and behind this file nobody sees a Namespace.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import MISSING, Field, dataclass, field, make_dataclass
from functools import cached_property
from inspect import Parameter, signature
from typing import Any, ClassVar

from ..findings.judgements import Selection
from ..labels import list_short_judges
from ..output_files import output_rules
from ..records import TandemError
from ..store import Store
from .output import CommandAnswer
from .settings import (
    CHECKS,
    REPLACEABLE,
    SELECTING,
    Option,
    add_options,
    build_request,
    check_parts,
    collect_given,
    list_options,
    list_paths,
    make_overwrite,
    walk_fields,
)

NAMING = frozenset(("judges", "against", "scores", "rater"))
"""Settings whose values may be names of judges."""
Given = Mapping[str, Any]
"""What was given, by the names of settings; `store_path` is the store's file."""


@dataclass(frozen=True)
class Command:
    """A command of the command line, which `run(store, ...)` answers. A verb has a line of `help`;
    a command has its line where all are listed. `reads` lists the options of SELECTING that apply
    to a request; None = all where it has a Selection, else none. `untouched`: it changes neither
    the store nor the files beside it. `needs_no_store`: it gets an empty store in memory, because
    it uses none or opens the file itself. `begins`: it creates the store if the file does not
    exist.

    A parameter `dataset` that is not declared is the data set that is named; without a default, it
    is the only one there is otherwise. `store_path` is the file of the store. `words` are those
    that the command does not know, and passes on to another program.
    """

    run: Callable[..., CommandAnswer]
    help: str = ""
    reads: Sequence[str] | Callable[[Given], Sequence[str]] | None = None
    untouched: bool = False
    needs_no_store: Callable[[Given], object] = lambda given: False
    begins: Callable[[Given], object] = lambda given: False

    @cached_property
    def request(self) -> type:
        """Make the request of the command: a field for each parameter of `run` but the store."""
        _, *parameters = signature(self.run, eval_str=True).parameters.values()
        made = [(each.name, each.annotation, _make_field(each.default)) for each in parameters]
        return make_dataclass("CommandRequest", made, frozen=True, kw_only=True)

    @property
    def own_options(self) -> dict[str, Option]:
        """Options of the request, by name."""
        options = list_options(self.request)
        named = [option for option in options.values() if option.setting.output in REPLACEABLE]
        return options | {"overwrite": make_overwrite(named)} if named else options

    @cached_property
    def is_about_data(self) -> bool:
        """Return whether the command is about a data set."""
        named = [one for one, _ in walk_fields(self.request) if one.name == "dataset"]
        return any("setting" not in one.metadata for one in named)

    @property
    def passes_on(self) -> bool:
        """Return whether words that it does not know are another program's."""
        return "words" in signature(self.run).parameters

    def add_options(self, sub: argparse.ArgumentParser) -> None:
        """Add the command's options, and those that select data, to its parser."""
        shared = SELECTING if self.is_about_data else ()
        if self.is_about_data:
            only = "the data set; optional while there is only one"
            sub.add_argument("--dataset", metavar="D", help=only)
            add_options(sub, [list_options(Selection)[name] for name in shared])
        add_options(sub, [one for name, one in self.own_options.items() if name not in shared])

    def read(self, args: argparse.Namespace) -> Task:
        """Read the request of a command line. Raises TandemError for an option without effect."""
        selecting = SELECTING if self.is_about_data else ()
        given = collect_given(args, (*self.own_options, "dataset", *selecting))
        notes = check_parts(self.own_options, given)
        read = self.reads(given) if callable(self.reads) else self.reads
        if read is None:
            has_selection = any(kind is Selection for _, kind in walk_fields(self.request))
            read = SELECTING if has_selection else ()
        for name in [one for one in selecting if one in given and one not in read]:
            del given[name]
            asked = f"{args.command} {getattr(args, 'verb', '')}".strip()
            notes.append(f"--{name} plays no part in `{asked}` as it was asked")
        return Task(self, {**given, "store_path": args.store, "words": args.words}, notes)


def _make_field(default: Any) -> Any:
    """Make the field of a parameter. A declaration that several have is copied."""
    if isinstance(default, Field):
        return field(default=default.default, metadata=default.metadata)
    return field() if default is Parameter.empty else field(default=default)


@dataclass(frozen=True)
class Verbs:
    """A command of several verbs, each a command of its own; `default` is the verb without one."""

    verbs: Mapping[str, Command]
    default: str = ""
    passes_on: ClassVar[bool] = False

    def read(self, args: argparse.Namespace) -> Task:
        """Read the request of a command line. Raises TandemError for an option without effect."""
        return self.verbs[args.verb].read(args)


@dataclass(frozen=True)
class Task:
    """A command, its parsed arguments, and notes on them."""

    command: Command
    given: Given
    notes: list[str] = field(default_factory=list)

    @contextmanager
    def guard_outputs(self) -> Iterator[None]:
        """Refuse to overwrite files, before the command and while it writes. Raises TandemError."""
        options = list_options(self.command.request)
        reads = [
            path
            for name, value in self.given.items()
            if not (name in options and options[name].setting.output)
            for path in list_paths(value)
        ]
        overwrite = bool(self.given.get("overwrite"))
        with output_rules(self.given["store_path"], tuple(reads), overwrite=overwrite):
            for name in options.keys() & self.given.keys():
                if check := CHECKS.get(options[name].setting.output):
                    check(self.given[name])
            yield

    @property
    def is_without_store(self) -> bool:
        """Return whether the command needs no store, or opens its file itself."""
        return bool(self.command.needs_no_store(self.given))

    @property
    def begins_store(self) -> bool:
        """Return whether the command may run before the store's file exists."""
        return self.is_without_store or bool(self.command.begins(self.given))

    def answer(self, store: Store) -> CommandAnswer:
        """Run the command. Raises TandemError for a request that makes no sense."""
        request, given = self.command.request, dict(self.given)
        fields = [one for one, _ in walk_fields(request)]
        if any(one.name == "dataset" and one.default is MISSING for one in fields):
            name = given.get("dataset", "")
            given["dataset"] = name if self.is_without_store else find_dataset(store, name)
        if not self.is_without_store:
            given |= {name: _find_judges(store, given[name]) for name in NAMING & given.keys()}
        return self.command.run(store, **vars(build_request(request, given)))


def _find_judges(store: Store, given: Any) -> Any:
    """Return names as the store has them, of short names and people's names in any spelling."""
    names = (given,) if isinstance(given, str) else given
    short = list_short_judges("\n".join(store.judges.load_all()["judge"]))
    whole = {called: name for name, called in short.items()}
    found = tuple(whole.get(name) or store.people.spelling_of_known(name) for name in names)
    return found[0] if isinstance(given, str) else found


def find_dataset(store: Store, name: str = "") -> str:
    """The data set of this name, or the only one there is."""
    there = store.datasets.names()
    if name in there or (not name and len(there) == 1):
        return str(name or there[0])
    if not there:
        raise TandemError("the store is empty: import something first")
    wrong = f"unknown data set {name!r}" if name else "--dataset is needed, there being several"
    raise TandemError(f"{wrong}; there are: {', '.join(there)}")
