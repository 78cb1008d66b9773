"""Options of the command line, made of declared settings."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import MISSING, Field, fields, is_dataclass
from pathlib import Path
from typing import Any, TypeVar, get_args, get_type_hints

from core.cli.options import file_path, flag, number, told, whole
from core.settings import get_default, list_settings

Request = TypeVar("Request")
Added = TypeVar("Added")


def add_settings(add: Callable[..., Added], request: type, *names: str, **more: Any) -> list[Added]:
    """Add an option for each of these settings of a request, by `add_argument` or its like; what
    that returns of each.
    """
    declared = list_settings(request)
    return [
        add(
            flag(declared[name].option or name),
            **({"dest": name} | describe_option(request, name) | more),
        )
        for name in names
    ]


def describe_option(request: type, name: str) -> dict[str, Any]:
    """What argparse is told of a setting; nothing of one that is not declared."""
    if name not in list_settings(request):
        return {}
    declared, default = list_settings(request)[name], get_default(request, name)
    kind = get_type_hints(request)[name]
    if kind is bool:
        return {"action": "store_true", "help": declared.help}
    choices, is_many = tuple(filter(None, declared.choices)), isinstance(default, tuple)
    described: dict[str, Any] = {"metavar": declared.metavar or None}
    if choices and not (is_many and declared.metavar):
        described["choices"] = choices
    else:
        described["type"] = _choose_reader(next(iter(get_args(kind)), kind), declared.least)
    if is_many:
        several = (
            {"action": "append"} if declared.one_by_one else {"nargs": "+", "action": "extend"}
        )
        return {**several, "help": declared.help, **described}
    needed = {"required": True} if default is MISSING else {}
    return {**needed, "help": _with_default(declared.help, default), **described}


def _choose_reader(kind: type, least: float | None) -> Callable[[str], Any]:
    """How a value is read: words, a whole number, or a number."""
    if kind is Path:
        return file_path
    if kind is int:
        return whole(int(least or 0))
    return number(least) if kind is float and least is not None else kind


def _with_default(help: str, default: Any) -> str:
    if "default" in help or default in ("", None, MISSING):
        return help
    return f"{help} (default {f'{default:g}' if isinstance(default, float) else default})"


def parse_settings(asked: argparse.Namespace, request: type[Request], **chosen: Any) -> Request:
    """A request of what was given, and of what is `chosen` here. A field without a default that is
    a request itself is parsed likewise.
    """
    there: tuple[Field[Any], ...] = fields(request)  # type: ignore[arg-type]
    given = told(asked, [each.name for each in there]) | chosen
    missing = [each.name for each in there if each.default is MISSING and each.name not in given]
    for name in missing:
        kind = get_type_hints(request)[name]
        if isinstance(kind, type) and is_dataclass(kind):
            given[name] = parse_settings(asked, kind)
    return request(**given)
