"""Stores for the cases of a table, each its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from itertools import count

import pytest

from core.store import Store

OpenStore = Callable[[], Store]


@pytest.fixture
def open_store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OpenStore]:
    """Open another new store at each call, until the test is over."""
    folder, numbers = tmp_path_factory.mktemp("stores"), count()
    with ExitStack() as stores:
        yield lambda: stores.enter_context(Store(folder / f"{next(numbers)}.sqlite3"))
