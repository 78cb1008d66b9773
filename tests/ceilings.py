"""How many lines a room has, and how many it may have: tests/ceilings.tsv.

`python -m tests.ceilings` prints both. `--lower` writes what there is where that is less: a ceiling
only falls. What a room should come down to is the last column.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tests.paths import ROOT

TABLE = ROOT / "tests" / "ceilings.tsv"
LONGEST = 480  # lines of a file in core and pages


class Ceiling(NamedTuple):
    """A room, the most lines that it may have, and the most that it should."""

    room: str
    most: int
    aim: int


def count_lines(path: Path) -> int:
    """Count the lines of Python in a file, or in all files of a folder."""
    files = path.rglob("*.py") if path.is_dir() else [path]
    return sum(len(file.read_text(encoding="utf-8").splitlines()) for file in files)


def read_ceilings(table: Path = TABLE) -> list[Ceiling]:
    with table.open(encoding="utf-8", newline="") as lines:
        rows = csv.DictReader(lines, delimiter="\t")
        return [Ceiling(row["room"], int(row["most"]), int(row["aim"])) for row in rows]


def list_too_high(root: Path = ROOT, table: Path = TABLE) -> Iterator[str]:
    """List the rooms above their ceiling, and the files that are too long."""
    for room, most, _ in read_ceilings(table):
        if (lines := count_lines(root / room)) > most:
            yield f"{room} has {lines:,} lines, and may have {most:,}: take something out"
    for file in sorted([*root.glob("core/**/*.py"), *root.glob("pages/**/*.py")]):
        if (lines := count_lines(file)) > LONGEST:
            yield f"{file.relative_to(root)} has {lines} lines, and may have {LONGEST}: cut it by noun"


def lower(table: Path = TABLE) -> None:
    """Lower each ceiling to what there is."""
    rows = [
        f"{room}\t{min(most, count_lines(ROOT / room))}\t{aim}\n"
        for room, most, aim in read_ceilings(table)
    ]
    table.write_text("".join(["room\tmost\taim\n", *rows]), encoding="utf-8")


def main(words: list[str]) -> None:
    if "--lower" in words:
        lower()
    for room, most, aim in read_ceilings():
        print(f"{room:<18}{count_lines(ROOT / room):>8,} of {most:>7,}   aim {aim:>7,}")


if __name__ == "__main__":
    main(sys.argv[1:])
