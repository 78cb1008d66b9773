"""A new store is a copy of another: for each of thousands of tests, to make its tables would take
longer than most of what is tested.

`tests/store/test_schema.py` makes its stores as Tandem does.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest

from core.store import Store, opening, schema
from tests.once import Once
from tests.paths import ROOT


@pytest.fixture(scope="session")
def new_store(once: Once) -> Path:
    """A store without anything in it."""
    return once(
        "new.sqlite3",
        [ROOT / "core/store/schema.py", *schema.TABLES],
        lambda path: Store(path).close(),
    )


@pytest.fixture(autouse=True)
def copied(new_store: Path) -> Iterator[None]:
    """While a test runs, a store that is not there is begun as a copy of the new one."""
    create = opening.open_store

    def opened(path: Path, patience: float) -> opening.OpenedStore:
        if str(path) != ":memory:" and not os.path.exists(path):
            begin(new_store, path)
        return create(path, patience)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(opening, "open_store", opened)
        yield


def begin(new_store: Path, path: Path) -> None:
    """Put a copy with a secret of its own under its name, at once and whole."""
    part = path.with_name(f"{path.name}.{os.getpid()}-{threading.get_ident()}")
    with suppress(OSError, sqlite3.Error):
        try:
            shutil.copyfile(new_store, part)
            with closing(sqlite3.connect(part)) as store, store:
                store.execute("PRAGMA synchronous = OFF")
                store.execute("UPDATE secrets SET value = randomblob(length(value))")
            os.link(part, path)
        finally:
            for ending in ("", "-wal", "-shm"):
                Path(f"{part}{ending}").unlink(missing_ok=True)
