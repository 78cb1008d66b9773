"""Schema of a store, and the creation of its tables.

A new store gets the tables that `tables/` describes in SQL. One of an earlier schema is brought
along by `steps/`, each a file that names the schema it leads to: a change of `tables/` needs one. A
step that was published is never edited. Steps run in a transaction, without the triggers of
append-only tables, and without foreign keys, which are checked before it ends. A view of all
columns has to be made again. SQL may call `hash_wording(context)`.
`docs/data-model.md` says in words what each table is for.
"""

from __future__ import annotations

import hashlib
import re
import sqlite3
import time
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from functools import cache
from itertools import product
from pathlib import Path

from ..records import TandemError, option_ref, sanitize_line
from .faults import DamageError

FIRST = 24
"""The schema of the first step. Stores of an earlier one are refused."""
STEPS = tuple(
    file.read_text(encoding="utf-8")
    for file in sorted((Path(__file__).parent / "steps").glob("to*.sql"))
)
"""The SQL from `FIRST` to 25, from there to 26, and so on."""
_FELL = (
    *(f"planned_{what}" for what in ("bundle", "comparison", "next", "pairs", "stratum")),
    "plans_campaign", "idx__sqlite_migrations_migration_set_name",
)  # fmt: skip
# Indexes of schema 24 that went with their tables.
_NAMED = re.compile(
    r"(?:CREATE|DROP|ALTER)\s+(?:UNIQUE )?(?:TABLE|INDEX|VIEW|TRIGGER)\s+"
    r"(?:IF (?:NOT )?EXISTS )?(\w+)|RENAME TO (\w+)"
)
VERSION = FIRST + len(STEPS)
"""The schema that `tables/` describes. It is kept in the file, so that an unchanged store opens
without looking further.
"""
LAST_OF_OLDER = "277cdddc"
"""The last commit of Tandem that brought stores of schemas 1 to 23 along."""
APPLICATION = int.from_bytes(b"Tndm", "big")
"""Kept in the file, so that no other program's database is taken for ours."""
TABLES = [
    Path(__file__).parent / f"tables/{noun}.sql"
    for noun in ("texts", "people", "questions", "answers")
]
APPEND_ONLY = ("judgements", "check_answers", "attack_answers")
"""Tables whose rows may be withdrawn, and not changed otherwise."""
NAMED = 5  # parts that a refusal names
_TOKEN = re.compile(r"""'[^']*'|"[^"]*"|\w+|--.*|/\*[\s\S]*?(?:\*/|\Z)|\S""")

LONG_CONTEXT = 100
"""Letters from which contexts are the same although numbers and signs in them differ: filled
templates. In shorter ones, such as "What is 2 + 3?", a number is all that is asked.
"""
_PUNCTUATION = re.compile(r"[\s.,;:!?…'\"()\[\]{}“”„‘’«»。，；：！？、（）「」]+")
_LETTERS = re.compile(r"[^\W\d_]+")

Parts = dict[tuple[str, str], str]
"""The SQL of tables, indexes, views and triggers by kind and name; '' where any will do."""


def version(connection: sqlite3.Connection, name: str) -> int:
    """Return the schema of a store, 0 for a new file. Only reads.

    Raises TandemError for a store written by a newer Tandem or one that is too old, and for another
    program's database. Raises DamageError for one that no Tandem wrote.
    """
    application, found, tables = read_version(connection)
    if application != APPLICATION and (application or found or tables):
        raise TandemError(
            f"{name} is a database of some other program, not a Tandem store: "
            f"point {option_ref('store')} elsewhere"
        )
    if found < 0:
        raise DamageError(f"the store {name} is damaged (its schema is {found}): restore a backup")
    if found:
        check_age(found, f"the store {name}", "datasets")
    return int(found)


def read_version(connection: sqlite3.Connection) -> tuple[int, int, int]:
    """Read whose database this is, of which schema, and how many parts it has."""
    numbers: tuple[int, int, int] = connection.execute(
        """SELECT application_id, user_version, (SELECT count(*) FROM sqlite_master)
        FROM pragma_application_id, pragma_user_version"""
    ).fetchone()
    return numbers


def check_age(found: int, what: str, command: str) -> None:
    """Raise TandemError for a schema that is newer than today's, or too old to be updated.

    `what` names the store in the message. `command` is the one to run on it with the last Tandem
    that updates it.
    """
    if found > VERSION:
        raise TandemError(
            f"a newer Tandem wrote {what} (schema {found}; this one knows {VERSION}): update Tandem"
        )
    if found < FIRST:
        raise TandemError(
            f"{what} has schema {found}, and this Tandem updates none before {FIRST}. Run "
            f"`{command}` on it once with the Tandem of commit {LAST_OF_OLDER}"
        )


def migrate(
    connection: sqlite3.Connection,
    name: str,
    *,
    keep_copy: Callable[[], Path] | None = None,
    rows_alone: bool = False,
) -> None:
    """Bring a store up to VERSION inside one immediate transaction that two starting processes
    cannot share. `keep_copy` copies a store before it is changed; where that fails, the copy goes.
    With `rows_alone`, only rows are taken from it afterwards: what is not ours does not matter.

    Raises TandemError as `version` does, with the file as it was.
    """
    copy = None
    if version(connection, name) == VERSION:
        return
    _write_ahead(connection)
    # As SQLite wants it while a table is rewritten.
    connection.execute("PRAGMA foreign_keys = OFF")
    connection.execute("PRAGMA legacy_alter_table = ON")
    connection.execute("BEGIN IMMEDIATE")
    try:
        present = version(connection, name)
        if present < VERSION:  # another process may have done it while this one waited
            copy = keep_copy() if present and keep_copy else None
            if present:
                _run_steps(connection, STEPS[present - FIRST :])
            else:
                create_tables(connection)
            if present and not rows_alone:
                check_parts(connection, name)
            if connection.execute("SELECT * FROM pragma_foreign_key_check LIMIT 1").fetchone():
                raise TandemError(
                    f"the store {name} has rows that refer to nothing: run `check`, and restore "
                    "a backup"
                )
            connection.execute(f"PRAGMA application_id = {APPLICATION}")
            connection.execute(f"PRAGMA user_version = {VERSION}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        if copy:
            copy.unlink(missing_ok=True)
        raise
    finally:
        connection.execute("PRAGMA legacy_alter_table = OFF")
        connection.execute("PRAGMA foreign_keys = ON")


def _run_steps(connection: sqlite3.Connection, scripts: Sequence[str]) -> None:
    """Run the steps; append-only tables get new triggers from the columns that they have then."""
    for table in APPEND_ONLY:
        connection.execute(f"DROP TRIGGER IF EXISTS {table}_are_final")
        connection.execute(f"DROP TRIGGER IF EXISTS {table}_stay")
    connection.create_function("hash_wording", 1, hash_wording, deterministic=True)
    for script in scripts:
        for statement in _split_statements(script):
            connection.execute(statement)
    for table in APPEND_ONLY:
        forbid_changes(connection, table)


def create_tables(connection: sqlite3.Connection) -> None:
    """Make the tables, indexes, views and triggers of a new store."""
    for file in TABLES:
        for statement in _split_statements(file.read_text(encoding="utf-8")):
            connection.execute(statement)
    for table in APPEND_ONLY:
        forbid_changes(connection, table)
    # `restore` raises these numbers, so that none is given out again; it adds no row for a table.
    connection.execute(
        """INSERT INTO sqlite_sequence (name, seq) SELECT name, 0 FROM sqlite_master
        WHERE type = 'table' AND sql LIKE '% AUTOINCREMENT%'"""
    )


def check_parts(connection: sqlite3.Connection, name: str) -> None:
    """Check that what acts on a store's rows is Tandem's: its tables, indexes, views and triggers.

    A table beside ours does nothing, and may stay. Raises TandemError.
    """
    ours = make_parts(VERSION)
    acting = [
        (kind, label, sql)
        for kind, label, sql in read_parts(connection)
        if (kind, label) in ours or not sql.startswith("CREATE TABLE ")
    ]
    if foreign := list_foreign(acting, ours):
        more = f" and {len(foreign) - NAMED:,} more" if len(foreign) > NAMED else ""
        raise TandemError(
            f"the store {name} is not as Tandem makes it ({', '.join(foreign[:NAMED])}{more}): "
            "restore it into a new store, which takes rows alone"
        )


@cache
def make_parts(version: int) -> Parts:
    """Return the parts of a new store. Of those before today's schema only names are known, and
    more of them than one had: all that steps name.
    """
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as db:
        create_tables(db)
        parts = {row[:2]: row[2] for row in read_parts(db)}
    if version == VERSION:
        return parts
    kinds = ("table", "index", "view", "trigger")
    return dict.fromkeys([*parts, *product(kinds, list_named_parts())], "")


def list_named_parts() -> set[str]:
    """List the tables, indexes, views and triggers that steps make, change or drop."""
    named = {name for step in STEPS for names in _NAMED.findall(step) for name in names if name}
    return named.union(_FELL)


def read_parts(connection: sqlite3.Connection) -> list[tuple[str, str, str]]:
    """Read the kind, the name and the SQL of a store's tables, indexes, views and triggers."""
    return connection.execute(
        """SELECT CAST(type AS TEXT), CAST(name AS TEXT), CAST(sql AS TEXT) FROM sqlite_master
        WHERE sql IS NOT NULL"""
    ).fetchall()


def _split_tokens(sql: str) -> tuple[str, ...]:
    """Split SQL into tokens, without comments and the quotes that a rename puts around tables."""
    tokens = [part for part in _TOKEN.findall(sql) if not part.startswith(("--", "/*"))]
    return tuple(
        token.strip('"') if before in ("TABLE", "REFERENCES") else token
        for before, token in zip(("", *tokens), tokens, strict=False)
    )


def list_foreign(rows: Sequence[tuple[str, str, str]], ours: Parts) -> list[str]:
    """List which parts of a store are not among `ours`, have other SQL, or are missing."""
    left, foreign = dict(ours), []
    for kind, name, sql in rows:
        own = left.pop((kind, name), None)
        if own is None:
            foreign.append(f"{kind} {name}")
        elif own and sql != own and _split_tokens(sql) != _split_tokens(own):
            foreign.append(f"{kind} {name}, changed")
    foreign += [f"{kind} {name}, missing" for (kind, name), own in left.items() if own]
    return sorted(sanitize_line(part) for part in foreign)


def hash_wording(context: str) -> int:
    """Hash the words of a context, by which repeats in a data set are found.

    64 bits, signed, equal for the same words, 0 without any. Case, spaces and punctuation never
    count; in contexts of LONG_CONTEXT letters or more, numbers and signs do not either. Stores keep
    it, so it never changes: another rule takes another column.
    """
    plain = unicodedata.normalize("NFKC", context).casefold()
    letters = "".join(_LETTERS.findall(plain))
    said = letters if len(letters) >= LONG_CONTEXT else _PUNCTUATION.sub("", plain)
    if not said:
        return 0
    digest = hashlib.blake2b(said.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True) or 1


def _split_statements(script: str) -> Iterator[str]:
    """Yield statements one by one: `executescript` would end the transaction."""
    statement = ""
    for part in script.split(";"):  # also within triggers and comments
        statement += f"{part};"
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""


def forbid_changes(connection: sqlite3.Connection, table: str) -> None:
    """Make the triggers of an append-only table from its columns."""
    columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
    old, new = (
        ", ".join(f'{row}."{column}"' for column in columns if column != "withdrawn_at")
        for row in ("OLD", "NEW")
    )
    connection.execute(f"""CREATE TRIGGER {table}_are_final BEFORE UPDATE ON {table}
        WHEN OLD.withdrawn_at IS NOT NULL OR NEW.withdrawn_at IS NULL OR ({old}) IS NOT ({new})
        BEGIN SELECT raise(ABORT,
        '{table} are append-only: withdraw this one and add another'); END""")
    connection.execute(f"""CREATE TRIGGER {table}_stay BEFORE DELETE ON {table}
        BEGIN SELECT raise(ABORT, '{table} are append-only: withdraw instead of deleting'); END""")


def _write_ahead(connection: sqlite3.Connection, patience: float = 30.0) -> None:
    """Switch the file to a write-ahead log, for good. Unlike any other statement this one does not
    wait by itself while another process is at the file, as when two create it at once.
    """
    until = time.monotonic() + patience
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > until:
                raise
            time.sleep(0.01)
