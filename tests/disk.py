"""A small disk in memory that can be filled or made read-only; else tests are skipped."""

from __future__ import annotations

import errno
import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

SIZE = "4m"


@dataclass(frozen=True)
class Disk:
    folder: Path

    def fill(self) -> None:
        """To the last byte."""
        file = os.open(self.folder / "filler", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        try:
            for size in (4096, 1):
                try:
                    while True:
                        os.write(file, b"x" * size)
                except OSError as error:
                    if error.errno != errno.ENOSPC:
                        raise
        finally:
            os.close(file)

    def free(self) -> None:
        (self.folder / "filler").unlink()

    def read_only(self) -> None:
        """Nothing may be open for writing on it."""
        subprocess.run(["mount", "-o", "remount,ro", str(self.folder)], check=True)

    def writable(self) -> None:
        subprocess.run(["mount", "-o", "remount,rw", str(self.folder)], check=True)


@pytest.fixture
def disk(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Disk]:
    """Of SIZE, or of what it is parametrized with."""
    folder = tmp_path / "disk"
    folder.mkdir()
    words = ["-t", "tmpfs", "-o", f"size={getattr(request, 'param', SIZE)}", "tmpfs", str(folder)]
    try:
        mounted = subprocess.run(["mount", *words], capture_output=True, text=True, check=False)
    except OSError as error:
        pytest.skip(f"no disk can be mounted here: {error}")
    if mounted.returncode:
        pytest.skip(f"no disk can be mounted here: {mounted.stderr.strip()}")
    try:
        yield Disk(folder)
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)
