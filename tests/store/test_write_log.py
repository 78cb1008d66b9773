"""What a person was told is saved outlasts a power failure, also on a disk that failed before."""

from __future__ import annotations

import errno
import os
import shutil
from pathlib import Path

import pytest

from core.records import FaultError
from core.store import Store, write_log


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
        broken.setattr(write_log, "_bring", fails)
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
        without.setattr(write_log, "_bring", refused)
        with pytest.raises(
            FaultError,
            match=r"/store\.sqlite3 .*\(Permission denied\).*allow.*written.*last answer",
        ):
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
