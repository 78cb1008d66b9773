"""Options of the command line from declared settings, and requests from what was given."""

from __future__ import annotations

import argparse
import errno
import glob
import math
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, field, fields, is_dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from ..failures import FAILURES, TIMED_OUT
from ..output_files import check_new_output, check_output, check_output_folder
from ..records import TandemError, option_ref, render_options
from ..settings import MOST, Part, Setting, declare, is_nested, list_idle, strip_none

Request = TypeVar("Request")
FROM_STORE = ("dataset", "store_path", "words")
"""Fields that need no declaration: the data set there is, and the file that --store names."""


@dataclass(frozen=True)
class Option:
    """A setting as an option: what its values are, and in which requests it plays a part."""

    name: str
    setting: Setting
    kind: Any
    default: Any
    part: Part | None = None

    @property
    def flag(self) -> str:
        """Name of the option on the command line, such as "--systems"."""
        return flag(self.setting.option or self.name)

    @property
    def display_name(self) -> str:
        """Return the name of the option for people: "--systems", or "FILE" if it is positional."""
        return str(self.setting.metavar) if self.setting.is_positional else self.flag

    @property
    def is_many(self) -> bool:
        """Return whether the option takes several values."""
        return get_origin(self.kind) is tuple

    def describe(self) -> dict[str, Any]:
        """Return the option for argparse, without default, so that what was given can be told."""
        declared, help = self.setting, _with_default(self)
        if self.kind is bool:
            switch = argparse.BooleanOptionalAction if declared.is_switch else "store_true"
            return {"action": switch, "default": None, "help": help}
        described: dict[str, Any] = {"help": help, "metavar": declared.metavar or None}
        choices = tuple(filter(None, declared.choices))
        if choices and not (self.is_many and declared.metavar):
            described["choices"] = choices
        else:
            described["type"] = declared.read or _choose_reader(self.kind, declared.least)
        if declared.bare:
            described |= {"nargs": "?", "const": declared.bare}
        if declared.one_by_one:
            described |= {"action": "append"}
        elif self.is_many:
            described |= _count_values(self.kind)
        return described

    def add_to(self, container: argparse._ActionsContainer) -> None:
        """Add the option to an argparse parser or group."""
        described = self.describe()
        if not self.setting.is_positional:
            described["required"] = self.default is MISSING
            container.add_argument(self.flag, dest=self.name, **described)
            return
        described.pop("action", None)
        if self.is_many:
            described["nargs"] = "+" if self.default is MISSING else "*"
        elif self.default is not MISSING:
            described["nargs"] = "?"
        container.add_argument(self.name, **described)

    def render(self, value: object) -> str:
        """Write the option as it was given: "--systems x y"."""
        if isinstance(value, bool):
            return self.display_name if value else f"--no-{self.display_name[2:]}"
        words = " ".join(map(str, value)) if isinstance(value, tuple) else str(value)
        return f"{self.display_name} {words[:60]}"


@dataclass(frozen=True)
class Inclusion:
    """Settings of a nested request that become options (None = all), and the parts they play."""

    names: tuple[str, ...] | None = None
    part: Part | None = None
    parts: Mapping[str, Part] = field(default_factory=dict)
    changes: type | None = None

    def narrow_options(self, options: Mapping[str, Option]) -> dict[str, Option]:
        """Return the options included, by name, each with the part of requests it applies to."""
        names = tuple(options) if self.names is None else self.names
        played = {name: self.parts.get(name, self.part) or options[name].part for name in names}
        return {name: replace(options[name], part=part) for name, part in played.items()}


def include(*names: str, **how: Any) -> Any:
    """A field whose type is a request, of whose settings only these become options. They play the
    `part`, or each one of its own (`parts`), else the one that is declared.
    """
    return field(metadata={"included": Inclusion(names, **how)})


def include_all(**how: Any) -> Any:
    """A field whose type is a request, of whose settings all become options; see `include`."""
    return field(metadata={"included": Inclusion(**how)})


def include_changes(request: type, *names: str, **how: Any) -> Any:
    """A field of type Mapping: what was given of these settings (or all) of another request."""
    return field(metadata={"included": Inclusion(names or None, changes=request, **how)})


@cache
def list_options(request: type) -> dict[str, Option]:
    """The options of a request and of those that are nested in it, by name."""
    options: dict[str, Option] = {}
    hints = get_type_hints(request)
    for each in fields(request):
        kind = strip_none(hints[each.name])
        included = each.metadata.get("included", Inclusion())
        if declared := each.metadata.get("setting"):
            options[each.name] = Option(each.name, declared, kind, each.default, declared.part)
        elif included.changes or is_dataclass(kind):
            options |= included.narrow_options(list_options(included.changes or kind))
    return options


def build_request(request: type[Request], given: Mapping[str, Any]) -> Request:
    """A request, with those nested in it, of what was given by name."""
    values: dict[str, Any] = {}
    hints = get_type_hints(request)
    for each in fields(request):  # type: ignore[arg-type]
        included = each.metadata.get("included", Inclusion())
        if included.changes:
            names = included.narrow_options(list_options(included.changes))
            values[each.name] = {name: given[name] for name in names if name in given}
        elif is_nested(each, hints):
            values[each.name] = build_request(hints[each.name], given)
        elif each.name in given and ("setting" in each.metadata or each.name in FROM_STORE):
            values[each.name] = given[each.name]
    return request(**values)


def walk_fields(request: type) -> Iterator[tuple[Field[Any], Any]]:
    """Yield the fields of a request, and of those nested in it, with their types."""
    hints = get_type_hints(request)
    for each in fields(request):
        yield each, hints[each.name]
        if is_nested(each, hints):
            yield from walk_fields(hints[each.name])


def add_options(sub: argparse.ArgumentParser, options: Iterable[Option]) -> None:
    """Add these options, in groups by the parts they play."""
    options = list(options)
    groups: dict[str, argparse._ActionsContainer] = {"": sub}
    rivals = {option.setting.instead_of for option in options}
    for option in options:
        to = render_options(option.part.to, flag) if option.part else ""
        if to not in groups:
            groups[to] = sub.add_argument_group(f"of {to}")
        container, rival = groups[to], option.setting.instead_of or option.name
        if rival in rivals:
            if f"instead of {rival}" not in groups:
                groups[f"instead of {rival}"] = container.add_mutually_exclusive_group()
            container = groups[f"instead of {rival}"]
        option.add_to(container)


def collect_given(args: argparse.Namespace, names: Iterable[str]) -> dict[str, Any]:
    """Return the values that were given for these options."""
    every = {name: _freeze(getattr(args, name, None)) for name in names}
    return {name: value for name, value in every.items() if value is not None and value != ()}


def check_parts(options: Mapping[str, Option], given: Mapping[str, Any]) -> list[str]:
    """List options that play no part in this request. Raises TandemError for a refused one."""
    usual = {name: option.default for name, option in options.items()}
    values = {name: None if value is MISSING else value for name, value in usual.items()}
    values.update(given)
    played = (
        (option.render(given[name]), option.part, option.setting.is_harmless)
        for name, option in options.items()
        if name in given
    )
    notes = []
    for sentence, way_out in list_idle(played, values):
        said = render_options(sentence, flag)
        if way_out:
            raise TandemError(f"{said}: {render_options(way_out, flag)}")
        notes.append(f"{said}, and plays no part here")
    return notes


def _count_values(kind: Any) -> dict[str, Any]:
    """Return how many values argparse takes: one or more, a fixed number, or groups."""
    inner = get_args(kind)
    if inner[-1] is not ...:
        return {"nargs": len(inner)}
    if get_origin(inner[0]) is tuple:
        return {"nargs": len(get_args(inner[0])), "action": "append"}
    return {"nargs": "+", "action": "extend"}


def _choose_reader(kind: Any, least: float | None) -> Callable[[str], Any]:
    while get_origin(kind) is not None:
        kind = get_args(kind)[0]
    if kind is int:
        return make_whole_number_type(int(least or 0))
    if getattr(kind, "__name__", "") == "Path":
        return file_path
    read: Callable[[str], Any] = number(least) if kind is float and least is not None else kind
    return read


def _with_default(option: Option) -> str:
    help, default = option.setting.help, option.default
    if "default" in help or default in ("", None, MISSING, ()):
        return help
    if isinstance(default, bool):
        if not option.setting.is_switch:
            return help
        default = "on" if default else "off"
    return f"{help} (default {f'{default:g}' if isinstance(default, float) else default})"


def _freeze(value: Any) -> Any:
    return tuple(map(_freeze, value)) if isinstance(value, list) else value


REPLACEABLE = ("file", "folder")
"""Outputs whose files --overwrite replaces."""
CHECKS = {"file": check_output, "new file": check_new_output, "folder": check_output_folder}


def make_overwrite(outputs: Sequence[Option]) -> Option:
    """Make the option --overwrite of a command with these outputs."""
    setting = Setting(lambda: "replace files that are not Tandem's, or were changed")
    names = [option.name for option in outputs]
    to = " or ".join(option_ref(option.setting.option or option.name) for option in outputs)
    part = Part(to, lambda values: any(values[name] for name in names))
    return Option("overwrite", setting, bool, False, part)


def list_paths(value: Any) -> Iterator[Path]:
    """Yield the files that a value may name: a path, a pattern, or @FILE."""
    for one in value if isinstance(value, tuple) else (value,):
        if isinstance(one, Path):
            yield one
        elif isinstance(one, str) and "\0" not in one:
            yield from map(Path, glob.glob(one.removeprefix("@"), recursive=True))


WHO = "command line"
"""Who did what is done here, in the audit log."""


def make_whole_number_type(low: int) -> Callable[[str], int]:
    """A whole number from `low`, as the type of an option."""

    def read(text: str) -> int:
        # The length first: Python refuses to read a number of thousands of digits.
        if not re.fullmatch(r"[+-]?0*[0-9]{1,10}", text) or not low <= int(text) <= MOST:
            raise argparse.ArgumentTypeError(
                f"{text[:40]!r} is not a whole number from {low} to {MOST}"
            )
        return int(text)

    return read


def number(low: float) -> Callable[[str], float]:
    """A finite number from `low`, as the type of an option."""

    def read(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not low <= value < math.inf:
            raise argparse.ArgumentTypeError(f"{text[:40]!r} is not a number from {low:g}")
        return value

    return read


def file_path(text: str) -> Path:
    """The name of a file or folder, there or not, as the type of an option."""
    return Path(file_words(text))


def file_words(text: str) -> str:
    """Check a file name, pattern or address, and return it as typed."""
    if not text:
        raise argparse.ArgumentTypeError("the name of a file or folder is empty: give one")
    if "\0" in text:
        raise argparse.ArgumentTypeError(
            f"{text[:40]!r} holds a NUL, which no name of a file or folder does: give another"
        )
    try:
        os.stat(text)
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            raise argparse.ArgumentTypeError(
                f"{text[:40]!r} and {len(text) - 40:,} characters more is too long for the name of "
                "a file or folder: give a shorter one"
            ) from None
    return text


def flag(name: str) -> str:
    """Return the command-line name of a setting, such as "--beam-size"."""
    return f"--{name.replace('_', '-')}"


ALL_KINDS = "all"


def declare_retry(what: str) -> Any:
    """The setting that asks again for what failed, or for what failed for one kind of reason."""
    return declare(
        "",
        f"ask again only {what}, or only failures of one kind, such as {TIMED_OUT}",
        choices=dict.fromkeys((ALL_KINDS, *FAILURES), ""),
        metavar="KIND",
        bare=ALL_KINDS,
    )


def declare_table() -> Any:
    """The setting that writes a command's table to a file."""
    return declare(None, "write .csv, .jsonl or .parquet instead", metavar="FILE", output="file")


def failure_kind(retry_failed: str) -> str:
    """The kind of failures to be asked again, '' for all."""
    return "" if retry_failed == ALL_KINDS else retry_failed


SELECTING = ("subset", "attribute", "judges", "systems", "seed", "families", "item_set")
"""The settings of a Selection that narrow down what a command is about. A script may give them
everywhere: where one plays no part, that is said.
"""
