"""Files in every layout and reading: each is imported whole, or the store stays as it was."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from random import Random
from typing import Any

from core.importing import (
    LAYOUTS,
    SETTINGS,
    TOOLS,
    USUAL,
    Reading,
    importer,
    parse_reading,
    preview,
    propose_reading,
    render_reading,
    with_settings,
)
from core.records import Dataset, TandemError
from core.store import Store
from tests.fuzz.mutation import NASTY, in_bytes, mutate
from tests.fuzz.promises import BrokenPromiseError, check_message, one_message

READ_ONLY, AGAIN, ASKED = 0.75, 0.3, 0.3
"""Shares: of files that are read and not written, of written ones that are imported again, of those
read as somebody says.
"""
FIELDS = (
    "item", "context", "system", "text", "system_a", "system_b", "systems", "winner", "winner:ann",
    "judge", "attribute", "attribute:safety", "prob_a", "text_a", "rank", "wins_a", "created_at",
    "swapped", "score:coherence", "system:x", "no such field",
)  # fmt: skip
COLUMNS = ("item", "winner", "system", "text", "a.b.0", "messages[-1].content", "[", "")
WORDS = ("0", "1", "2", "1..3", "a", "b", "tie", "overall", "x", "Europe/Berlin", "gbk", "Sheet1")
TABLES = ("datasets", "items", "generations", "scores", "comparisons", "judgements", "runs")
SAVED = [
    render_reading(reading).encode()
    for reading in (
        USUAL,
        with_settings(USUAL, {"map": {"item": "question.id", "winner": "label"}, "tie": ("0",)}),
        with_settings(USUAL, {"kinds": {"bleu": "baseline"}, "dates": "day-first", "sheet": "a b"}),
    )
]


class _UndoneError(Exception):
    """Takes back what an import wrote."""


class ImportedFiles:
    """Seeds of every layout by its name, and more of them by other names."""

    def __init__(self, folder: Path, corpus: Path, more: Mapping[str, Any]) -> None:
        self.folder = folder
        self.store = Store(folder / "import.sqlite3")
        self.seeds = {
            layout: [
                (file.name.partition("-")[2] or file.name, file.read_bytes())
                for file in sorted((corpus / layout).glob("*"))
            ]
            for layout in (*LAYOUTS, *TOOLS)  # those that recipes are for are refused
        }
        self.seeds |= more
        self.others = [data for files in self.seeds.values() for _, data in files]

    def __call__(self, layout: str, draw: Random) -> None:
        name, data = draw.choice(self.seeds[layout])
        path = self.folder / name
        path.write_bytes(mutate(data, draw, self.others))
        try:
            with self.store.transaction():
                before = self._counts()
                try:
                    self._take(path, layout, draw)
                except TandemError as error:
                    check_message(str(error))
                    if self._counts() != before:
                        raise BrokenPromiseError("a refused file left something behind") from error
                raise _UndoneError
        except _UndoneError:
            path.unlink()

    def _take(self, path: Path, layout: str, draw: Random) -> None:
        """Read a file, or write what it says."""
        reading = self._reading(layout, draw)
        if draw.random() < READ_ONLY:
            look = draw.choice((importer.examples, preview, lambda _, file, *__: _proposed(file)))
            look(self.store, path, Dataset("fuzz"), reading)
            return
        report = importer.load(self.store, [path], Dataset("fuzz"), reading)
        told = [str(row["reason"]) for row in report.skipped]
        told += [file["reason"] for file in report.left_out] + report.warnings
        for message in told:
            check_message(message)
        json.dumps(report.document(), allow_nan=False)
        if draw.random() < AGAIN:
            self._take_again(path, reading)

    def _take_again(self, path: Path, reading: Reading) -> None:
        """Raises BrokenPromiseError where the same file adds anything twice."""
        before = self._counts()
        importer.load(self.store, [path], Dataset("fuzz"), reading)
        if self._counts() != before:
            raise BrokenPromiseError(f"{before} became {self._counts()} by the same file")

    def _reading(self, layout: str, draw: Random) -> Reading:
        is_known = layout in LAYOUTS
        reading = Reading(layout=layout) if is_known and draw.random() < 0.5 else USUAL
        if is_known and "system_name" in LAYOUTS[layout].settings and draw.random() < 0.5:
            reading = with_settings(reading, {"system_name": "s"})
        return with_settings(reading, drawn_settings(draw)) if draw.random() < ASKED else reading

    def _counts(self) -> list[int]:
        value = self.store.connection.value
        return [int(value(f"SELECT count(*) FROM {table}")) for table in TABLES]


def _proposed(path: Path) -> None:
    """What a file would be read as, which is the same once it is saved."""
    _check_saved(propose_reading(path))


def drawn_settings(draw: Random) -> dict[str, Any]:
    """One or two settings by name, with values that may fit or not."""
    values: dict[str, Any] = {}
    for name in draw.sample([name for name in SETTINGS if name != "format"], draw.choice((1, 2))):
        of, word = SETTINGS[name], draw.choice(WORDS)
        choices = list(of.words)
        if isinstance(of.usual, Mapping):
            pair = draw.choice(FIELDS), draw.choice(choices or COLUMNS)
            values[name] = dict([pair])
        elif isinstance(of.usual, tuple):
            values[name] = tuple(draw.sample(WORDS, draw.choice((1, 2))))
        else:
            values[name] = draw.choice(choices) if choices else word
    return values


def read_saved(draw: Random) -> None:
    """A saved reading is read, and says the same once it is saved again; or it is refused."""
    content = draw.choice(SAVED)
    for _ in range(draw.choice((1, 2))):
        nasty = draw.choice(NASTY)
        content = in_bytes(content, draw, [*SAVED, json.dumps(nasty).encode()])
    with one_message():
        _check_saved(parse_reading(content, "reading.toml"))


def _check_saved(reading: Reading) -> None:
    again = parse_reading(render_reading(reading).encode("utf-8", "surrogatepass"), "again.toml")
    if again != reading:
        raise BrokenPromiseError(f"{reading} is {again} once it was saved")
