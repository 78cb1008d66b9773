"""A machine that can be harmed: servers and worker on one store, with disk and clock to disturb."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import struct
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.app_server import free_port, start, wait_until_healthy, workers
from tests.disk import Disk
from tests.study import wait_for

_ALL_MAY = "-dac_override,-dac_read_search"
AS_SOMEBODY = ("setpriv", "--bounding-set", _ALL_MAY, "--inh-caps", _ALL_MAY)
"""Runs root as anybody else: what it may not write, it does not."""


@dataclass
class Shaken:
    """The clock and the disk that processes started with `environment` see."""

    folder: Path
    ahead: float = 0.0  # seconds
    delay: float = 0.0  # seconds to synchronise a file
    fails: bool = False

    def __post_init__(self) -> None:
        compiler = shutil.which("cc")
        if compiler is None:
            pytest.skip("no C compiler, with which clock and disk are shaken")
        source = Path(__file__).with_name("shaken.c")
        subprocess.run(
            [compiler, "-shared", "-fPIC", "-O1", "-o", self._library, source, "-ldl"], check=True
        )
        self.set()

    @property
    def _library(self) -> Path:
        return self.folder / "shaken.so"

    @property
    def _state(self) -> Path:
        return self.folder / "shaken"

    @property
    def environment(self) -> dict[str, str]:
        return {"SHAKEN": str(self._state), "LD_PRELOAD": str(self._library)}

    def set(self, *, ahead: float = 0.0, delay: float = 0.0, fails: bool = False) -> None:
        """From this moment on, in every process."""
        numbers = struct.pack("3q", int(ahead * 1e9), int(delay * 1e3), fails)
        with self._state.open("r+b" if self._state.exists() else "w+b") as file:
            file.write(numbers)


@dataclass
class Machine:
    """The servers of one store, each on a port of its own, which it keeps."""

    store: Path
    disk: Disk
    shaken: Shaken
    ports: list[int]
    servers: dict[int, subprocess.Popen[bytes]] = field(default_factory=dict)

    def address(self, place: int, page: str) -> str:
        return f"http://localhost:{self.ports[place % len(self.ports)]}/{page}"

    def start(self, port: int) -> None:
        prefix = AS_SOMEBODY if os.geteuid() == 0 else ()
        self.servers[port] = start(self.store, port, prefix=prefix, **self.shaken.environment)

    async def ready(self) -> None:
        """All servers answer."""
        for port, server in self.servers.items():
            await asyncio.to_thread(wait_until_healthy, server, self.store, port)

    def kill(self, port: int) -> None:
        self.servers[port].kill()
        self.servers[port].wait()

    def kill_workers(self) -> None:
        for worker in workers(self.store):
            with suppress(ProcessLookupError):
                os.kill(worker, signal.SIGKILL)
        wait_for(lambda: not workers(self.store))

    def send(self, number: signal.Signals, processes: list[int]) -> None:
        for process in processes:
            with suppress(ProcessLookupError):
                os.kill(process, number)

    def logs(self) -> str:
        """What servers and workers have said on their terminals."""
        return "\n".join(
            log.read_text(errors="replace") for log in sorted(self.store.parent.glob("*.log"))
        )


@contextmanager
def running(disk: Disk, folder: Path, servers: int) -> Iterator[Machine]:
    """Servers that begin to start, until the block ends."""
    shaken = Shaken(folder)
    machine = Machine(
        disk.folder / "store.sqlite3", disk, shaken, [free_port() for _ in range(servers)]
    )
    try:
        for port in machine.ports:
            machine.start(port)
        yield machine
    finally:
        for port in machine.servers:
            machine.kill(port)
        machine.kill_workers()
