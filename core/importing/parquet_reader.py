"""Parquet -> rows, some thousands at once where their cells are known to be short."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import compute, types

from ..records import TandemError
from .cells import Row, SkippedRecord, check_columns, clean_record, quote_value
from .text_encoding import DataFile, check_unpacked, open_seekable

FLAT, NESTED = 4096, 16  # rows that are read at once; a cell of nested ones may hold megabytes
TEXTS = types.is_string, types.is_large_string, types.is_binary, types.is_large_binary
FLAT_KINDS = types.is_dictionary, types.is_primitive, types.is_null
PIECE = 2**22  # bytes of texts that are unpacked at once


def read(file: DataFile) -> Iterator[Row | SkippedRecord]:
    """Yield all rows."""
    for first, batch in read_batches(file):
        yield from read_rows(first, batch)


def read_batches(file: DataFile, size: int = 0) -> Iterator[tuple[int, Any]]:
    """Yield the rows in batches of at most so many, each with the number of its first row. Texts
    are in codes.
    """
    path, packed = file.path, file.path.stat().st_size
    with _open_table(file) as table:
        names = check_columns(path, table.schema_arrow.names)
        parts = [table.metadata.row_group(part) for part in range(table.metadata.num_row_groups)]
        check_unpacked(path, packed, sum(part.total_byte_size for part in parts))
        kinds = (field.type for field in table.schema_arrow)
        unpacked, first = 0, 1
        is_flat = all(any(is_kind(kind) for is_kind in FLAT_KINDS) for kind in kinds)
        for batch in table.iter_batches((size or FLAT) if is_flat else NESTED):
            # What is the same in every row takes no room in the file.
            sizes = _measure_texts(batch)
            unpacked += batch.nbytes + int(sizes.sum())
            check_unpacked(path, packed, unpacked)
            cuts = np.flatnonzero(np.diff(np.cumsum(sizes) // PIECE)) + 1
            for begin, end in zip([0, *cuts], [*cuts, batch.num_rows], strict=True):
                yield first, pa.record_batch(batch.slice(begin, end - begin).columns, names)
                first += end - begin


def read_rows(first: int, batch: Any) -> Iterator[Row | SkippedRecord]:
    """Yield the rows of a batch, numbered from `first`."""
    plain = is_plain(batch)
    for number, cells in enumerate(decode(batch).to_pylist(), start=first):
        yield Row(number, cells) if plain else clean_record(number, cells)


def decode(batch: Any) -> Any:
    """Return a batch with its texts written out."""
    columns = (
        column.dictionary_decode() if types.is_dictionary(column.type) else column
        for column in batch.columns
    )
    return pa.record_batch(list(columns), batch.schema.names)


def is_plain(batch: Any) -> bool:
    """Return whether `clean_record` would leave each cell of a batch as it is."""
    return all(map(_is_plain, batch.columns))


def read_columns(file: DataFile) -> list[str]:
    """Return the names in the schema."""
    with _open_table(file) as table:
        return check_columns(file.path, table.schema_arrow.names)


@contextmanager
def _open_table(file: DataFile) -> Iterator[Any]:
    from pyarrow import parquet

    with open_seekable(file.path) as source:
        file.place.stream = source
        try:
            schema = parquet.read_schema(source)
            texts = [field.name for field in schema if _is_text(field.type)]
            source.seek(0)
            yield parquet.ParquetFile(source, read_dictionary=texts)
        except (pa.ArrowException, OSError, ValueError, OverflowError) as error:
            raise TandemError(
                f"{file.path.name!r} is a broken or cut off Parquet file "
                f"({quote_value(str(error))}); fetch or write it again"
            ) from None


def _is_text(kind: Any) -> bool:
    return any(is_kind(kind) for is_kind in TEXTS)


def _measure_texts(batch: Any) -> Any:
    sizes = np.zeros(batch.num_rows, np.int64)
    for column in batch.columns:
        if types.is_dictionary(column.type) and _is_text(column.type.value_type):
            lengths = compute.binary_length(column.dictionary).take(column.indices)
            sizes += lengths.fill_null(0).to_numpy(zero_copy_only=False)
    return sizes


def _is_plain(column: Any) -> bool:
    kind = column.type
    if types.is_dictionary(kind):
        return _is_plain(column.dictionary)
    if types.is_string(kind) or types.is_large_string(kind):
        return not compute.any(compute.match_substring(column, "\0")).as_py()
    if types.is_floating(kind):
        return compute.all(compute.is_finite(column)).as_py() is not False
    return types.is_boolean(kind) or (types.is_integer(kind) and not types.is_uint64(kind))
