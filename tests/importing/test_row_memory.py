"""Rows of votes that say what others said are read from memory, to the same records."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.importing.layout import Source
from core.importing.layouts.votes import Votes
from core.importing.row_memory import RowMemory
from core.importing.tally import Tally
from core.records import System, TandemError

# What cells hold: names, words for sides, blanks, what JSON may hold, and what is refused.
CELLS: dict[str, list[Any]] = {
    "item": ["i1", "i2", "", None, 7, [1]],
    "system_a": ["x", "y", "x", 1, True, ""],
    "system_b": ["z", "y", "z", 1.0],
    "winner": ["a", "b", "tie", "x", "z", "", None, "gibberish", "both bad", "[[A]]"],
    "judge": ["ann", "", None, ["bob"]],
    "judge_kind": ["", "llm", "human", "robot"],
    "attribute": ["", "clarity", None],
    "shown_first": ["", "x", "z", "nobody"],
    "created_at": ["", "2026-01-01", 1700000000, 1e300],
    "winner:cat": ["a", "b", "", "tie"],
    "winner:dog": ["b", "z", "nonsense", None],
}
ALWAYS = ("system_a", "system_b")


def table(draw: random.Random) -> list[dict[str, Any]]:
    """A few rows, in which much is said again; some lack a cell, as JSON lines may."""
    columns = [name for name in CELLS if name in ALWAYS or draw.random() < 0.5]
    if not any(name.startswith("winner") for name in columns):
        columns.append("winner")
    rows = [{name: draw.choice(CELLS[name]) for name in columns} for _ in range(60)]
    for row in rows:
        if draw.random() < 0.05:
            del row[draw.choice(columns)]
    return rows


def read(rows: list[dict[str, Any]], *, memory: bool, size: int) -> tuple[list[Any], Tally]:
    """What a reader makes of each row, its refusals included, and what it counted."""
    columns = tuple(dict.fromkeys(name for row in rows for name in row))
    tally, made = Tally(), list[Any]()
    reader = Votes(replace(Source(Path("votes.jsonl"), columns), tally=tally))
    assert reader.memory is not None
    reader.memory = RowMemory(reader.memory.columns, size) if memory else None
    for number, cells in enumerate(rows, start=1):
        try:
            made.append(list(reader.records(number, cells)))
        except (ValueError, TandemError) as error:
            made.append((type(error), str(error)))
    return made, tally


@pytest.mark.parametrize("seed", range(40))
def test_rows_from_memory_are_those_that_are_read(seed: int) -> None:
    rows = table(random.Random(seed))
    assert read(rows, memory=True, size=20) == read(rows, memory=False, size=20)


def test_one_and_true_are_not_the_same_system() -> None:
    rows = [
        {"system_a": system, "system_b": "z", "winner": "a", "item": "i"} for system in (1, True)
    ]
    made, _ = read(rows, memory=True, size=20)
    names = [
        next(record.name for record in records if isinstance(record, System)) for records in made
    ]
    assert names == ["1", "True"]


def test_texts_and_probabilities_are_read_row_by_row() -> None:
    for more in (("text_a", "text_b"), ("prob_a",), ("comment",), ("sample_a",)):
        columns = ("system_a", "system_b", "winner", *more)
        assert Votes(Source(Path("votes.csv"), columns)).memory is None
