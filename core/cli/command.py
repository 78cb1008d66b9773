"""A command: what it does, its options, and a line of help."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from core.cli.options import SELECTING, told
from core.cli.output import Answer
from core.cli.settings import parse_settings
from core.store import Store


def _no_options(sub: argparse.ArgumentParser) -> None:
    """For commands that take none of their own."""


@dataclass(frozen=True)
class Command:
    """`run` answers a `request`, into which a command line is parsed. `options` adds its own
    options to those everywhere. `reads` says which of SELECTING narrow down what a request is
    about, all unless told otherwise; None = the command is about no data set. `untouched`: it
    changes no byte of the store, or of the files beside it. `without`: it is given an empty store
    in memory, as it needs none, or sees to the file itself.
    """

    run: Callable[[Store, Any], Answer]
    help: str
    options: Callable[[argparse.ArgumentParser], None] = _no_options
    reads: Sequence[str] | Callable[[argparse.Namespace], Sequence[str]] | None = tuple(SELECTING)
    untouched: bool = False
    without: Callable[[argparse.Namespace], bool] = lambda asked: False
    request: type | None = None

    def parse(self, asked: argparse.Namespace) -> Any:
        """The request in a command line."""
        return parse_settings(asked, self.request) if self.request else asked

    def passed_over(self, asked: argparse.Namespace) -> list[str]:
        """What to be told of options that were given as they may be everywhere, and play no part in
        this request.
        """
        if self.reads is None:
            return []
        read = self.reads(asked) if callable(self.reads) else self.reads
        idle = [name for name in told(asked, SELECTING) if name not in read]
        return [f"--{name} plays no part in `{asked.command}` as it was asked" for name in idle]
