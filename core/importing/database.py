"""DuckDB for one import or count: no network, no file but those that are named, memory and disk
bounded.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from ..processes import count_cores
from ..records import FaultError, TandemError
from ..scratch import scratch
from .cells import quote_value

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

TableTypes = Mapping[str, "pa.DataType"]
"""The columns of a table."""
Rows = Iterable[Sequence[object]]

COUNTING = 1000
STAGING = 200
"""MB of memory that DuckDB takes at most to count and to stage; the rest goes to the disk."""
SPILLED = 100_000
"""MB that it may put on the disk, and never more than half of what is free there."""
JOINED = 10  # appends to a transaction
LINE = 2**21  # bytes of a line of CSV
WAIT = 0.2  # seconds from one look at the progress to the next
INTERRUPTED = "Query interrupted"  # what DuckDB makes of Ctrl-C
FULL = ("No space left", "Disk quota", "max_temp_directory_size")


class Database:
    """A connection that can read just these files, each by another name: what a file is called
    means nothing to it, be it a pattern, a quote or an address. What does not fit into memory
    lies in a folder of temporary files, which goes with it.
    """

    def __init__(
        self,
        paths: Sequence[Path] = (),
        memory: int = STAGING,
        threads: int | None = None,
        *,
        is_tiny: bool = False,
    ) -> None:
        """Open a connection. Queries over `is_tiny` tables run as they are written: to plan them
        better takes longer than it saves.
        """
        import duckdb

        self._folder: TemporaryDirectory[str] = scratch()
        self.links = {path: Path(self._folder.name, f"votes-{n}") for n, path in enumerate(paths)}
        for path, link in self.links.items():
            link.symlink_to(path.resolve())
        self.size = sum(path.stat().st_size for path in paths)
        self.memory = memory
        self._joined: int | None = None  # appends so far, where they are committed together
        self.spilled = min(SPILLED, shutil.disk_usage(self._folder.name).free // 2 // 10**6)
        self.connection = duckdb.connect(
            ":memory:" if threads == 1 else str(Path(self._folder.name, "staging.duckdb")),
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
        if is_tiny:
            self.connection.execute("PRAGMA disable_optimizer")
        real = ", ".join(literal(str(path.resolve())) for path in paths)
        for setting in (
            "enable_progress_bar = true",
            "enable_progress_bar_print = false",
            f"allowed_paths = [{real}]",
            "enable_external_access = false",
            "lock_configuration = true",
        ):
            self.connection.execute(f"SET {setting}")

    def close(self) -> None:
        """Close the connection and delete the folder of the database."""
        self.connection.close()
        self._folder.cleanup()

    def source(self, paths: Sequence[Path]) -> str:
        """Return these files as a list in SQL."""
        return f"[{', '.join(literal(str(self.links[path])) for path in paths)}]"

    def rows(self, query: str, progress: Any = None, stage: str = "") -> list[tuple[Any, ...]]:
        """Run a query and return its rows. `progress(stage, MB done, of)` is called meanwhile."""
        return self._run(query, progress, stage).fetchall()

    def value(self, query: str) -> Any:
        """Return the one value that a query gives."""
        return self.rows(query)[0][0]

    def frame(self, query: str, progress: Any = None, stage: str = "") -> dict[str, Any]:
        """Run a query and return its result as one array per column."""
        return self._run(query, progress, stage).fetchnumpy()

    def portions(self, query: str, size: int) -> Iterator[list[tuple[Any, ...]]]:
        """Run a query and yield its rows, `size` at a time. The connection is free for other
        queries.
        """
        import duckdb

        cursor = self.connection.cursor()
        try:
            cursor.execute(query)
            while rows := cursor.fetchmany(size):
                yield rows
        except (duckdb.Error, RuntimeError) as error:
            raise self._translate(error) from error
        finally:
            cursor.close()

    def add_table(self, name: str, types: TableTypes, rows: Rows = ()) -> None:
        """Create a table with columns of these types, and with these rows."""
        self._give(_make_table(types, rows), f"CREATE OR REPLACE TABLE {name} AS")

    @contextmanager
    def join_appends(self) -> Iterator[None]:
        """Commit the appends of a block in groups.

        For an append committed alone, DuckDB sets up every column of the table again. All appends
        in one commit would stay in memory.
        """
        self._joined = 0
        self.rows("BEGIN TRANSACTION")
        try:
            yield
        except BaseException:
            self.rows("ROLLBACK")
            raise
        finally:
            self._joined = None
        self.rows("COMMIT")

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
        """Append an Arrow table to a table."""
        self._give(table, f"INSERT INTO {name}")
        if self._joined is not None:
            self._joined += 1
            if self._joined % JOINED == 0:
                self.rows("COMMIT; BEGIN TRANSACTION")

    def _give(self, table: pa.Table, what: str) -> None:
        """Do something with an Arrow table."""
        self.connection.register("given", table)
        self.rows(f"{what} SELECT * FROM given")
        self.connection.unregister("given")

    def take_rejected(self) -> list[tuple[Path, int, str]]:
        """Return the new lines of CSV that are no rows: file, line, what is wrong."""
        rejected = self.connection.execute(
            "SELECT file_path, line, any_value(error_type::VARCHAR) FROM reject_errors "
            "JOIN reject_scans USING (scan_id, file_id) GROUP BY ALL ORDER BY ALL"
        ).fetchall()
        for table in ("reject_errors", "reject_scans"):
            self.connection.execute(f"DELETE FROM {table}")
        return [(self._path(link), line, sort) for link, line, sort in rejected]

    def _run(self, query: str, progress: Any, stage: str) -> duckdb.DuckDBPyConnection:
        import duckdb

        try:
            if not progress:  # Ctrl-C ends a query of the main thread
                return self.connection.execute(query)
            with ThreadPoolExecutor(1) as pool:
                running = pool.submit(self.connection.execute, query)
                try:
                    self._follow(running, progress, stage)
                except BaseException:  # Ctrl-C, or a progress that wants to end it
                    self.connection.interrupt()
                    raise
                return running.result()
        except (duckdb.Error, RuntimeError) as error:
            raise self._translate(error) from error

    def _follow(self, running: Future[Any], progress: Any, stage: str) -> None:
        """Tell how far a query is until it ends."""
        while not wait([running], WAIT).done:
            share = max(self.connection.query_progress(), 0.0) / 100
            progress(stage, int(share * self.size / 1e6), int(self.size / 1e6))

    def _path(self, link: str) -> Path:
        return next(path for path, own in self.links.items() if own.name == Path(link).name)

    def _translate(self, error: BaseException) -> BaseException:
        """Translate an error to one whose sentence names the file."""
        import duckdb

        if isinstance(error, RuntimeError) and INTERRUPTED in str(error):
            return KeyboardInterrupt()
        text = str(error).partition("\n")[0]
        name = next((path.name for path, link in self.links.items() if link.name in text), "")
        if any(sign in str(error) for sign in FULL):
            return FaultError("the disk for temporary files is full: free some space")
        if isinstance(error, duckdb.OutOfMemoryException):
            return TandemError(
                f"these files take more than {self.memory:,} MB of memory and {self.spilled:,} MB "
                "of disk: take fewer files at a time"
            )
        if isinstance(error, duckdb.Error) and self.links:
            for link in self.links.values():
                text = text.replace(str(link), link.name)
            whose = f"{name!r} cannot be read" if name else "these files cannot be read"
            return TandemError(f"{whose} ({quote_value(text)}); fetch or write it again")
        return error


def _make_table(types: TableTypes, rows: Rows) -> pa.Table:
    import pyarrow as pa

    columns = list(zip(*rows, strict=True)) or [()] * len(types)
    named = zip(types.items(), columns, strict=True)
    return pa.table({name: pa.array(cells, kind) for (name, kind), cells in named})


@contextmanager
def open_database(paths: Sequence[Path], memory: int) -> Iterator[Database]:
    """Open a database for these files, until the end of the block."""
    database = Database(paths, memory)
    try:
        yield database
    finally:
        database.close()


def literal(text: str) -> str:
    """Return a text in SQL."""
    quoted = text.replace("'", "''")
    return f"'{quoted}'"
