"""Options that several commands share."""

from __future__ import annotations

import argparse
import math
import re
from collections.abc import Callable

from core.debiasing import DEBIASING
from core.records import TandemError
from core.selections import Selection
from core.store import Store

MOST = 2**31 - 1  # of any whole number one may ask for: more of anything than there is, and small enough to be stored


def whole(low: int) -> Callable[[str], int]:
    """A whole number from `low`, as the type of an option."""

    def read(text: str) -> int:
        # The length first: Python refuses to read a number of thousands of digits.
        if not re.fullmatch(r"[+-]?0*[0-9]{1,10}", text) or not low <= int(text) <= MOST:
            raise argparse.ArgumentTypeError(f"{text[:40]!r} is not a whole number from {low} to {MOST}")
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


def add_selection(sub: argparse.ArgumentParser) -> None:
    """Which judgements or scores a command is about."""
    sub.add_argument("--dataset", metavar="D", help="may be left out while there is only one")
    sub.add_argument("--subset", metavar="S")
    sub.add_argument("--attribute", metavar="A")
    sub.add_argument("--judges", nargs="+", action="extend", default=[], metavar="human|llm|baseline|gold|NAME")
    sub.add_argument("--systems", nargs="+", action="extend", default=[], metavar="SYSTEM")
    sub.add_argument("--seed", type=whole(0), default=0)


def add_debias(sub: argparse.ArgumentParser) -> None:
    """How to take out what the position of a text did."""
    sub.add_argument("--debias", choices=tuple(DEBIASING), default="none")


def dataset(store: Store, asked: argparse.Namespace) -> str:
    there = store.dataset_names()
    if asked.dataset in there or (asked.dataset is None and len(there) == 1):
        return str(asked.dataset or there[0])
    if not there:
        raise TandemError("the store is empty: import something first")
    wrong = f"unknown data set {asked.dataset!r}" if asked.dataset else "--dataset is needed, there being several"
    raise TandemError(f"{wrong}; there are: {', '.join(there)}")


def selection(store: Store, asked: argparse.Namespace) -> Selection:
    return Selection(
        dataset(store, asked), asked.subset, asked.attribute, tuple(asked.judges), tuple(asked.systems), asked.seed
    )
