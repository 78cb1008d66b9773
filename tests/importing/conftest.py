"""Stores for the cases of a table, each its own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from itertools import count
from pathlib import Path

import pytest

from core.store import Store

OpenStore = Callable[[], Store]
Write = Callable[[str, str | bytes], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write a file below the folder of the test."""

    def write(name: str, content: str | bytes) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


@pytest.fixture
def open_store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OpenStore]:
    """Open another new store at each call, until the test is over."""
    folder, numbers = tmp_path_factory.mktemp("stores"), count()
    with ExitStack() as stores:
        yield lambda: stores.enter_context(Store(folder / f"{next(numbers)}.sqlite3"))


def count_wins(store: Store, dataset: str = "d") -> dict[str, int]:
    """Count how often each system won; other answers by their outcome, "none" without any."""
    votes = store.judgement_frames.load_exported(dataset)
    sides = {"a": votes["system_a"], "b": votes["system_b"]}
    return dict(
        Counter(
            sides[winner][place] if winner in sides else winner
            for place, winner in enumerate(votes["winner"].fillna("none"))
        )
    )
