"""`docs/importing.md` is run: its tables are files, its commands are given, what they say is said."""

from __future__ import annotations

import csv
import io
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from tempfile import mkdtemp
from typing import NamedTuple

import pytest
from openpyxl import Workbook

from core.__main__ import main
from core.importing import LAYOUTS, load_reading
from core.store import Store
from tests.paths import ROOT

PAGE = (ROOT / "docs/importing.md").read_text(encoding="utf-8").partition("\n## Recipes\n")[0]
"""Without its recipes, which tests/importing/test_recipes.py runs."""
LAYOUTS_PAGE = (ROOT / "docs/layouts.md").read_text(encoding="utf-8")
LARGEST = 8000  # bytes
BLOCK = re.compile(r"^```(?P<kind>\w*)\n(?P<code>.*?)^```|(?P<table>(?:^\|[^\n]*\n)+)", re.M | re.S)
COMMAND = "$ python -m core "
MEANINGS = {
    "the first": "a", "the second": "b", "a tie": "tie", "both bad": "both_bad",
    "no answer": None,
}  # fmt: skip
NUMBERS = {"1 to 7": [str(number) for number in range(1, 8)]}
"""What stands in a row of the table of numbers, where it is no list."""


class Table(NamedTuple):
    """A table of the document, with its header first."""

    rows: list[list[str]]

    def save(self, path: Path) -> None:
        if path.suffix == ".xlsx":
            book = Workbook()
            for row in self.rows:
                book.worksheets[0].append(row)
            book.save(path)
            return
        text = io.StringIO(newline="")
        csv.writer(text).writerows(self.rows)
        path.write_text(text.getvalue(), encoding="utf-8")


class Example(NamedTuple):
    """A table, the command that imports it, and lines of what that says."""

    table: Table
    words: list[str]
    lines: list[str]

    @property
    def file(self) -> str:
        return self.words[1]


def parse_table(text: str) -> Table:
    header, _, *rows = [
        [cell.strip() for cell in line.strip().strip("|").split("|")] for line in text.splitlines()
    ]
    return Table([header, *rows])


def find_examples(page: str) -> Iterator[Example | Table]:
    """Each table of a page: with its command, or alone where none follows."""
    table: Table | None = None
    for block in BLOCK.finditer(page):
        if block["table"]:
            if table is not None:
                yield table
            table = parse_table(block["table"])
        elif block["code"].startswith(COMMAND):
            command, *lines = block["code"].splitlines()
            assert table is not None, command
            yield Example(table, shlex.split(command.removeprefix(COMMAND)), lines)
            table = None
    if table is not None:
        yield table


BLOCKS = list(find_examples(PAGE))
EXAMPLES = [block for block in BLOCKS if isinstance(block, Example)]
WORDS, NUMBERED = [block.rows[1:] for block in BLOCKS if isinstance(block, Table)]


def read_answers(store: Path) -> list[str | None]:
    with Store(store) as opened:
        rows = opened.connection.rows("SELECT outcome FROM judgements ORDER BY id")
        return [outcome for (outcome,) in rows]


def import_winners(folder: Path, winners: list[str], *options: str) -> list[str | None] | None:
    """Import a vote for each of the winners; stored answers, None where refused."""
    folder = Path(mkdtemp(dir=folder))
    rows = [[f"q-{place}", "gpt", "llama", word] for place, word in enumerate(winners)]
    Table([["item", "model_a", "model_b", "winner"], *rows]).save(folder / "votes.csv")
    store = folder / "store.sqlite3"
    words = ["import", str(folder / "votes.csv"), "--dataset", "d", *options]
    return read_answers(store) if main(["--store", str(store), *words]) == 0 else None


def test_the_page_is_short_and_begins_with_three_examples() -> None:
    assert len(PAGE.encode()) <= LARGEST
    assert list(map(type, find_examples(PAGE.partition("\n## ")[0]))) == [Example] * 3


def test_examples_say_what_the_page_says(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    subtests: pytest.Subtests,
) -> None:
    for example in EXAMPLES:
        with subtests.test(str(example)):
            monkeypatch.chdir(tmp_path)
            example.table.save(tmp_path / example.file)
            save_reading(tmp_path)
            for words in ([*example.words, "--dry-run"], example.words):
                assert main(["--store", "store.sqlite3", *words]) == 0
                said = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
                assert [
                    line for line in example.lines if not any(line in each for each in said)
                ] == []


def save_reading(folder: Path) -> Path:
    """The reading that the page shows, as the file its command names."""
    (code,) = [block["code"] for block in BLOCK.finditer(PAGE) if block["kind"] == "toml"]
    (folder / "study.toml").write_text(code, encoding="utf-8")
    return folder / "study.toml"


def test_the_reading_is_one(tmp_path: Path) -> None:
    reading = load_reading(save_reading(tmp_path))
    assert (reading.mapping["judge"], reading.codes.first) == ("Your name", ("links",))


def test_words_for_winners_mean_what_the_page_says(
    tmp_path: Path, subtests: pytest.Subtests
) -> None:
    for cell, meaning in WORDS:
        with subtests.test(str((cell, meaning))):
            words = re.findall("`(.+?)`", cell)
            assert import_winners(tmp_path, words) == [MEANINGS[meaning]] * len(words)


def test_numbers_are_read_by_the_options_that_the_page_gives(
    tmp_path: Path, subtests: pytest.Subtests
) -> None:
    for cell, options in NUMBERED:
        with subtests.test(str((cell, options))):
            winners = NUMBERS.get(cell) or cell.split(", ")
            assert import_winners(tmp_path, winners) is None
            answers = import_winners(tmp_path, winners, *shlex.split(options.strip("`")))
            assert answers
            sides = {"a", "b", "tie"} if "--tie" in options else {"a", "b"}
            assert set(answers) == sides


def test_every_layout_is_documented() -> None:
    named = set(re.findall(r"^- `(\w[\w-]*)`:", LAYOUTS_PAGE, re.MULTILINE))
    assert named == set(LAYOUTS)
