"""A whole store as plain text, and back: a zip with a file of JSON lines for each table.

It is for a repository, for other programs, and for years in which nobody has SQLite at hand. What
is read back is the same store, row for row.
"""

from __future__ import annotations

import json
import sqlite3
import zipfile
from base64 import b64decode, b64encode
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import IO, Any, TypeGuard

from ..output_files import check_new_output
from ..records import TandemError
from ..scratch import scratch
from ..whole_files import atomic_write
from . import schema
from .connection import Connection
from .faults import TranslateErrors
from .rebuilding import (
    MALFORMED,
    ROW,
    DamagedRowsError,
    StoredTable,
    fill_new_store,
    list_columns,
    list_tables,
    name_damage,
)

FORMAT = 1
SUFFIX, ZIP = ".zip", b"PK\3\4"
MANIFEST = "manifest.json"
LEAF = 2**20  # bytes of the manifest at most
RATIO = 200  # times its size that an archive may unpack to, and
FREE = 2**26  # bytes that any may
METHODS = (zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED)
README = """\
This is a whole Tandem store as plain text. manifest.json says how many rows each table has.
Each file in tables/ has a row of its table in a line: a JSON object by column name.
Bytes are written as {"base64": "..."}. Tandem's docs/data-model.md says what the tables mean.
To read it back: python -m core --store NEW.sqlite3 restore THIS.zip --confirm NEW.sqlite3
With --with-people, roles, sign-ins, links and settings come along.
"""


def write(connection: Connection, target: Path) -> dict[str, object]:
    """Archive a store, also while others write to it: `file`, `bytes` and `judgements`.

    Raises TandemError rather than replacing a file, DamageError where the store is not whole,
    FaultError where a disk is full.
    """
    check_new_output(target)
    with scratch() as folder:
        copy = Path(folder) / "store.sqlite3"
        made = connection.backup(copy)
        with (
            closing(sqlite3.connect(copy)) as db,
            TranslateErrors(connection.path),
            atomic_write(target) as part,
        ):
            pack(db, part)
    return {**made, "file": str(target), "bytes": target.stat().st_size}


def is_archive(file: Path) -> bool:
    """Return whether a file begins as a zip does.

    The end of a file, by which zipfile recognizes a zip, might as well be a text in a store.
    `unpack` reports a zip that is no archive.
    """
    try:
        with file.open("rb") as opened:
            return opened.read(len(ZIP)) == ZIP
    except OSError:  # whoever copies it says why
        return False


def unpack(archive: Path, target: Path) -> int:
    """Make the store that an archive holds in a new file, at its schema, which is returned.

    Raises TandemError where it is no archive, is damaged, unpacks to far more than it is, is too
    old, or was written by a newer Tandem; FaultError where the disk is full.
    """
    with name_damage(archive, target), zipfile.ZipFile(archive) as packed:
        manifest = _manifest(packed, archive)
        with fill_new_store(target, archive, manifest["schema"]) as db:
            for table in list_tables(db):
                try:
                    _fill(db, packed, table, manifest["tables"].pop(table.name))
                except MALFORMED as error:
                    what = str(error) or type(error).__name__
                    raise DamagedRowsError(f"{_name_file(table)}: {what}") from error
        if unknown := sorted(manifest["tables"]):
            raise DamagedRowsError(f"no such table: {unknown[0]}")
    return int(manifest["schema"])


def pack(db: sqlite3.Connection, part: Path) -> None:
    """Archive an open database of ours as a new file. What would unpack to more than any may is
    not packed at all: a model that says the same word for ever is no bomb.

    Raises TandemError for a row that is longer than any may be.
    """
    for method in METHODS:
        with zipfile.ZipFile(part, "w", method) as packed:
            _pack(db, packed)
        with zipfile.ZipFile(part) as packed:
            if not _excess(packed, part):
                return


def _pack(db: sqlite3.Connection, packed: zipfile.ZipFile) -> None:
    tables = list_tables(db)
    counts = {
        table.name: db.execute(f"SELECT count(*) FROM {table.name}").fetchone()[0]
        for table in tables
    }
    (version,) = db.execute("PRAGMA user_version").fetchone()
    manifest = {"tandem-archive": FORMAT, "schema": version, "tables": counts}
    packed.writestr("README.txt", README)
    packed.writestr(MANIFEST, json.dumps(manifest, indent=1))
    for table in tables:
        with packed.open(_name_file(table), "w", force_zip64=True) as file:
            for row in db.execute(
                f"SELECT {list_columns(table.columns)} FROM {table.name} ORDER BY {table.order}"
            ):
                line = _line(dict(zip(table.columns, row, strict=True)))
                if len(line) > ROW:
                    raise TandemError(
                        f"a row of {table.name} takes {len(line):,} bytes, more than the {ROW:,} "
                        "of an archive: give the backup the ending .sqlite3"
                    )
                file.write(line)


def _excess(packed: zipfile.ZipFile, archive: Path) -> int:
    """Return how many bytes an archive unpacks to, if more than any may; else 0."""
    unpacked = sum(info.file_size for info in packed.infolist())
    return unpacked if unpacked > FREE + RATIO * archive.stat().st_size else 0


def _line(row: dict[str, object]) -> bytes:
    return json.dumps(row, ensure_ascii=False, default=_encode_bytes).encode() + b"\n"


def _encode_bytes(value: bytes) -> dict[str, str]:
    return {"base64": b64encode(value).decode()}


def _to_bytes(value: dict[str, object]) -> dict[str, object] | bytes:
    """Decode an object within a row, which represents bytes; rows are left as they are."""
    return b64decode(str(value["base64"]), validate=True) if value.keys() == {"base64"} else value


def _manifest(packed: zipfile.ZipFile, archive: Path) -> dict[str, Any]:
    """Read how many rows each table has, and check them and the archive's form.

    Raises TandemError for another kind of zip.
    """
    other = TandemError(f"{archive} is not an archive of a store: name another file")
    parts = {info.filename: info for info in packed.infolist()}
    if MANIFEST not in parts:
        raise other
    if unpacked := _excess(packed, archive):
        raise TandemError(
            f"{archive} would unpack to {unpacked:,} bytes, more than {RATIO} times its size: "
            "it is not an archive of a store"
        )
    if parts[MANIFEST].file_size > LEAF:
        raise DamagedRowsError(f"{MANIFEST} is longer than any")
    for info in parts.values():
        if info.compress_type not in METHODS:
            raise DamagedRowsError(f"{info.filename} is packed in another way")
    said = json.loads(packed.read(MANIFEST))
    if not isinstance(said, dict) or "tandem-archive" not in said:
        raise other
    form, version, counts = (said.get(name) for name in ("tandem-archive", "schema", "tables"))
    if not (_counts(form) and _counts(version) and isinstance(counts, dict)):
        raise DamagedRowsError(f"{MANIFEST} has no schema or no tables")
    if not all(count == 0 or _counts(count) for count in counts.values()):
        raise DamagedRowsError(f"{MANIFEST} has a number of rows that is none")
    if form > FORMAT:
        raise TandemError(f"{archive} was written by a newer Tandem: update Tandem")
    schema.check_age(version, f"the archive {archive}", "restore")
    return said


def _name_file(table: StoredTable) -> str:
    return f"tables/{table.name}.jsonl"


def _counts(value: object) -> TypeGuard[int]:
    return type(value) is int and 0 < value < 2**63


def _fill(db: sqlite3.Connection, packed: zipfile.ZipFile, table: StoredTable, count: int) -> None:
    places = ", ".join("?" * len(table.columns))
    with packed.open(_name_file(table)) as file:
        db.executemany(
            f"INSERT INTO {table.name} ({list_columns(table.columns)}) VALUES ({places})",
            _rows(file, table.columns),
        )
    (there,) = db.execute(f"SELECT count(*) FROM {table.name}").fetchone()
    if there != count:
        raise DamagedRowsError(f"{there:,} rows instead of {count:,}")


def _rows(file: IO[bytes], columns: Sequence[str]) -> Iterator[list[object]]:
    while line := file.readline(ROW + 1):
        if len(line) > ROW:
            raise DamagedRowsError("a row is longer than any store can hold")
        row = json.loads(line, object_hook=_to_bytes)
        if not isinstance(row, dict) or row.keys() != set(columns):
            raise DamagedRowsError(f"a row has other columns than {', '.join(columns)}")
        yield [row[column] for column in columns]
