"""A whole store as plain text, and back: a zip with a file of JSON lines for each table.

It is for a repository, for other programs, and for years in which nobody has SQLite at hand. What
is read back is the same store, row for row. Nothing of an archive is ever executed: tables and
triggers are those of a new store.
"""

from __future__ import annotations

import json
import sqlite3
import struct
import zipfile
import zlib
from base64 import b64decode, b64encode
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from operator import itemgetter
from pathlib import Path
from typing import IO, Any, TypeGuard

from core.output_files import check_new_output
from core.records import TandemError, sanitize_line
from core.scratch import scratch
from core.store import faults, schema
from core.store.connection import Connection
from core.store.faults import TranslateErrors
from core.whole_files import atomic_write

FORMAT = 1
SUFFIX, ZIP = ".zip", b"PK\3\4"
MANIFEST = "manifest.json"
ROW = 2**28  # bytes of a row at most: a record of an import may have 32 million characters
LEAF = 2**20  # bytes of the manifest at most
RATIO = 200  # times its size that an archive may unpack to, and
FREE = 2**26  # bytes that any may
METHODS = (zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED)
MIGRATED = "_sqlite_migrations"  # what stores that were begun before schema 24 note of theirs
README = """\
This is a whole Tandem store as plain text. manifest.json says how many rows each table has.
Each file in tables/ has a row of its table in a line: a JSON object by column name.
Bytes are written as {"base64": "..."}. Tandem's docs/data-model.md says what the tables mean.
To read it back: python -m core --store NEW.sqlite3 restore THIS.zip --confirm NEW.sqlite3
With --with-people, roles, sign-ins, links and settings come along.
"""
_BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    OSError,  # of places that no file has
    ValueError,  # of JSON, too, and of text that is no UTF-8
    TypeError,
    KeyError,
    RecursionError,
    OverflowError,
    NotImplementedError,  # packed in a way that zipfile does not know
    RuntimeError,  # with a password
    struct.error,
    sqlite3.DataError,
    sqlite3.IntegrityError,
    sqlite3.InterfaceError,
    sqlite3.ProgrammingError,
)
"""What an archive that was changed or cut off raises."""


class _DamagedError(ValueError):
    """Error that says in words what is wrong with an archive."""


@dataclass(frozen=True)
class _ArchivedTable:
    """A table, its stored columns (not the computed ones), and the order of its rows."""

    name: str
    columns: tuple[str, ...]
    order: str

    @property
    def file(self) -> str:
        return f"tables/{self.name}.jsonl"


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


def unpack(archive: Path, target: Path) -> None:
    """Make the store that an archive holds in a new file, of the schema that it was written at.

    Raises TandemError where it is no archive, is damaged, unpacks to far more than it is, is too
    old, or was written by a newer Tandem; FaultError where the disk is full.
    """
    with closing(sqlite3.connect(target, isolation_level=None)) as db:
        where = ""
        try:
            with zipfile.ZipFile(archive) as packed:
                said = _manifest(packed, archive)
                schema.migrate(db, str(archive), to=said["schema"])
                with _suspend_triggers(db):
                    for table in _tables(db):
                        where = f"{table.file}: "
                        _fill(db, packed, table, said["tables"].pop(table.name))
                if unknown := sorted(said["tables"]):
                    raise _DamagedError(f"no such table: {unknown[0]}")
        except _BROKEN as error:
            what = sanitize_line(f"{where}{error or type(error).__name__}")
            raise TandemError(
                f"the archive {archive} is damaged ({what}): name an earlier one"
            ) from error
        except sqlite3.OperationalError as error:  # of the disk that it is unpacked to
            raise (faults.fault_of(error, target) or error) from error


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
    tables = _tables(db)
    counts = {
        table.name: db.execute(f"SELECT count(*) FROM {table.name}").fetchone()[0]
        for table in tables
    }
    (version,) = db.execute("PRAGMA user_version").fetchone()
    manifest = {"tandem-archive": FORMAT, "schema": version, "tables": counts}
    packed.writestr("README.txt", README)
    packed.writestr(MANIFEST, json.dumps(manifest, indent=1))
    for table in tables:
        with packed.open(table.file, "w", force_zip64=True) as file:
            for row in db.execute(
                f"SELECT {_list_columns(table.columns)} FROM {table.name} ORDER BY {table.order}"
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


def _list_columns(columns: Sequence[str]) -> str:
    return ", ".join(f'"{column}"' for column in columns)


def _tables(db: sqlite3.Connection) -> list[_ArchivedTable]:
    """List all tables, each with the columns and the order of rows to be kept."""
    tables = []
    for name, rowless in db.execute(
        """SELECT name, wr FROM pragma_table_list WHERE schema = 'main' AND type = 'table'
        AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name <> ? ORDER BY name""",
        (MIGRATED,),
    ):
        columns = db.execute(
            "SELECT name, pk FROM pragma_table_xinfo(?) WHERE hidden = 0 ORDER BY cid", (name,)
        ).fetchall()
        key = [column for column, place in sorted(columns, key=itemgetter(1)) if place]
        order = _list_columns(key) if rowless else "rowid"
        tables.append(_ArchivedTable(name, tuple(column for column, _ in columns), order))
    return tables


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
        raise _DamagedError(f"{MANIFEST} is longer than any")
    for info in parts.values():
        if info.compress_type not in METHODS:
            raise _DamagedError(f"{info.filename} is packed in another way")
    said = json.loads(packed.read(MANIFEST))
    if not isinstance(said, dict) or "tandem-archive" not in said:
        raise other
    form, version, counts = (said.get(name) for name in ("tandem-archive", "schema", "tables"))
    if not (_counts(form) and _counts(version) and isinstance(counts, dict)):
        raise _DamagedError(f"{MANIFEST} has no schema or no tables")
    if not all(count == 0 or _counts(count) for count in counts.values()):
        raise _DamagedError(f"{MANIFEST} has a number of rows that is none")
    if form > FORMAT or version > schema.VERSION:
        raise TandemError(f"{archive} was written by a newer Tandem: update Tandem")
    schema.check_age(version, f"the archive {archive}", "restore")
    return said


def _counts(value: object) -> TypeGuard[int]:
    return type(value) is int and 0 < value < 2**63


@contextmanager
def _suspend_triggers(db: sqlite3.Connection) -> Iterator[None]:
    """Open a transaction for rows that have been through the triggers before. Raises _DamagedError
    where rows refer to nothing.
    """
    triggers = db.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
    db.execute("PRAGMA foreign_keys = OFF")
    db.execute("BEGIN")
    for name, _ in triggers:
        db.execute(f"DROP TRIGGER {name}")
    yield
    for _, sql in triggers:
        db.execute(sql)
    if lost := db.execute("SELECT * FROM pragma_foreign_key_check LIMIT 1").fetchone():
        raise _DamagedError(f"a row of {lost[0]} refers to none of {lost[2]}")
    db.execute("COMMIT")


def _fill(
    db: sqlite3.Connection, packed: zipfile.ZipFile, table: _ArchivedTable, count: int
) -> None:
    db.execute(f"DELETE FROM {table.name}")  # what a new store has
    places = ", ".join("?" * len(table.columns))
    with packed.open(table.file) as file:
        db.executemany(
            f"INSERT INTO {table.name} ({_list_columns(table.columns)}) VALUES ({places})",
            _rows(file, table.columns),
        )
    (there,) = db.execute(f"SELECT count(*) FROM {table.name}").fetchone()
    if there != count:
        raise _DamagedError(f"{there:,} rows instead of {count:,}")


def _rows(file: IO[bytes], columns: Sequence[str]) -> Iterator[list[object]]:
    while line := file.readline(ROW + 1):
        if len(line) > ROW:
            raise _DamagedError("a row is longer than any store can hold")
        row = json.loads(line, object_hook=_to_bytes)
        if not isinstance(row, dict) or row.keys() != set(columns):
            raise _DamagedError(f"a row has other columns than {', '.join(columns)}")
        yield [row[column] for column in columns]
