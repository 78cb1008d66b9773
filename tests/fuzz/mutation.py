"""Files, texts and words as nobody means them: one that is right, broken in a few places."""

from __future__ import annotations

import csv
import gzip
import io
import json
import zipfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from random import Random
from typing import Any

from core.records import TandemError

LARGEST = 100_000  # bytes of a mutated file
NASTY: list[Any] = [
    "", " ", "a", "A", "tie", "\0", "\x1b[2J", "\u202e", "\ud800", "é", "\U0001f600", "𐤀", "\r", "\n",
    "\r\n", "\t", "[" * 3000, '{"a":' * 3000, '"', '""', "'", ",", ";", "|", "\\", "{", "}", "{a}", "{label_a}", "{context}", "[", "]",
    "=1+1", "@SUM(A1)", "<b>", "<script>", "-", "+", "../../x", "%s", "%", "nan", "NaN", "inf",
    "-inf", "1e999", "-1", "0", "1", "2.0", "1,5", "1,000", "0x10", "1_000", "٣", "²", "9" * 400,
    "x" * 5000, "a\nb\nc\nd\ne", "null", "true", "1970-01-01", "1..3", "A vs B", "A or B",
    None, True, False, 0, -0.0, 1, -1, 0.5, 1e308, 2**63, 10**400, float("nan"), float("inf"),
    [], {}, [[]], [None], {"": ""}, {"a": {"b": []}}, [1, "a"],
]  # fmt: skip
"""Values that programs trip over."""
MAGIC = [b"\x1f\x8b", b"PK\3\4", b"PAR1", b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf", b"\0\0\0\0"]


def words(value: Any) -> bytes:
    """A nasty value as it stands in a file of text."""
    text = value if isinstance(value, str) else json.dumps(value)
    return text.encode("utf-8", "surrogatepass")


def mutate(data: bytes, draw: Random, others: Sequence[bytes]) -> bytes:
    """A file that is broken in one to four places; what is in a container is broken inside it."""
    for _ in range(draw.choice((1, 1, 2, 4))):
        change = draw.choices((in_its_form, in_bytes), (3, 2))[0]
        data = change(data, draw, others)[:LARGEST]
    return data


def in_bytes(data: bytes, draw: Random, others: Sequence[bytes]) -> bytes:
    """Changed without regard to what the bytes mean."""
    start, end = sorted(draw.randrange(len(data) + 1) for _ in range(2))
    end = min(end, start + draw.choice((1, 4, 30, len(data))))
    other = draw.choice(others)
    place = draw.randrange(len(other) + 1)
    ways: list[Callable[[], bytes]] = [
        lambda: data[:start] + data[end:],
        lambda: data[:start],
        lambda: data[:end] + data[start:],
        lambda: data[:start] + words(draw.choice(NASTY)) + data[start:],
        lambda: data[:start] + words(draw.choice(NASTY)) + data[end:],
        lambda: data[:start] + draw.randbytes(draw.choice((1, 2, 8))) + data[end:],
        lambda: data[:start] + other[place:],
        lambda: draw.choice(MAGIC) + data,
        lambda: b"\n".join(draw.sample(lines := data.split(b"\n"), len(lines))),
        lambda: data.decode("utf-8", "replace").encode("utf-16"),
        lambda: data.decode("latin-1").encode(),
        lambda: data * draw.choice((2, 3, 50)),
        lambda: gzip.compress(data, mtime=0),
        lambda: gzip.compress(data, mtime=0)[: draw.randrange(20, 200)],
    ]
    return draw.choice(ways)()


def in_its_form(data: bytes, draw: Random, others: Sequence[bytes]) -> bytes:
    """Changed as what it is, so that its form stays whole: as a container, JSON or a table."""
    if data[:2] == b"\x1f\x8b":
        with suppress(Exception):
            return gzip.compress(mutate(gzip.decompress(data), draw, others), mtime=0)
    if data[:4] == b"PK\3\4":
        with suppress(Exception):
            return _in_zip(data, draw, others)
    if data[:4] == b"PAR1":
        with suppress(Exception):
            return _in_parquet(data, draw)
    for form in (_in_json, _in_json_lines, _in_table):
        with suppress(ValueError, RecursionError, csv.Error):
            return form(data.decode(), draw).encode("utf-8", "surrogatepass")
    return in_bytes(data, draw, others)


def _in_zip(data: bytes, draw: Random, others: Sequence[bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(packed, "w") as new:
        chosen = draw.choice(old.namelist())
        for name in old.namelist():
            content = old.read(name)
            changed = mutate(content, draw, others) if name == chosen else content
            new.writestr(name, changed, draw.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)))
    return packed.getvalue()


def _in_parquet(data: bytes, draw: Random) -> bytes:
    import pyarrow
    import pyarrow.parquet

    rows = pyarrow.parquet.read_table(io.BytesIO(data)).to_pylist()
    packed = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(changed(rows, draw)), packed)
    return packed.getvalue()


def _in_json(text: str, draw: Random) -> str:
    document = json.loads(text)
    if not isinstance(document, list | dict):
        raise ValueError("no document")
    return _written(changed(document, draw), draw)


def _in_json_lines(text: str, draw: Random) -> str:
    lines = text.splitlines()
    if not lines or not isinstance(json.loads(lines[0]), dict):
        raise ValueError("no lines of objects")
    place = draw.randrange(len(lines))
    lines[place] = _written(changed(json.loads(lines[place]), draw), draw)
    return "\n".join(lines)


def _in_table(text: str, draw: Random) -> str:
    separator = max(",\t;", key=text.partition("\n")[0].count)
    rows = list(csv.reader(io.StringIO(text), delimiter=separator))
    if not rows or len(rows[0]) < 2:
        raise ValueError("no table")
    row = rows[draw.choice((0, draw.randrange(len(rows))))]
    if row:
        nasty = draw.choice(NASTY)
        other = draw.choice(draw.choice(rows) or [""])
        cell = nasty if isinstance(nasty, str) else json.dumps(nasty)
        row[draw.randrange(len(row))] = draw.choice((cell, cell, other))
    written = io.StringIO()
    csv.writer(written, delimiter=separator).writerows(rows)
    return written.getvalue()


def _written(document: Any, draw: Random) -> str:
    """JSON, now and then with a key twice in an object, or nested too deep."""
    text = json.dumps(document, ensure_ascii=draw.random() < 0.5)
    if draw.random() < 0.05 and text.startswith("{") and len(text) > 2:
        text = text[:-1] + ", " + text[1:]
    if draw.random() < 0.03:
        depth = draw.choice((60, 70, 2000))
        text = text.replace("null", "[" * depth + "]" * depth, 1)
    return text


def changed(document: Any, draw: Random) -> Any:
    """A document in which one value is another one, gone, or somewhere else."""
    places: list[tuple[Any, Any]] = []
    _walk(document, places)
    if not places:
        return draw.choice(NASTY)
    inside, key = draw.choice(places)
    _, _ = other = draw.choice(places)
    match draw.randrange(5):
        case 0 if isinstance(inside, dict):
            del inside[key]
        case 1 if isinstance(inside, dict):
            name = draw.choice([n for n in NASTY if isinstance(n, str)])
            inside[name] = inside.pop(key)
        case 2 if other[1] in (other[0] if isinstance(other[0], dict) else range(len(other[0]))):
            inside[key] = json.loads(json.dumps(other[0][other[1]]))
        case 3 if isinstance(inside, list):
            inside.append(json.loads(json.dumps(inside[key])))
        case _:
            inside[key] = draw.choice(NASTY)
    return document


def _walk(document: Any, places: list[tuple[Any, Any]]) -> None:
    pairs = document.items() if isinstance(document, dict) else enumerate(document)
    for key, value in pairs:
        places.append((document, key))
        if isinstance(value, list | dict):
            _walk(value, places)


def text(data: bytes) -> str:
    """What a model or a person may have written; halves of surrogate pairs stay in it."""
    return data.decode("utf-8", "surrogateescape")


__all__ = ["NASTY", "TandemError", "mutate", "text"]
