"""A store that was written as plain text and read back is the same store."""

from __future__ import annotations

import json
import re
import sqlite3
import zipfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pandas as pd
import pytest

from core import access
from core.records import FaultError, Role, TandemError
from core.store import Store, archive, restoring, schema
from core.store.backup_preview import preview
from tests.disk import Disk
from tests.disk import disk as disk  # a fixture
from tests.kept_stores import write_kept
from tests.store.test_restoring import judged, voted

SYSTEMS, MANIFEST = "tables/systems.jsonl", "manifest.json"


def dump(path: Path) -> tuple[list[str], list[str]]:
    """SQLite's own account of a store: its rows in their order, and its tables, indexes, triggers
    and views, without comments and in any order.
    """
    with closing(sqlite3.connect(path)) as db:
        said = list(db.iterdump())
        version = [str(db.execute(f"PRAGMA {what}").fetchone()) for what in ("user_version",)]
    rows = [line for line in said if line.startswith("INSERT")]
    made = [re.sub(r"\s+", " ", re.sub("--.*", "", line)) for line in said if line not in set(rows)]
    # Numbers that were given out to no row are SQLite's own affair. The migrations of a store that
    # was begun by them are not kept.
    apart = ('INSERT INTO "_sqlite_migrations"', 'INSERT INTO "sqlite_sequence"')
    return [row for row in rows if not row.startswith(apart)], sorted(version + made)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A store with people's votes, a run, links, and texts that are hard to write."""
    path = voted(tmp_path)
    judged(path)
    with Store(path) as store:
        access.people.add(store, "Olga", "Olga", Role.OWNER)
        access.invite(store, "Olga", ["Rob"], access.LinkTerms(Role.ANNOTATOR, None))
        store.connection.execute(
            "UPDATE datasets SET instructions = ?", ('{"base64": "AA=="}\u2028\n\x00"\\\U0001f600',)
        )
    return path


def packed(path: Path) -> Path:
    target = path.with_name("archive.zip")
    with Store(path) as store:
        made = archive.write(store.connection, target)
    assert made["bytes"] == target.stat().st_size
    return target


def test_it_is_the_same_store_row_for_row_in_a_zip_that_other_programs_read(
    path: Path, tmp_path: Path
) -> None:
    """By nothing but zip and JSON, as SQLite counts it, and by pandas as the docs say."""
    target, new = packed(path), tmp_path / "new.sqlite3"
    with zipfile.ZipFile(target) as file, closing(sqlite3.connect(path)) as db:
        manifest = json.loads(file.read("manifest.json"))
        assert manifest["schema"] == schema.VERSION
        for table, count in manifest["tables"].items():
            lines = file.read(f"tables/{table}.jsonl").decode().split("\n")
            assert len([json.loads(line) for line in lines if line]) == count
            assert db.execute(f"SELECT count(*) FROM {table}").fetchone()[0] == count
        names = [json.loads(line)["name"] for line in file.read(SYSTEMS).splitlines()]
        assert names == [name for (name,) in db.execute("SELECT name FROM systems")]
        frame = pd.read_json(file.open("tables/judgements.jsonl"), lines=True)
        counts = db.execute("SELECT outcome, count(*) FROM judgements GROUP BY 1")
        assert frame["outcome"].value_counts().to_dict() == dict(counts)
        assert "restore" in file.read("README.txt").decode()
    archive.unpack(target, new)
    assert dump(new) == dump(path)
    with Store(new) as store:
        assert store.connection.check()["ok"]


def test_it_is_restored_as_a_backup_is(path: Path, tmp_path: Path) -> None:
    before, new = dump(path), tmp_path / "elsewhere" / "new.sqlite3"
    target = packed(path).rename(tmp_path / f"{'z' * 245}.zip")  # a name as long as any
    restoring.restore(new, target, "Olga", with_people=True)
    # a line in the log, and keys of screens that were open there are good no more
    apart = re.compile('INSERT INTO "(audit|secrets)"')
    rows = [[row for row in kept[0] if not apart.match(row)] for kept in (dump(new), before)]
    assert rows[0] == rows[1]
    assert dump(new)[1] == before[1]
    assert restoring.restore(path, target, "Olga").preview.changes.empty


def rewritten(target: Path, change: Callable[[str, bytes], bytes | None]) -> None:
    with zipfile.ZipFile(target) as file:
        parts = {name: file.read(name) for name in file.namelist()}
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in parts.items():
            if (changed := change(name, content)) is not None:
                file.writestr(name, changed)


def of(part: str, content: bytes | Callable[[bytes], bytes] | None) -> Callable[..., bytes | None]:
    """A change of one file of an archive alone."""
    return lambda name, was: was if name != part else content(was) if callable(content) else content


DAMAGED = {
    "a line is missing": (
        of(SYSTEMS, lambda was: was.split(b"\n", 1)[1]),
        "systems.jsonl: 2 rows instead of 3",
    ),
    "a file is missing": (of(SYSTEMS, None), "systems.jsonl"),
    "no JSON": (of(SYSTEMS, b"{"), "systems.jsonl: Expecting"),
    "no UTF-8": (of(SYSTEMS, b'{"id": "\xff"}'), "systems.jsonl: 'utf-8' codec"),
    "half a sign": (of(SYSTEMS, lambda was: was.replace(b'"id"', b'"\\ud800"')), "other columns"),
    "nested": (of(SYSTEMS, b"[" * 100_000), "systems.jsonl: "),
    "a list": (of(SYSTEMS, b"[1]"), "a row has other columns"),
    "a number beyond all": (
        of(SYSTEMS, lambda was: re.sub(rb'"id": \d+', b'"id": 1' + b"0" * 30, was)),
        "systems.jsonl: ",
    ),
    "the same twice": (of(SYSTEMS, lambda was: was + was), "UNIQUE"),
    "bytes that are none": (
        of(SYSTEMS, lambda was: was.replace(b'"base": ""', b'"base": {"base64": "!"}')),
        "systems.jsonl: ",
    ),
    "rows that refer to nothing": (
        of("tables/judges.jsonl", lambda was: re.sub(rb'"id": \d+', b'"id": 77', was, count=1)),
        "refers to none of judges",
    ),
    "a table too many": (
        of(MANIFEST, lambda was: was.replace(b'"systems"', b'"x": 1, "systems"')),
        "no such table: x",
    ),
    "rows that no table has": (
        of(MANIFEST, lambda was: re.sub(rb'"systems": \d+', b'"systems": [3]', was)),
        "has a number of rows that is none",
    ),
    "a manifest without end": (of(MANIFEST, lambda was: was + b" " * 2**20), "longer than any"),
    "no tables": (of(MANIFEST, b'{"tandem-archive": 1, "schema": 19}'), "no schema or no tables"),
    "a schema that is none": (
        of(MANIFEST, b'{"tandem-archive": 1, "schema": true, "tables": {}}'),
        "no schema or no tables",
    ),
}


def test_one_that_is_damaged_is_refused_in_a_sentence(
    path: Path, tmp_path: Path, subtests: pytest.Subtests
) -> None:
    target, before = packed(path), dump(path)
    whole = target.read_bytes()
    for what, (change, said) in DAMAGED.items():
        with subtests.test(what):
            target.write_bytes(whole)
            rewritten(target, change)
            with pytest.raises(TandemError, match=re.escape(said)) as error:
                restoring.restore(path, target, "Olga")
            assert str(target) in str(error.value)
            assert "\n" not in str(error.value)
            assert dump(path) == before
    assert {*tmp_path.glob("*.sqlite3")} == {path}

    target.write_bytes(whole)
    with zipfile.ZipFile(target) as file:
        largest = max(file.infolist(), key=lambda info: info.compress_size)
    content = bytearray(whole)  # a bit within a table: of its head, not all is read
    content[largest.header_offset + 30 + len(largest.filename) + largest.compress_size // 2] ^= 1
    target.write_bytes(content)
    with pytest.raises(TandemError, match="is damaged"):
        archive.unpack(target, tmp_path / "new.sqlite3")
    target.write_bytes(whole)
    rewritten(target, of(SYSTEMS, b" " * 2**27))  # a bomb is refused before it is unpacked
    with pytest.raises(TandemError, match=r"archive\.zip .*\b134,\d{3},\d{3} bytes.*\b200 times"):
        archive.unpack(target, tmp_path / "new.sqlite3")


def test_another_way_of_packing_is_refused(path: Path, tmp_path: Path) -> None:
    """One bit in the list of its files makes bzip2 of what is deflated."""
    content = bytearray(packed(path).read_bytes())
    place = content.index(b"PK\1\2") + 10
    assert content[place] == zipfile.ZIP_DEFLATED
    content[place] = zipfile.ZIP_BZIP2
    (tmp_path / "archive.zip").write_bytes(content)
    with pytest.raises(TandemError, match=r"archive\.zip .*\(README\.txt .*packed"):
        archive.unpack(tmp_path / "archive.zip", tmp_path / "new.sqlite3")


def test_which_tables_there_are_is_not_for_an_archive_to_say(tmp_path: Path) -> None:
    """As if migrations had been run that were not: the store would lack their tables."""
    path, target = write_kept("from4", tmp_path / "old.sqlite3"), tmp_path / "old.zip"
    with closing(sqlite3.connect(path)) as db:
        archive.pack(db, target)
    rewritten(target, of(MANIFEST, lambda was: was.replace(b'"plans"', b'"_sqlite_migrations"')))
    with pytest.raises(TandemError, match="is damaged"):
        archive.unpack(target, tmp_path / "new.sqlite3")
    with zipfile.ZipFile(target) as file:
        assert not any("migrations" in name for name in file.namelist())


def test_what_repeats_itself_is_no_bomb(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A model that says the same word for ever."""
    monkeypatch.setattr(archive, "FREE", 0)
    with Store(path) as store:
        store.connection.execute("UPDATE generations SET text = ?", ("the " * 400_000,))
    target = packed(path)
    with zipfile.ZipFile(target) as file:
        assert {info.compress_type for info in file.infolist()} == {zipfile.ZIP_STORED}
    archive.unpack(target, tmp_path / "new.sqlite3")
    assert dump(tmp_path / "new.sqlite3") == dump(path)


def test_what_cannot_be_packed_leaves_no_file(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as narrow:
        narrow.setattr(archive, "ROW", 100)
        with pytest.raises(TandemError, match=r"row of \w+ .*\b100\b.*\.sqlite3"):
            packed(path)
    with Store(path) as store:
        store.connection.execute("UPDATE items SET context = CAST(x'61ff62' AS TEXT)")
    with pytest.raises(FaultError, match=r"store\.sqlite3 .*damaged.*\(.*UTF-8\)"):
        packed(path)
    assert not (tmp_path / "archive.zip").exists()
    with Store(path) as store:
        assert not store.connection.check()["ok"]
    (tmp_path / "archive.zip").write_text("mine")
    with pytest.raises(TandemError, match=r"archive\.zip exists.*new file"):
        packed(path)
    assert (tmp_path / "archive.zip").read_text() == "mine"


def test_what_is_no_archive_or_of_a_later_time_is_called_so(path: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.zip"
    with zipfile.ZipFile(other, "w") as file:
        file.writestr("readme", "x")
    with pytest.raises(TandemError, match=r"other\.zip .*archive.*another file"):
        restoring.restore(path, other, "Olga")
    target = packed(path)
    rewritten(target, of(MANIFEST, lambda was: was.replace(b'"schema": ', b'"schema": 9')))
    with pytest.raises(TandemError, match=r"newer.*archive\.zip .*update"):
        restoring.restore(path, target, "Olga")


def test_a_store_that_holds_the_end_of_a_zip_is_a_store(path: Path, tmp_path: Path) -> None:
    """By which zipfile knows one, wherever it begins."""
    with Store(path) as store:
        store.connection.backup(tmp_path / "other.sqlite3")
    with (tmp_path / "other.sqlite3").open("ab") as file:
        file.write(b"PK\5\6" + bytes(18))
    assert zipfile.is_zipfile(tmp_path / "other.sqlite3")
    assert restoring.restore(path, tmp_path / "other.sqlite3", "Olga").preview.changes.empty


@pytest.mark.parametrize("disk", ["256k"], indirect=True)
def test_a_full_disk_is_called_so(path: Path, disk: Disk, monkeypatch: pytest.MonkeyPatch) -> None:
    target, new = packed(path), disk.folder / "new.sqlite3"
    with pytest.raises(FaultError, match=r"disk of .*/new\.sqlite3\b.*full"):
        restoring.restore(new, target, "Olga")
    assert not new.exists()
    monkeypatch.setattr("tempfile.tempdir", str(disk.folder))
    with pytest.raises(FaultError, match="full"):
        preview(path, target)
