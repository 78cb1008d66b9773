"""Whose turn it is to write."""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
import sqlite3
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path
from threading import Event, get_ident
from time import sleep

import pytest

from core.records import FaultError
from core.store import Store, write_queue
from core.store.write_queue import WriteQueue, lock_of
from tests.processes import run_until_killed


class Clock:
    """Time passes in sleeps alone."""

    def __init__(self) -> None:
        self.now, self.slept = 0.0, list[float]()

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


def test_who_waits_longest_asks_most_often(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock()
    monkeypatch.setattr(write_queue, "time", clock)
    with held_elsewhere(tmp_path / "s"):
        waiting = WriteQueue(tmp_path / "s", 1)
        with pytest.raises(FaultError, match=r"/s busy .*\b1 seconds.*try again"), waiting.turn():
            pass
    assert clock.slept == sorted(clock.slept, reverse=True)
    assert clock.slept[0] == 10 * clock.slept[-1] == 0.001
    with waiting.turn():  # whose turn it is has been let go of
        pass


@contextmanager
def held_elsewhere(path: Path) -> Iterator[None]:
    """The lock, as another process holds it."""
    lock_of(path).parent.mkdir()
    file = os.open(lock_of(path), os.O_RDONLY | os.O_CREAT)
    try:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
    finally:
        os.close(file)


def test_of_many_threads_one_asks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked, flock = list[int](), fcntl.flock

    def counted(file: int, how: int) -> None:
        if how != fcntl.LOCK_UN:
            asked.append(get_ident())
        flock(file, how)

    monkeypatch.setattr(fcntl, "flock", counted)
    inside, most = list[int](), list[int]()

    def write() -> None:
        with WriteQueue(tmp_path / "s", 10).turn():
            inside.append(get_ident())
            most.append(len(inside))
            sleep(0.02)  # twenty of those who ask by themselves would have asked meanwhile
            inside.remove(get_ident())

    with ThreadPoolExecutor(8) as pool:
        for done in [pool.submit(write) for _ in range(8)]:
            done.result()
    assert len(asked) == 8
    assert most == [1] * 8


def test_a_thread_that_keeps_its_turn_is_not_waited_for_longer(tmp_path: Path) -> None:
    def write() -> None:
        with WriteQueue(tmp_path / "s", 0.05).turn():
            pass

    with (
        ThreadPoolExecutor(1) as pool,
        WriteQueue(tmp_path / "s", 1).turn(),
        pytest.raises(FaultError, match=r"/s busy .*\b0\.05 seconds.*try again"),
    ):
        pool.submit(write).result()
    write()


def test_what_was_waited_for_a_turn_is_not_waited_for_the_store_again(tmp_path: Path) -> None:
    """With many threads and another program that keeps the store, each would wait for both."""
    with Store(tmp_path / "s", patience=20) as store:
        statements = list[str]()
        store.connection._db.set_trace_callback(statements.append)
        held, waiting = WriteQueue(tmp_path / "s", 20), Event()

        def hold() -> None:
            with held.turn():
                waiting.set()
                sleep(0.5)

        with ThreadPoolExecutor(1) as pool:
            holding = pool.submit(hold)
            waiting.wait()
            with store.transaction():
                pass
            holding.result()
        waits = [int(said.rpartition(" ")[2]) for said in statements if "busy_timeout" in said]
        assert waits[0] < 19_800, "milliseconds: half a second is gone"
        assert waits[1:] == [20_000]


def test_whoever_has_no_time_left_is_told_what_keeps_the_store(tmp_path: Path) -> None:
    path = tmp_path / "s"
    with Store(path) as store, closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with (
            pytest.raises(FaultError, match=r"program .*/s locked.*wait"),
            store.connection.transaction(patience=0),
        ):
            pytest.fail("it was not its turn")
        other.execute("ROLLBACK")
        with store.connection.transaction(patience=0):
            pass


@pytest.mark.parametrize("when", ["come_first", "wait"])
def test_a_signal_just_after_a_turn_was_taken_leaves_nothing_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, when
) -> None:
    """SIGTERM raises where it meets the program, as between taking a lock and noting it."""
    take = getattr(WriteQueue, f"_{when}")

    def taken_and_stopped(self, *arguments):
        take(self, *arguments)
        raise KeyboardInterrupt

    with monkeypatch.context() as stopping:
        stopping.setattr(WriteQueue, f"_{when}", taken_and_stopped)
        queue = WriteQueue(tmp_path / "s", 0.05)
        with pytest.raises(KeyboardInterrupt), queue.turn():
            pytest.fail("it was stopped before")
    with ThreadPoolExecutor(1) as pool:
        pool.submit(lambda: WriteQueue(tmp_path / "s", 0.05).turn().__enter__()).result()


def test_a_killed_writer_keeps_nobody_waiting(tmp_path: Path) -> None:
    run_until_killed(take_and_die, tmp_path / "s")
    with WriteQueue(tmp_path / "s", 0).turn():
        assert lock_of(tmp_path / "s").exists()


def take_and_die(path: Path) -> None:
    with WriteQueue(path, 0).turn():
        os._exit(9)


@pytest.mark.parametrize("able", ["no file", "no lock"])
def test_where_there_are_no_locks_sqlite_waits_by_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, able
) -> None:
    if able == "no file":
        (tmp_path / "s.locks").write_text("a file where the folder would be")
    else:

        def unsupported(*arguments: object) -> None:
            raise OSError(95, "Operation not supported")

        monkeypatch.setattr(fcntl, "flock", unsupported)
    with WriteQueue(tmp_path / "s", 0).turn(), WriteQueue(tmp_path / "s", 0).turn():
        pass


def put(store: Store, name: str) -> None:
    with store.transaction(durable=True):
        store.settings.put(name, name)


def after_a_power_failure(store: Path, lost: tuple[int, int], folder: Path) -> set[str]:
    """What is there of a store whose disk has not kept these bytes of its log."""
    copy = folder / "after.sqlite3"
    shutil.copy(store, copy)
    log = bytearray(Path(f"{store}-wal").read_bytes())
    start, end = (min(place, len(log)) for place in lost)
    log[start:end] = bytes(end - start)
    Path(f"{copy}-wal").write_bytes(log)
    with Store(copy) as opened:
        assert opened.connection.check()["ok"]
        return {name for name in ("before", "failed", "next") if opened.settings.get(name)}


def test_what_follows_a_failed_write_is_kept(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = Path(f"{store.path}-wal")
    put(store, "before")
    kept = log.stat().st_size

    def fails(file: int) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    with monkeypatch.context() as broken:
        broken.setattr(write_queue, "_bring", fails)
        with pytest.raises(FaultError, match=r"disk of .*\(Input/output error\)"):
            put(store, "failed")
    lost = (kept, log.stat().st_size)
    assert lost[1] > kept
    with Store(store.path) as other:  # another process would see the mark, too
        put(other, "next")
    assert {"before", "next"} <= after_a_power_failure(store.path, lost, tmp_path)
    put(store, "more")
    assert log.stat().st_size > 0  # and the log is written as before


def test_permission_that_is_lost_before_the_log_is_on_the_disk_is_not_called_its_fault(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As `./run test --slow tests/faults` found."""

    def refused(file: int) -> None:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    with monkeypatch.context() as without:
        without.setattr(write_queue, "_bring", refused)
        said = r"/store\.sqlite3 .*\(Permission denied\).*allow.*written.*last answer"
        with pytest.raises(FaultError, match=said):
            put(store, "before")
    put(store, "next")
    with Store(store.path) as other:
        assert other.settings.get("next") == "next"


def test_while_others_read_what_is_only_in_the_log_nothing_is_confirmed(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(store, "before")
    (Path(f"{store.path}.locks") / "broken-log").touch()
    with Store(store.path) as reader, Store(store.path, patience=0.1) as writer:
        reader.connection.rows("BEGIN")
        assert reader.settings.get("before")
        with pytest.raises(FaultError, match=r"keeps .* locked"):
            put(writer, "next")
        reader.connection.rows("COMMIT")
        put(writer, "next")
    assert not (Path(f"{store.path}.locks") / "broken-log").exists()
