"""Options of the command line, made of declared settings."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any, TypeVar

from core.cli.options import flag, told, whole
from core.settings import Setting, get_default, list_settings

Request = TypeVar("Request")


def add_settings(add: Callable[..., object], request: type, *names: str, **more: Any) -> None:
    """Add an option for each of these settings of a request, by `add_argument` or its like."""
    declared = list_settings(request)
    for name in names:
        default = get_default(request, name)
        add(flag(name), **_describe_option(declared[name], default), **more)


def _describe_option(declared: Setting, default: Any) -> Mapping[str, Any]:
    """What argparse is told of a setting."""
    if isinstance(default, bool):
        return {"action": "store_true", "help": declared.help}
    if isinstance(default, tuple):
        return {"nargs": "+", "metavar": declared.metavar, "help": declared.help}
    help, choices = _with_default(declared.help, default), tuple(filter(None, declared.choices))
    if choices:
        return {"choices": choices, "help": help}
    kinds: dict[type, Callable[[str], Any]] = {int: whole(0), float: float, str: str}
    return {"type": kinds[type(default)], "metavar": declared.metavar, "help": help}


def _with_default(help: str, default: Any) -> str:
    if "default" in help or default == "":
        return help
    return f"{help} (default {f'{default:g}' if isinstance(default, float) else default})"


def parse_settings(asked: argparse.Namespace, request: type[Request], **chosen: Any) -> Request:
    """A request of what was given, and of what is `chosen` here."""
    names = [each.name for each in fields(request)]  # type: ignore[arg-type]
    return request(**{**told(asked, names), **chosen})
