"""Importing 135,634 votes of an arena: rows per second and peak memory, beside pandas and
sqlite-utils without any check. With `--votes N`, so many made votes, ten an item or, with `--texts`,
each with two texts of its own, beside pandas and DuckDB that only read the file.

The plain way puts the rows into one table as they are: no systems, items, comparisons or campaign,
nothing validated, and importing twice adds everything twice.
"""

from __future__ import annotations

import gzip
import random
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

import duckdb
import pandas as pd
from sqlite_utils import Database

from core.importing.importer import load
from core.records import Dataset
from core.store import Store
from tests.bench.measure import Cost, measure_alone, number, ratios, read_options, table
from tests.paths import DATASETS

ARENA = DATASETS / "arena_votes/arena_votes.csv.gz"
OURS = "core.datasets.load"


def ours(votes: Path, folder: Path) -> None:
    with Store(folder / "store.sqlite3") as store:
        load(store, [votes], Dataset("arena"))


def plain(votes: Path, folder: Path) -> None:
    Database(folder / "plain.sqlite3")["votes"].insert_all(pd.read_csv(votes).to_dict("records"))


def pandas_reads(votes: Path, folder: Path) -> None:
    pd.read_csv(votes, dtype=str, keep_default_na=False)


def duckdb_reads(votes: Path, folder: Path) -> None:
    with duckdb.connect(str(folder / "votes.duckdb")) as connection:
        connection.execute(
            f"CREATE TABLE votes AS SELECT * FROM read_csv('{votes}', all_varchar = true)"
        )


WAYS: dict[str, Callable[[Path, Path], None]] = {
    OURS: ours,
    "plain": plain,
    "pandas reads it": pandas_reads,
    "DuckDB reads it": duckdb_reads,
}


def write_votes(path: Path, rows: int, *, texts: bool) -> None:
    """Made votes: 100 systems, five of them an item of ten votes; with texts, two an item."""
    draw, words = random.Random(1), "lorem ipsum dolor sit amet " * 6
    with path.open("w", encoding="utf-8") as file:
        more = ",text_a,text_b" if texts else ""
        file.write(f"item,system_a,system_b,winner,judge,judge_kind{more}\n")
        for row in range(rows):
            if row % 10 == 0 or texts:
                of = draw.sample(range(100), 5)
            first, second = draw.sample(of, 2)
            said = f"{draw.choice(('a', 'b', 'tie'))},j{draw.randrange(43)},llm"
            own = f",{words}{row} one,{words}{row} other" if texts else ""
            file.write(f"i{row if texts else row // 10},s{first},s{second},{said}{own}\n")


def compare(title: str, votes: Path, ways: list[str], rounds: int) -> None:
    """Measure ways to bring the same file somewhere, in turn; the first is ours."""
    with votes.open(encoding="utf-8") as file:
        rows = sum(1 for _ in file) - 1
    found: dict[str, list[Cost]] = {way: [] for way in ways}
    for _ in range(rounds):
        for way in ways:
            with TemporaryDirectory() as folder:
                found[way].append(measure_alone(WAYS[way], votes, Path(folder)))
    typical = {
        way: [median(column) for column in zip(*runs, strict=True)] for way, runs in found.items()
    }
    table(
        f"Importing {rows:,} {title}",
        ["way", "seconds", "rows/s", "MB at first", "MB at most"],
        [
            [way, number(took), number(rows / took), number(before), number(after)]
            for way, (took, before, after) in typical.items()
        ],
    )
    took = {way: values[0] for way, values in typical.items()}
    ratios(OURS, took.pop(OURS), took)


def main() -> None:
    options = read_options(
        "the first 2,000 votes only",
        votes={"type": int, "help": "so many made votes, by 43 judges"},
        texts={"action": "store_true", "help": "made votes have two texts each"},
    )
    small, made, texts = vars(options).values()
    with TemporaryDirectory() as folder:
        votes = Path(folder) / "votes.csv"
        if made:
            write_votes(votes, made, texts=texts)
            compare("made votes", votes, [way for way in WAYS if way != "plain"], 1)
            return
        if not ARENA.exists():
            print(f"skipped: the votes are not at {ARENA}")
            return
        with (
            gzip.open(ARENA, "rt", encoding="utf-8") as packed,
            votes.open("w", encoding="utf-8") as file,
        ):
            file.writelines(islice(packed, 2_001 if small else None))
        compare("votes", votes, list(WAYS), 1 if small else 3)


if __name__ == "__main__":
    main()
