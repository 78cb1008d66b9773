"""Leaderboards of 1e6 to 1e8 votes in Parquet files: seconds and peak memory, beside pandas with
evalica; and intervals by the resamples beside the sandwich's.

Votes are drawn by DuckDB: items differ in whom they are kind to, so that votes about one are not
independent. More than 1e7 are copies of so many. Each way runs in a process of its own.
"""

from __future__ import annotations

import multiprocessing
import resource
import shutil
from argparse import ArgumentParser
from collections.abc import Callable
from multiprocessing.queues import SimpleQueue
from pathlib import Path
from time import perf_counter

import duckdb
import evalica
import numpy as np
import pandas as pd

from core.findings.judgements import Selection
from core.findings.leaderboard import RankSettings, rank_votes
from core.importing import count
from core.scratch import scratch
from core.statistics import Drawing, ratings
from tests.bench.measure import number, ratios, table
from tests.statistics.sandwich import strengths_errors

SYSTEMS, ITEMS = 60, 200_000
FILES = 10
DRAWN = 10**7
RESAMPLES = 100
OURS = "core.findings.leaderboard.rank_votes"

Columns = tuple[float, float, float]


def write(folder: Path, votes: int) -> None:
    """Votes of SYSTEMS by a Bradley-Terry model, a fifth of them ties, in FILES and copies of them."""
    copies, votes = max(votes // DRAWN, 1), min(votes, DRAWN)
    connection = duckdb.connect()
    for part in range(FILES):
        rows = f"range({part * votes // FILES}, {(part + 1) * votes // FILES})"
        connection.execute(
            f"""COPY (
                SELECT 'question ' || item AS question_id, 'system ' || a AS model_a,
                    'system ' || b AS model_b, 'voter ' || hash(range, 6) % 50000 AS judge,
                    CASE WHEN hash(range, 5) % 10 < 2 THEN 'tie'
                        WHEN (hash(range, 4) % 1000000) / 1e6 < 1 / (1 + exp((b - a) / 30.0
                            + (hash(item, b) % 1000 - hash(item, a) % 1000::BIGINT) / 1000.0))
                        THEN 'model_b' ELSE 'model_a' END AS winner
                FROM (SELECT range, hash(range, 1) % {ITEMS} AS item,
                    (hash(range, 2) % {SYSTEMS})::BIGINT AS a,
                    ((a + 1 + hash(range, 3) % {SYSTEMS - 1}) % {SYSTEMS})::BIGINT AS b
                    FROM {rows})
            ) TO '{folder}/votes-{part}.parquet' (FORMAT parquet)"""
        )
    connection.close()
    for path in list(folder.iterdir()):
        for copy in range(1, copies):
            shutil.copy(path, path.with_stem(f"{path.stem}-{copy}"))


def ours(folder: Path) -> None:
    settings = RankSettings(method="bradley-terry", bootstrap=RESAMPLES)
    rank_votes([folder / "*.parquet"], Selection(""), settings)


def with_evalica(folder: Path) -> None:
    """All votes in memory, as notebooks of arenas have it, with 10 resamples instead of 100."""
    votes = pd.concat(pd.read_parquet(path) for path in sorted(folder.glob("*.parquet")))
    words = {"model_a": evalica.Winner.X, "model_b": evalica.Winner.Y, "tie": evalica.Winner.Draw}
    winners = votes["winner"].map(words)
    rng = np.random.default_rng(0)
    for _ in range(RESAMPLES // 10):
        drawn = rng.integers(len(votes), size=len(votes))
        evalica.bradley_terry(
            votes["model_a"].to_numpy()[drawn].tolist(),
            votes["model_b"].to_numpy()[drawn].tolist(),
            winners.to_numpy()[drawn].tolist(),
        )


WAYS: dict[str, Callable[[Path], None]] = {
    OURS: ours,
    "pandas and evalica, 10 resamples": with_evalica,
}


def child(way: str, folder: Path, result: SimpleQueue[Columns]) -> None:
    before, begin = peak(), perf_counter()
    WAYS[way](folder)
    result.put((perf_counter() - begin, before, peak()))


def peak() -> float:
    """MB this process has held at most."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measured(way: str, folder: Path) -> Columns:
    context = multiprocessing.get_context("spawn")  # so that the peak is its own
    result: SimpleQueue[Columns] = context.SimpleQueue()
    process = context.Process(target=child, args=(way, folder, result))
    process.start()
    found = result.get()
    process.join()
    return found


def agreement(folder: Path) -> list[str]:
    """Standard errors of strengths by 400 resamples, over those of the sandwich."""
    counts = count([folder / "*.parquet"])
    votes = counts.of_items.merge(
        counts.votes.drop(columns="times"), left_on="vote", right_index=True
    )
    names = np.array(sorted({*votes["system_a"], *votes["system_b"]}))
    first, second = (np.searchsorted(names, votes[side]) for side in ("system_a", "system_b"))
    points = votes["outcome"].map({"a": 1.0, "b": 0.0, "tie": 0.5}).to_numpy(float)
    item, times = votes["item"].to_numpy(), votes["times"].to_numpy(float)
    drawing = Drawing(np.random.default_rng(0), 400, item, times=times)
    columns = (first, second, points)
    board = ratings.leaderboard("bradley-terry", *columns, n=len(names), drawing=drawing)
    assert board.uncertainty
    resampled = np.sqrt(board.uncertainty.variance()[0])
    formula = strengths_errors(board.rating, *columns, item, times)
    each = resampled / formula
    return [
        f"{counts.of_items['item'].nunique():,}",
        number(float(formula.mean())),
        number(float(each.mean())),
        f"{each.min():.2f} to {each.max():.2f}",
    ]


def main() -> None:
    parser = ArgumentParser()
    parser.add_argument("--small", action="store_true", help="1e4 votes only")
    parser.add_argument(
        "--votes", nargs="+", type=float, default=[1e6, 1e7], help="numbers of votes (1e6 1e7)"
    )
    options = parser.parse_args()
    rows, agreeing, took = [], [], dict[str, float]()
    for votes in map(int, [1e4] if options.small else options.votes):
        with scratch() as place:
            folder = Path(place)
            write(folder, votes)
            size = sum(path.stat().st_size for path in folder.iterdir()) / 1e6
            for way in WAYS if votes <= 1e6 else [OURS]:
                seconds, before, after = measured(way, folder)
                took[way] = took.get(way, seconds)
                shown = map(number, (size, seconds, votes / seconds, before, after))
                rows.append([way, f"{votes:,}", *shown])
            if votes <= 1e7:
                agreeing.append([f"{votes:,} votes", *agreement(folder)])
    table(
        f"Bradley-Terry of {SYSTEMS} systems on {ITEMS:,} items",
        ["way", "votes", "MB of files", "seconds", "votes/s", "MB at first", "MB at most"],
        rows,
    )
    if agreeing:
        table(
            "Standard errors by resamples, over those of the sandwich",
            ["of", "groups", "sandwich, points", "mean ratio", "range"],
            agreeing,
        )
    mine = took.pop(OURS)
    ratios(OURS, mine, took)


if __name__ == "__main__":
    main()
