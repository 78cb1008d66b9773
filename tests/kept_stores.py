"""Stores of schema 24 that the Tandem of commit 277cdddc left, and what it printed of them.

`schema24.sql` is a dump of one that it made: it has rows in every table, a campaign for each way to
choose pairs, and runs that wait for judges behind a server and on this machine. The others it has
brought along from the schema in their name: `from4` has more of everything that people do, `from18`
imported votes, `from22` prompts that declare no form, `from23` two runs of judges behind a server.
"""

from __future__ import annotations

import gzip
import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "store" / "older"
KEPT = ("schema24", "from4", "from18", "from22", "from23")


def write_kept(name: str, path: Path) -> Path:
    """Write one of the kept stores to a new file."""
    packed = FOLDER / f"{name}.sqlite3.gz"
    if packed.exists():
        path.write_bytes(gzip.decompress(packed.read_bytes()))
    else:
        with closing(sqlite3.connect(path)) as db:
            db.executescript((FOLDER / f"{name}.sql").read_text(encoding="utf-8"))
    return path


def load_printed(name: str) -> dict[str, Any]:
    """What Tandem printed of a kept store."""
    document: dict[str, Any] = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    return document
