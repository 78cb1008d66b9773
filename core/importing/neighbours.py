"""Files that lie near a file and say what it leaves out: which texts its ids mean, for one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from core.importing import files
from core.importing.cells import Cells, Row
from core.records import TandemError

MOST = 50  # files that are looked into
LEVELS = 3  # folders above, with their folders called data


def neighbours(path: Path) -> Iterator[tuple[Path, tuple[str, ...]]]:
    """The data files near a file, the nearest first, with their columns."""
    seen = {path}
    for folder in list(path.parents)[:LEVELS]:
        for near in (folder, folder / "data"):
            for other in sorted(near.iterdir())[:MOST] if near.is_dir() else ():
                if other in seen or not other.is_file():
                    continue
                seen.add(other)
                try:
                    columns = tuple(files.columns(other))
                except TandemError:  # not a data file, or a broken one: not for us to say
                    continue
                yield other, columns
                if len(seen) > MOST:
                    return


def cells_of(path: Path) -> Iterator[Cells]:
    """The cells of every row that can be read."""
    try:
        for row in files.rows(path):
            if isinstance(row, Row):
                yield row.cells
    except TandemError:  # what can be read is of use nevertheless
        return
