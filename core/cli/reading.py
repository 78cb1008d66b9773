"""How files of votes are to be read, where they do not say it themselves."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from typing import Any

from core.importing import MEANS, Codes
from core.moments import DateOrder
from core.records import TandemError

SEVERAL: dict[str, Any] = {"nargs": "+", "action": "extend", "metavar": "VALUE"}


def add_reading(add: Callable[..., Any]) -> None:
    """What each column is, and what the values of the winner's mean."""
    add(
        "--map",
        **{**SEVERAL, "metavar": "FIELD=COLUMN"},
        help="the column of each field; FIELD= if there is none",
    )
    for name, whom in (("first", "the first system"), ("second", "the second system")):
        add(
            f"--{name}-wins",
            **SEVERAL,
            help=f"what in the winner column means that {whom} won; a number, range (1..3) or word",
        )
    add("--tie", **SEVERAL, help="what in the winner column means a tie")
    add(
        "--winner-means",
        choices=tuple(MEANS),
        help="what the winner column names, where it could be either: a system, a side, or a text",
    )
    add(
        "--dates",
        choices=tuple(DateOrder),
        help="what comes first in dates such as 03/04/2024, where the column leaves it open",
    )


def mapping(asked: argparse.Namespace) -> dict[str, str]:
    """field -> column of FIELD=COLUMN; the column is empty where there is to be none."""
    pairs = [text.partition("=") for text in asked.map or ()]
    wrong = [field for field, sign, _ in pairs if not (field and sign)]
    if wrong:
        raise TandemError(f"--map {wrong[0]} should be FIELD=COLUMN, such as --map item=doc_id")
    return {field: column for field, _, column in pairs}


def date_order(asked: argparse.Namespace) -> DateOrder | None:
    """What comes first in dates in numbers, where it was said."""
    return DateOrder(asked.dates) if asked.dates else None


def codes(asked: argparse.Namespace) -> Codes:
    """What the values of a winner column mean."""
    said: list[Sequence[str] | None] = [asked.first_wins, asked.second_wins, asked.tie]
    first, second, tie = (tuple(values or ()) for values in said)
    return Codes(first, second, tie, asked.winner_means or "")
