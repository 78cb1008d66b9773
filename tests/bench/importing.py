"""Importing 135,634 votes of an arena: rows per second and peak memory, beside pandas and
sqlite-utils without any check. With `--votes N`, so many made votes, ten an item, ours alone.

The plain way puts the rows into one table as they are: no systems, items, comparisons or campaign,
nothing validated, and importing twice adds everything twice.
"""

from __future__ import annotations

import gzip
import multiprocessing
import random
import resource
from argparse import ArgumentParser
from collections.abc import Callable
from itertools import islice
from multiprocessing.queues import SimpleQueue
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter

import pandas as pd
from sqlite_utils import Database

from core.importing.importer import load
from core.records import Dataset
from core.store import Store
from tests.bench.measure import number, ratios, table
from tests.paths import DATASETS

ARENA = DATASETS / "arena_votes/arena_votes.csv.gz"
AGAIN = "the same file again"  # which adds nothing


def ours(votes: Path, folder: Path) -> None:
    with Store(folder / "store.sqlite3") as store:
        load(store, [votes], Dataset("arena"))


def plain(votes: Path, folder: Path) -> None:
    Database(folder / "plain.sqlite3")["votes"].insert_all(pd.read_csv(votes).to_dict("records"))


WAYS: dict[str, Callable[[Path, Path], None]] = {
    "core.datasets.load": ours,
    AGAIN: ours,
    "plain": plain,
}


def child(way: str, votes: Path, result: SimpleQueue[tuple[float, float, float]]) -> None:
    with TemporaryDirectory() as folder:
        if way == AGAIN:
            ours(votes, Path(folder))
        before, begin = peak(), perf_counter()
        WAYS[way](votes, Path(folder))
        result.put((perf_counter() - begin, before, peak()))


def peak() -> float:
    """MB this process has held at most."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measure_made(rows: int) -> None:
    """Import made votes once: 100 systems, five of them an item."""
    draw = random.Random(1)
    with TemporaryDirectory() as folder:
        votes = Path(folder) / "votes.csv"
        with votes.open("w", encoding="utf-8") as file:
            file.write("item,system_a,system_b,winner,judge,judge_kind\n")
            for row in range(rows):
                if row % 10 == 0:
                    of = draw.sample(range(100), 5)
                first, second = draw.sample(of, 2)
                said = f"{draw.choice(('a', 'b', 'tie'))},j{draw.randrange(43)}"
                file.write(f"i{row // 10},s{first},s{second},{said},llm\n")
        took, before, after = measured("core.datasets.load", votes)
    table(
        f"Importing {rows:,} made votes",
        ["seconds", "rows/s", "MB at first", "MB at most"],
        [[number(took), number(rows / took), number(before), number(after)]],
    )


def measured(way: str, votes: Path) -> tuple[float, float, float]:
    """Seconds, and MB at first and at most, of a fresh process: its peak is its own."""
    context = multiprocessing.get_context("spawn")
    result = context.SimpleQueue()
    process = context.Process(target=child, args=(way, votes, result))
    process.start()
    process.join()
    return result.get()


def main() -> None:
    parser = ArgumentParser()
    parser.add_argument("--small", action="store_true", help="the first 2,000 votes only")
    parser.add_argument("--votes", type=int, help="so many made votes, by 43 judges")
    small, made = vars(parser.parse_args()).values()
    if made:
        measure_made(made)
        return
    if not ARENA.exists():
        print(f"skipped: the votes are not at {ARENA}")
        return
    with TemporaryDirectory() as folder:
        votes = Path(folder) / "votes.csv"
        with (
            gzip.open(ARENA, "rt", encoding="utf-8") as packed,
            votes.open("w", encoding="utf-8") as file,
        ):
            file.writelines(islice(packed, 2_001 if small else None))
        rows = sum(1 for _ in votes.open(encoding="utf-8")) - 1
        found: dict[str, list[tuple[float, float, float]]] = {way: [] for way in WAYS}
        for _ in range(1 if small else 3):
            for way in WAYS:
                found[way].append(measured(way, votes))
    typical = {
        way: [median(column) for column in zip(*runs, strict=True)] for way, runs in found.items()
    }
    table(
        f"Importing {rows:,} votes",
        ["way", "seconds", "rows/s", "MB at first", "MB at most"],
        [
            [way, number(took), number(rows / took), number(before), number(after)]
            for way, (took, before, after) in typical.items()
        ],
    )
    took = {way: values[0] for way, values in typical.items()}
    mine = next(iter(took))
    ratios(mine, took.pop(mine), took)


if __name__ == "__main__":
    main()
