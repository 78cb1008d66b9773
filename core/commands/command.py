"""A command: what it does, its options, and a line of help."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass

from core.commands.answers import Answer
from core.store import Store


def _no_options(sub: argparse.ArgumentParser) -> None:
    """For commands that take none of their own."""


@dataclass(frozen=True)
class Command:
    """`run` answers; `options` adds its own options to those everywhere; `selects` adds those of a selection."""

    run: Callable[[Store, argparse.Namespace], Answer]
    help: str
    options: Callable[[argparse.ArgumentParser], None] = _no_options
    selects: bool = True
