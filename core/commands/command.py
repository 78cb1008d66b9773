"""A command: what it does, its options, and a line of help."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from core.commands.answers import Answer
from core.commands.options import EVERYTHING
from core.store import Store


def _no_options(sub: argparse.ArgumentParser) -> None:
    """For commands that take none of their own."""


@dataclass(frozen=True)
class Command:
    """`run` answers; `options` adds its own options to those everywhere, and `selects` (of SELECTING) those that narrow
    down what it is about; None = it is about no data set."""

    run: Callable[[Store, argparse.Namespace], Answer]
    help: str
    options: Callable[[argparse.ArgumentParser], None] = _no_options
    selects: Sequence[str] | None = EVERYTHING
