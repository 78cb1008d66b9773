"""Backups: under a name of their own, and none in the place of a file."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from core.records import TandemError
from core.store import Store, backups, opening
from tests.study import fill


def test_each_has_a_name_of_its_own(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(store)
    monkeypatch.setenv("TANDEM_BACKUPS", str(tmp_path / "new" / "folder"))
    names = {str(backups.back_up(store)["file"]) for _ in range(3)}  # within one second
    assert {*map(str, (tmp_path / "new" / "folder").iterdir())} == names
    assert len(names) == 3
    for name in names:
        assert re.fullmatch(r"store-\d{8}T\d{6}Z\.sqlite3", Path(name).name)
        with Store(name) as copy:
            assert copy.connection.check()["ok"]
            assert copy.datasets.names() == store.datasets.names()
    (tmp_path / "file").touch()
    monkeypatch.setenv("TANDEM_BACKUPS", str(tmp_path / "file"))
    with pytest.raises(TandemError, match=r"/file cannot be made .*another file"):
        backups.back_up(store)


def test_what_is_kept_before_a_deed_replaces_no_file(tmp_path: Path) -> None:
    store, names = tmp_path / "study.sqlite3", set()
    for _ in range(3):  # within one second
        file = opening.path_before(store, "restoring")
        assert re.fullmatch(r"study-before-restoring-\d{8}-\d{6}\.sqlite3", file.name)
        file.touch()
        names.add(file)
    assert len(names) == 3
