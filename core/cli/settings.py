"""Options of the command line, made of declared settings."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import MISSING, fields
from typing import Any, TypeVar, get_args, get_type_hints

from core.cli.options import flag, number, told, whole
from core.settings import Setting, get_default, list_settings

Request = TypeVar("Request")


def add_settings(add: Callable[..., object], request: type, *names: str, **more: Any) -> None:
    """Add an option for each of these settings of a request, by `add_argument` or its like."""
    declared, kinds = list_settings(request), get_type_hints(request)
    for name in names:
        one, default = declared[name], get_default(request, name)
        described = _describe_option(one, kinds[name], default)
        add(flag(one.option or name), **({"dest": name} | described | more))


def _describe_option(declared: Setting, kind: Any, default: Any) -> dict[str, Any]:
    """What argparse is told of a setting."""
    if kind is bool:
        return {"action": "store_true", "help": declared.help}
    choices, is_many = tuple(filter(None, declared.choices)), isinstance(default, tuple)
    described: dict[str, Any] = {"metavar": declared.metavar or None}
    if choices and not (is_many and declared.metavar):
        described["choices"] = choices
    else:
        described["type"] = _choose_reader(next(iter(get_args(kind)), kind), declared.least)
    if is_many:
        return {"nargs": "+", "action": "extend", "help": declared.help, **described}
    return {"help": _with_default(declared.help, default), **described}


def _choose_reader(kind: type, least: int | None) -> Callable[[str], Any]:
    """How a value is read: words, a whole number, or a number."""
    if kind is int:
        return whole(least or 0)
    return number(least) if kind is float and least is not None else kind


def _with_default(help: str, default: Any) -> str:
    if "default" in help or default in ("", None, MISSING):
        return help
    return f"{help} (default {f'{default:g}' if isinstance(default, float) else default})"


def parse_settings(asked: argparse.Namespace, request: type[Request], **chosen: Any) -> Request:
    """A request of what was given, and of what is `chosen` here."""
    names = [each.name for each in fields(request)]  # type: ignore[arg-type]
    return request(**{**told(asked, names), **chosen})
