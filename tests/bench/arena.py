"""Leaderboards of 1e6 to 1e8 votes in Parquet files: seconds and peak memory, beside pandas with
evalica.

Votes are drawn by DuckDB: items differ in whom they are kind to, so that votes about one are not
independent. More than 1e7 are copies of so many. Each way runs in a process of its own.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import duckdb
import evalica
import numpy as np
import pandas as pd

from core.findings.judgements import Selection
from core.findings.leaderboard import RankSettings, rank_votes
from core.importing import Reading, Repeats
from core.scratch import scratch
from tests.bench.measure import measure_alone, number, ratios, read_options, table

SYSTEMS, ITEMS = 60, 200_000
FILES = 10
DRAWN = 10**7
RESAMPLES = 100
OURS = "core.findings.leaderboard.rank_votes"


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
    files = [*folder.glob("*.parquet")]
    repeats = Repeats.LAST if len(files) <= FILES else Repeats.ALL  # in copies everyone repeats
    settings = RankSettings(method="bradley-terry", bootstrap=RESAMPLES)
    rank_votes(files, Selection(""), settings, reading=Reading(repeats=repeats))


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


def main() -> None:
    numbers = {"nargs": "+", "type": float, "default": [1e6, 1e7], "help": "of votes (1e6 1e7)"}
    options = read_options("1e4 votes only", votes=numbers)
    rows, took = [], dict[str, float]()
    for votes in map(int, [1e4] if options.small else options.votes):
        with scratch() as place:
            folder = Path(place)
            write(folder, votes)
            size = sum(path.stat().st_size for path in folder.iterdir()) / 1e6
            for way in WAYS if votes <= 1e6 else [OURS]:
                seconds, before, after = measure_alone(WAYS[way], folder)
                took[way] = took.get(way, seconds)
                shown = map(number, (size, seconds, votes / seconds, before, after))
                rows.append([way, f"{votes:,}", *shown])
    table(
        f"Bradley-Terry of {SYSTEMS} systems on {ITEMS:,} items",
        ["way", "votes", "MB of files", "seconds", "votes/s", "MB at first", "MB at most"],
        rows,
    )
    mine = took.pop(OURS)
    ratios(OURS, mine, took)


if __name__ == "__main__":
    main()
