"""What happens to a machine: each a harm, for as long as its block lasts."""

from __future__ import annotations

import asyncio
import os
import signal
import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, closing
from dataclasses import dataclass
from random import Random

from core.store import Store
from tests.app_server import workers
from tests.faults.machine import Machine

Harming = Callable[[Machine, Random], AbstractAsyncContextManager[None]]


@dataclass(frozen=True)
class Fault:
    """A harm, and all that people may be told while it lasts: a pattern."""

    name: str
    says: str
    harm: Harming


@asynccontextmanager
async def server_killed(machine: Machine, rng: Random) -> AsyncIterator[None]:
    port = rng.choice(machine.ports)
    machine.kill(port)
    yield
    machine.start(port)
    await machine.ready()


@asynccontextmanager
async def worker_killed(machine: Machine, rng: Random) -> AsyncIterator[None]:
    await asyncio.to_thread(machine.kill_workers)
    yield


@asynccontextmanager
async def stopped(machine: Machine, processes: list[int]) -> AsyncIterator[None]:
    machine.send(signal.SIGSTOP, processes)
    yield
    machine.send(signal.SIGCONT, processes)


@asynccontextmanager
async def disk_full(machine: Machine, rng: Random) -> AsyncIterator[None]:
    """In the middle of the log, or at its beginning: it is written from there again and again."""
    if rng.random() < 0.5:
        await asyncio.to_thread(execute, machine, "PRAGMA wal_checkpoint(TRUNCATE)")
    machine.disk.fill()
    if rng.random() < 0.3:  # a little room: some writes find theirs, and others do not
        filler = machine.disk.folder / "filler"
        os.truncate(filler, max(0, filler.stat().st_size - rng.randrange(300_000)))
    yield
    machine.disk.free()


def execute(machine: Machine, sql: str) -> None:
    """As a program that knows nothing of Tandem."""
    with closing(sqlite3.connect(machine.store, timeout=30)) as db:
        db.execute(sql)


@asynccontextmanager
async def vacuumed(machine: Machine, rng: Random) -> AsyncIterator[None]:
    await asyncio.to_thread(execute, machine, "VACUUM")
    yield


@asynccontextmanager
async def backed_up(machine: Machine, rng: Random) -> AsyncIterator[None]:
    with Store(machine.store) as store:
        store.connection.backup(copy := machine.disk.folder / "copy.sqlite3")
    yield
    copy.unlink()


@asynccontextmanager
async def permission_lost(machine: Machine, rng: Random) -> AsyncIterator[None]:
    """For the folder, the files, or both; or not even to enter the folder."""
    harmed = rng.choice(("folder", "files", "both", "entering"))
    files = [machine.store, *machine.store.parent.glob(f"{machine.store.name}-*")]
    if harmed in ("files", "both"):
        for file in files:
            if file.exists():
                file.chmod(0o444)
    if harmed != "files":
        machine.disk.folder.chmod(0o444 if harmed == "entering" else 0o555)
    yield
    machine.disk.folder.chmod(0o755)
    for file in machine.store.parent.glob(f"{machine.store.name}*"):
        if file.is_file():
            file.chmod(0o644)


@asynccontextmanager
async def clock_set_back(machine: Machine, rng: Random) -> AsyncIterator[None]:
    """For a while, or for the rest of the round."""
    machine.shaken.set(ahead=-rng.choice((3, 3600, 86_400)))
    yield
    if rng.random() < 0.5:
        machine.shaken.set()


@asynccontextmanager
async def shaken(machine: Machine, *, delay: float = 0, fails: bool = False) -> AsyncIterator[None]:
    """A disk that `fails` takes what is written, and cannot tell that it has."""
    machine.shaken.set(delay=delay, fails=fails)
    yield
    machine.shaken.set()


@asynccontextmanager
async def locked_by_others(machine: Machine, rng: Random) -> AsyncIterator[None]:
    """By a program that knows nothing of Tandem."""
    with closing(sqlite3.connect(machine.store, isolation_level=None, timeout=30)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield
        other.execute("ROLLBACK")


@asynccontextmanager
async def server_and_worker_killed_on_a_full_disk(
    machine: Machine, rng: Random
) -> AsyncIterator[None]:
    await asyncio.to_thread(execute, machine, "PRAGMA wal_checkpoint(TRUNCATE)")
    machine.disk.fill()
    await asyncio.to_thread(machine.kill_workers)
    port = rng.choice(machine.ports)
    machine.kill(port)
    yield
    machine.disk.free()
    machine.start(port)
    await machine.ready()


FULL = "is full: free some"
READ_ONLY = "read-only: make it writable|cannot be written|cannot be reached"
FAILING = r"cannot be read or written \(disk I/O error\): check its disk|does not keep what is"
LOCKED = "another program keeps .* locked"

FAULTS = (
    Fault("server killed", "", server_killed),
    Fault("worker killed", "", worker_killed),
    Fault("server stopped", "", lambda m, rng: stopped(m, [m.servers[rng.choice(m.ports)].pid])),
    Fault("worker stopped", "", lambda m, _: stopped(m, workers(m.store))),
    Fault("disk full", FULL, disk_full),
    Fault("permission lost", READ_ONLY, permission_lost),
    Fault("clock set back", "", clock_set_back),
    Fault("disk slow", "", lambda m, rng: shaken(m, delay=rng.choice((0.05, 0.3, 1.0)))),
    Fault("disk failing", FAILING, lambda m, _: shaken(m, fails=True)),
    Fault("locked by others", LOCKED, locked_by_others),
    Fault("vacuumed", "", vacuumed),
    Fault("backed up", "", backed_up),
    Fault("killed on a full disk", FULL, server_and_worker_killed_on_a_full_disk),
)
