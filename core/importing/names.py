"""Names that a file gives to items, systems, attributes and judges."""

from __future__ import annotations

import re
from pathlib import Path

from core.records import TandemError

CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
"""Signs that a terminal takes for commands, and no screen can show. A tab and the end of a line are
none: a prompt may be an item's name.
"""


TURNING = re.compile("[\u200e\u200f\u202a-\u202e\u2066-\u2069]")
"""Signs that turn what follows them round, so that a name looks like another one."""

LONGEST = 240
"""Bytes of a file's name that are kept: a disk takes 255."""


def file_name(given: str) -> str:
    """What a file is kept under that somebody's browser calls so: a name in one folder, on one
    line, with the ending that says what it holds.
    """
    last = given.replace("\\", "/").rpartition("/")[2].encode(errors="replace").decode()
    name = Path(TURNING.sub("", CONTROL.sub("", re.sub(r"\s", " ", last))).strip())
    ending = "".join(name.suffixes[-2 if name.suffix.lower() == ".gz" else -1 :])
    room = LONGEST - len(ending.encode())
    if name.name in ("", "..") or room < 1:
        return "upload"
    return name.name.removesuffix(ending).encode()[:room].decode(errors="ignore") + ending


def check_name(name: str) -> None:
    """Raises ValueError for a name with a control character in it."""
    if not name.isprintable() and has_control(name):
        raise ValueError(f"a control character in the name {name[:60]!a}")


def check_dataset(name: str) -> None:
    """Raises TandemError where a data set cannot be called so."""
    if has_control(name):
        raise TandemError(f"the name {name[:60]!a} has a control character: type it without")


def has_control(name: str) -> bool:
    """Whether a name has a control character in it."""
    return not name.isprintable() and CONTROL.search(name) is not None
