"""DuckDB over a few files and nothing else: no network, no other file, memory and disk bounded."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.importing.cells import short
from core.processes import count_cores
from core.records import FaultError, TandemError
from core.scratch import scratch

if TYPE_CHECKING:
    import duckdb
    import pandas as pd

MEMORY = 1000
"""MB that DuckDB takes at most; what does not fit goes to the disk."""
SPILLED = 100_000
"""MB that it may put on the disk, and never more than half of what is free there."""
LINE = 2**21  # bytes of a line of CSV
WAIT = 0.2  # seconds from one look at the progress to the next
FULL = ("No space left", "Disk quota", "max_temp_directory_size")


class Engine:
    """A connection that can read just these files, each by another name: what a file is called
    means nothing to it, be it a pattern, a quote or an address.
    """

    def __init__(
        self, connection: duckdb.DuckDBPyConnection, links: dict[Path, Path], spilled: int
    ) -> None:
        self.connection, self._links, self.spilled = connection, links, spilled
        self.size = sum(path.stat().st_size for path in links)

    def source(self, paths: Sequence[Path]) -> str:
        """These files as a list in SQL."""
        return f"[{', '.join(literal(str(self._links[path])) for path in paths)}]"

    def rows(self, query: str, progress: Any = None, stage: str = "") -> list[tuple[Any, ...]]:
        """What a query gives. `progress(stage, MB done, of)` is told meanwhile; Ctrl-C ends it."""
        return self._run(query, progress, stage).fetchall()

    def frame(self, query: str, progress: Any = None, stage: str = "") -> dict[str, Any]:
        """What a query gives, as arrays by column."""
        return self._run(query, progress, stage).fetchnumpy()

    def register(self, name: str, frame: pd.DataFrame) -> None:
        """A frame as a table of that name."""
        self.connection.register(name, frame)

    def rejected(self) -> list[tuple[Path, int, str]]:
        """The lines of CSV that are no rows, since it was last asked: file, line, what is wrong."""
        found = self.connection.execute(
            "SELECT file_path, line, any_value(error_type::VARCHAR) FROM reject_errors "
            "JOIN reject_scans USING (scan_id, file_id) GROUP BY ALL ORDER BY ALL"
        ).fetchall()
        for table in ("reject_errors", "reject_scans"):
            self.connection.execute(f"DELETE FROM {table}")
        return [(self._path(link), line, sort) for link, line, sort in found]

    def _run(self, query: str, progress: Any, stage: str) -> duckdb.DuckDBPyConnection:
        failed: list[BaseException] = []
        thread = threading.Thread(target=self._execute, args=(query, failed), daemon=True)
        thread.start()
        try:
            while thread.is_alive():
                thread.join(WAIT)
                if progress and thread.is_alive():
                    share = max(self.connection.query_progress(), 0.0) / 100
                    progress(stage, int(share * self.size / 1e6), int(self.size / 1e6))
        except BaseException:  # Ctrl-C, or a progress that wants to end it
            self.connection.interrupt()
            thread.join()
            raise
        if failed:
            raise self._told(failed[0]) from failed[0]
        return self.connection

    def _path(self, link: str) -> Path:
        return next(path for path, own in self._links.items() if own.name == Path(link).name)

    def _execute(self, query: str, failed: list[BaseException]) -> None:
        try:
            self.connection.execute(query)
        except BaseException as error:
            failed.append(error)

    def _told(self, error: BaseException) -> BaseException:
        """What went wrong, in a sentence that names the file."""
        import duckdb

        text = str(error).partition("\n")[0]
        name = next((path.name for path, link in self._links.items() if link.name in text), "")
        if any(sign in str(error) for sign in FULL):
            return FaultError("the disk for temporary files is full: free some space")
        if isinstance(error, duckdb.OutOfMemoryException):
            return TandemError(
                f"counting these votes takes more than {MEMORY:,} MB of memory and "
                f"{self.spilled:,} MB of disk: count fewer files at a time"
            )
        if isinstance(error, duckdb.Error):
            for link in self._links.values():
                text = text.replace(str(link), link.name)
            whose = f"{name!r} cannot be read" if name else "these files cannot be read"
            return TandemError(f"{whose} ({short(text)}); fetch or write it again")
        return error


@contextmanager
def engine(paths: Sequence[Path]) -> Iterator[Engine]:
    """DuckDB for these files, until the end of the block."""
    import duckdb

    with scratch() as folder:
        links = {path: Path(folder, f"votes-{place}") for place, path in enumerate(paths)}
        for path, link in links.items():
            link.symlink_to(path.resolve())
        spilled = min(SPILLED, shutil.disk_usage(folder).free // 2 // 10**6)
        connection = duckdb.connect(
            ":memory:",
            config={
                "allow_community_extensions": False,
                "autoinstall_known_extensions": False,
                "autoload_known_extensions": False,
                "max_temp_directory_size": f"{spilled}MB",
                "memory_limit": f"{MEMORY}MB",
                "preserve_insertion_order": False,
                "temp_directory": str(Path(folder, "spilled")),
                "threads": count_cores(),
            },
        )
        try:
            connection.execute("SET enable_progress_bar = true")
            connection.execute("SET enable_progress_bar_print = false")
            real = ", ".join(literal(str(path.resolve())) for path in paths)
            connection.execute(f"SET allowed_paths = [{real}]")
            connection.execute("SET enable_external_access = false")
            connection.execute("SET lock_configuration = true")
            yield Engine(connection, links, spilled)
        finally:
            connection.close()


def literal(text: str) -> str:
    """A text in SQL."""
    quoted = text.replace("'", "''")
    return f"'{quoted}'"
