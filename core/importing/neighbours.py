"""Files that lie near a file and say what it leaves out: which texts its ids mean, for one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from core.importing import files
from core.importing.cells import Cells, Row
from core.records import TandemError

MOST = 50  # files that are looked into
LEVELS = 3  # folders above, with their folders called data


def tables_near(path: Path, *columns: str) -> Iterator[Iterator[Cells]]:
    """The rows of each data file near a file that has these columns, the nearest file first."""
    seen = {path}
    for folder in list(path.parents)[:LEVELS]:
        for near in (folder, folder / "data"):
            for other in sorted(near.iterdir())[:MOST] if near.is_dir() else ():
                if other in seen or not other.is_file():
                    continue
                seen.add(other)
                with suppress(TandemError):  # not a data file, or a broken one: not for us to say
                    if set(columns) <= set(files.columns(other)):
                        yield _list_cells(other)
                if len(seen) > MOST:
                    return


def _list_cells(path: Path) -> Iterator[Cells]:
    with suppress(TandemError):  # what can be read is of use nevertheless
        yield from (row.cells for row in files.rows(path) if isinstance(row, Row))
