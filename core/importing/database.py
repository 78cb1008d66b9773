"""DuckDB for one import or count: no network, no other files, memory and disk bounded."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from ..processes import count_cores
from ..records import FaultError, TandemError
from ..scratch import scratch

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

TableTypes = Mapping[str, "pa.DataType"]
"""The columns of a table."""
Rows = Iterable[Sequence[object]]

STAGING = 224  # MB of memory that DuckDB takes at most; with 200, 1e6 votes by 1e4 judges fail
SPILLED = 100_000
"""MB that it may put on the disk, and never more than half of what is free there."""
INTERRUPTED = "Query interrupted"  # what DuckDB makes of Ctrl-C
FULL = ("No space left", "Disk quota", "max_temp_directory_size")


class Database:
    """A connection that can read no file and reach no network. What does not fit into memory lies
    in a folder of temporary files, which goes with it.
    """

    def __init__(
        self, memory: int = STAGING, threads: int | None = None, *, is_tiny: bool = False
    ) -> None:
        """Open a connection. Queries over `is_tiny` tables run as they are written: to plan them
        better takes longer than it saves.
        """
        import duckdb

        self._folder: TemporaryDirectory[str] = scratch()
        self.memory = memory
        self.spilled = min(SPILLED, shutil.disk_usage(self._folder.name).free // 2 // 10**6)
        self.connection = duckdb.connect(
            config={
                "allow_community_extensions": False,
                "autoinstall_known_extensions": False,
                "autoload_known_extensions": False,
                "max_temp_directory_size": f"{self.spilled}MB",
                "memory_limit": f"{memory}MB",
                "preserve_insertion_order": False,
                "temp_directory": str(Path(self._folder.name, "spilled")),
                "threads": threads or count_cores(),
            },
        )
        file = ":memory:" if threads == 1 else str(Path(self._folder.name, "staging.duckdb"))
        how = "" if threads == 1 else "(RECOVERY_MODE no_wal_writes)"  # nobody recovers it
        self.connection.execute(f"ATTACH {literal(file)} AS staging {how}; USE staging")
        if is_tiny:
            self.connection.execute("PRAGMA disable_optimizer")
        for setting in ("enable_external_access = false", "lock_configuration = true"):
            self.connection.execute(f"SET {setting}")

    def close(self) -> None:
        """Close the connection and delete the folder of the database."""
        self.connection.close()
        self._folder.cleanup()

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """Run a query and return its rows."""
        return self._run(query).fetchall()

    def value(self, query: str) -> Any:
        """Return the one value that a query gives."""
        return self.rows(query)[0][0]

    def frame(self, query: str) -> dict[str, Any]:
        """Run a query and return its result as one array per column."""
        return self._run(query).fetchnumpy()

    def portions(
        self, query: str, size: int | Callable[[], int]
    ) -> Iterator[list[tuple[Any, ...]]]:
        """Run a query and yield its rows, `size` at a time, asked anew for each portion.

        The connection is free for other queries.
        """
        import duckdb

        cursor = self.connection.cursor()
        try:
            cursor.execute(f"USE staging; {query}")
            while rows := cursor.fetchmany(size if isinstance(size, int) else size()):
                yield rows
        except (duckdb.Error, RuntimeError) as error:
            raise self._translate(error) from error
        finally:
            cursor.close()

    def add_table(self, name: str, types: TableTypes, rows: Rows = ()) -> None:
        """Create a table with columns of these types, and with these rows."""
        self._give(_make_table(types, rows), f"CREATE OR REPLACE TABLE {name} AS")

    def define_function(
        self, name: str, function: Callable[[Any], pa.Array], fields: Mapping[str, str]
    ) -> None:
        """Define a function in SQL that makes whole numbers of structs with these fields."""
        import duckdb

        given = [duckdb.struct_type(dict(fields))]
        self.connection.create_function(name, function, given, "BIGINT", type="arrow")  # type: ignore[call-overload]

    def append_rows(self, name: str, types: TableTypes, rows: Rows) -> None:
        """Append rows to a table."""
        self.append(name, _make_table(types, rows))

    def append(self, name: str, table: pa.Table) -> None:
        """Append an Arrow table to a table, by the names of its columns."""
        self._give(table, f"INSERT INTO {name} BY NAME")

    def _give(self, table: pa.Table, what: str) -> None:
        self.connection.register("given", table)
        self.rows(f"{what} SELECT * FROM given")
        self.connection.unregister("given")

    def _run(self, query: str) -> duckdb.DuckDBPyConnection:
        import duckdb

        try:
            return self.connection.execute(query)
        except (duckdb.Error, RuntimeError) as error:
            raise self._translate(error) from error

    def _translate(self, error: BaseException) -> BaseException:
        import duckdb

        if isinstance(error, RuntimeError) and INTERRUPTED in str(error):
            return KeyboardInterrupt()
        if any(sign in str(error) for sign in FULL):
            return FaultError("the disk for temporary files is full: free some space")
        if isinstance(error, duckdb.OutOfMemoryException):
            return TandemError(
                f"these files take more than {self.memory:,} MB of memory and {self.spilled:,} MB "
                "of disk: take fewer files at a time"
            )
        return error


def _make_table(types: TableTypes, rows: Rows) -> pa.Table:
    import pyarrow as pa

    columns = list(zip(*rows, strict=True)) or [()] * len(types)
    named = zip(types.items(), columns, strict=True)
    return pa.table({name: pa.array(cells, kind) for (name, kind), cells in named})


def literal(text: str) -> str:
    """Return a text in SQL."""
    quoted = text.replace("'", "''")
    return f"'{quoted}'"
