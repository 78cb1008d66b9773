"""Inspect's logs -> rows: one sample each, with what the log says of its evaluation under `eval`.

An `.eval` is a zip of JSON files, of which each is packed with deflate or zstd; a `.json` log is
one document. Layout: UKGovernmentBEIS/inspect_ai, tests/log/test_eval_log.
"""

from __future__ import annotations

import json
import struct
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa

from core.importing.cells import Row, Skipped, cleaned
from core.importing.json_reader import DECODER
from core.importing.text_encoding import RECORD, DataFile, check_unpacked
from core.records import TandemError

KEPT = ("id", "epoch", "input", "target", "output", "scores", "error", "attachments")
"""What is read of a sample: its messages and events may be a hundred times as long."""
ZSTD = 93  # the number of its method in a zip
HEADER = 30  # bytes before the name in a zip's local header


def read_zip(file: DataFile) -> Iterator[Row | Skipped]:
    """The samples of an `.eval`."""
    try:
        with zipfile.ZipFile(file.path) as archive:
            yield from _read_samples(file.path, archive)
    except (zipfile.BadZipFile, pa.ArrowException, struct.error, EOFError) as error:
        raise TandemError(
            f"{file.path.name!r} is a damaged or cut off Inspect log ({error}); fetch it again"
        ) from None


def _read_samples(path: Path, archive: zipfile.ZipFile) -> Iterator[Row | Skipped]:
    if "header.json" not in archive.namelist():
        raise TandemError(
            f"{path.name!r} has no header: its evaluation was not finished; repeat it, or use "
            "`inspect log recover`"
        )
    header = _document(path, archive, "header.json")
    if not isinstance(header, dict):
        raise TandemError(
            f"header.json in {path.name!r} is no object that names each value once; fetch it again"
        )
    samples = sorted(name for name in archive.namelist() if name.startswith("samples/"))
    for number, name in enumerate(samples, start=1):
        sample = _document(path, archive, name)
        yield cleaned(number, select_sample(sample, header.get("eval")))


def select_sample(sample: object, evaluation: object) -> object:
    """What is read of a sample, with its evaluation."""
    if not isinstance(sample, dict):
        return sample
    about = evaluation if isinstance(evaluation, dict) else {}
    kept = {name: sample[name] for name in KEPT if name in sample}
    return {**kept, "eval": {name: about.get(name) for name in ("model", "task", "created")}}


def _document(path: Path, archive: zipfile.ZipFile, name: str) -> Any:
    text = _unpacked(path, archive, archive.getinfo(name))
    try:
        return DECODER.decode(text.decode())
    except (json.JSONDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise TandemError(f"{name} in {path.name!r} is not readable JSON ({error})") from None


def _unpacked(path: Path, archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> bytes:
    """The contents of a file in the zip. pyarrow does for zstd, which Python learns in 3.14."""
    check_unpacked(path, path.stat().st_size, member.file_size)
    if member.file_size > RECORD:
        raise TandemError(f"{member.filename} in {path.name!r} has more than {RECORD:,} characters")
    if member.compress_type != ZSTD:
        return archive.read(member)
    with path.open("rb") as file:
        file.seek(member.header_offset)
        name, extra = struct.unpack("<26xHH", file.read(HEADER))
        file.seek(name + extra, 1)
        packed = pa.BufferReader(file.read(member.compress_size))
    with pa.CompressedInputStream(packed, "zstd") as stream:
        return bytes(stream.read(member.file_size))
