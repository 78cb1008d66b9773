"""What takes long to make is made once, by whichever process of a test run needs it first.

Where pytest keeps its cache, it is kept there for the next run, too, under a name that changes with
everything it is made from.
"""

from __future__ import annotations

import fcntl
import hashlib
import shutil
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

Make = Callable[[Path], object]
Once = Callable[[str, Iterable[Path], Make], Path]


@pytest.fixture(scope="session")
def once(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Once:
    """`once(name, sources, make)` is the path of what `make(path)` makes from these files."""
    cache = getattr(request.config, "cache", None)
    shared = tmp_path_factory.getbasetemp()
    if hasattr(request.config, "workerinput"):
        shared = shared.parent  # above the folders of the single processes
    root = cache.mkdir("once") if cache else shared / "once"

    def once(name: str, sources: Iterable[Path], make: Make) -> Path:
        return made(root / digest(sources) / name, make)

    return once


def digest(sources: Iterable[Path]) -> str:
    contents = b"\0".join(source.read_bytes() for source in sources)
    return hashlib.sha256(contents).hexdigest()[:16]


def made(path: Path, make: Make) -> Path:
    """`path`, made unless it is there. Who comes second waits; who is killed leaves nothing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with (path.parent / f"{path.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not path.exists():
            unfinished = path.parent / f"{path.name}.unfinished" / path.name
            shutil.rmtree(unfinished.parent, ignore_errors=True)
            unfinished.parent.mkdir()
            make(unfinished)
            unfinished.rename(path)
    return path
