"""Options that several commands share."""

from __future__ import annotations

import argparse
import errno
import math
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..failures import FAILURES, TIMED_OUT
from ..settings import MOST, declare

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


def failure_kind(retry_failed: str) -> str:
    """The kind of failures to be asked again, '' for all."""
    return "" if retry_failed == ALL_KINDS else retry_failed


SELECTING = ("subset", "attribute", "judges", "systems", "seed", "families", "item_set")
"""The settings of a Selection that narrow down what a command is about. A script may give them
everywhere: where one plays no part, that is said.
"""
