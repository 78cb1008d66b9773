"""Names that a file gives to items, systems, attributes and judges."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path

from ..records import CONTROL, has_control

TURNING = re.compile("[\u200e\u200f\u202a-\u202e\u2066-\u2069]")
"""Signs that turn what follows them round, so that a name looks like another one."""

MODEL = re.compile(
    r"(llm|ai|auto|machine|model|judge|gpt|claude|gemini)[-_ ]?(judge|[-.\d]\w*)?", re.IGNORECASE
)
PERSON = re.compile("humans?|people|persons?|experts?|crowd|users?|annotators?", re.IGNORECASE)
"""Names of raters in columns that say who they are, where both sorts are there."""

LONGEST = 240
"""Bytes of a file's name that are kept: a disk takes 255."""


def file_name(given: str) -> str:
    """Return the name under which an uploaded file is kept, by the browser's name for it: on one
    line, in one folder, with the ending that says what it holds.
    """
    last = given.replace("\\", "/").rpartition("/")[2].encode(errors="replace").decode()
    name = Path(TURNING.sub("", CONTROL.sub("", re.sub(r"\s", " ", last))).strip())
    ending = "".join(name.suffixes[-2 if name.suffix.lower() == ".gz" else -1 :])
    room = LONGEST - len(ending.encode())
    if name.name in ("", "..") or room < 1:
        return "upload"
    return name.name.removesuffix(ending).encode()[:room].decode(errors="ignore") + ending


@lru_cache(4096)
def normalise_name(name: str) -> str:
    """Return the name of a column as names are compared: without case, spaces and signs between
    words.
    """
    return re.sub(r"[\s_.\-]+", "", name.casefold())


@lru_cache(4096)  # of names that rows repeat
def check_name(name: str) -> None:
    """Check a name for control characters. Raises ValueError for one."""
    if has_control(name):
        raise ValueError(f"a control character in the name {name[:60]!a}")
