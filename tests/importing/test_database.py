"""The engine that files are staged and counted in: what ends a query ends it in words."""

from __future__ import annotations

import os
import signal
from contextlib import closing
from pathlib import Path
from threading import Timer

import duckdb
import pytest

from core.importing import database
from core.importing.database import Database
from core.records import TandemError

ENDLESS = "SELECT count(*) FROM range(1000000000000) a WHERE hash(a.range) = 7"


def test_ctrl_c_ends_a_query_as_it_ends_all_else() -> None:
    for ask in [
        lambda opened: opened.rows(ENDLESS),
        lambda opened: list(opened.portions(ENDLESS, 1)),
    ]:
        opened = Database(threads=1)
        # Whoever starts the tests in the background of a shell hands down that Ctrl-C is ignored.
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        press = Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
        press.start()
        try:
            with pytest.raises(KeyboardInterrupt):
                ask(opened)
        finally:
            press.cancel()
            signal.signal(signal.SIGINT, before)
            opened.close()


def test_no_file_and_no_network_can_be_reached(tmp_path: Path) -> None:
    (tmp_path / "secret.csv").write_text("b\n")
    with closing(Database()) as duck:
        for query in (
            f"SELECT * FROM read_csv('{tmp_path}/secret.csv')",
            "SELECT * FROM read_parquet('http://127.0.0.1/v.parquet')",
            f"COPY (SELECT 1) TO '{tmp_path}/written.csv'",
            f"ATTACH '{tmp_path}/other.duckdb'",
            "INSTALL httpfs",
            "SET enable_external_access = true",
            "SET memory_limit = '90GB'",
        ):
            with pytest.raises(duckdb.Error):
                duck.rows(query)
    assert os.listdir(tmp_path) == ["secret.csv"]


def test_more_than_the_memory_holds_goes_to_the_disk_and_is_cleared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two million names of 40 bytes, some 200 MB with their table, in 100 MB."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    query = "SELECT count(*) FROM (SELECT repeat(md5(range::VARCHAR), 2) AS k, count(*) "
    query += "FROM range(1500000) GROUP BY k)"
    with closing(Database(100)) as duck:
        assert duck.rows(query) == [(1_500_000,)]
    assert os.listdir(tmp_path) == []


def test_a_disk_that_may_hold_no_more_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "SPILLED", 1)
    query = "SELECT sum(length(k)) FROM (SELECT repeat(md5(range::VARCHAR), 10) AS k "
    query += "FROM range(600000) ORDER BY k)"
    with closing(Database(60)) as duck, pytest.raises(TandemError, match=r"\b60 MB.*\b1 MB.*disk"):
        duck.rows(query)
