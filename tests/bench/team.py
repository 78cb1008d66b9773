"""1, 2 and 4 app processes on one store behind Caddy: clicks a second, and what each waits.

Annotators press as soon as they have had a pair for half a second, so that the servers have all
they can do. The clients and the proxy take their share of the same machine.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from core.store import Store
from tests.bench.annotate import COLUMNS, READING, Round, annotate, study
from tests.bench.measure import ratios, read_options, table
from tests.proxy import CADDY, WITHOUT, team

WARM = 3.0  # seconds that each process is used before it is measured


def clicks(sizes: Sequence[int], people: int, seconds: float, rounds: int) -> None:
    """All sizes in turn, so that what else the machine does falls on all alike."""
    measured: dict[int, list[Round]] = {size: [] for size in sizes}
    with TemporaryDirectory() as folder, ExitStack() as servers:
        running = {}
        for size in sizes:
            path = Path(folder) / str(size) / "store.sqlite3"
            with Store(path) as store:
                study(store, int(2 * people * (WARM + rounds * seconds) / READING))
            running[size] = servers.enter_context(team(path, size))
            asyncio.run(annotate(running[size], 4 * size, WARM, "warm ", READING))
        for turn in range(rounds):
            for size, server in running.items():
                label = f"{turn} "
                measured[size].append(
                    asyncio.run(annotate(server, people, seconds, label, READING))
                )
    rows = [run.row(_named(size)) for size, runs in measured.items() for run in runs]
    table(f"{people} annotators who press as soon as they can", COLUMNS, rows)
    given = {
        size: median(run.votes / run.seconds for run in runs) for size, runs in measured.items()
    }
    for size, votes in given.items():
        print(f"{_named(size)}: {votes:.1f} clicks a second")
    ours, *others = sizes
    ratios(_named(ours), 1 / given[ours], {_named(size): 1 / given[size] for size in others})


def _named(size: int) -> str:
    return "1 process" if size == 1 else f"{size} processes"


def main() -> None:
    small = read_options("5 annotators for 5 seconds").small
    if not CADDY:
        print(f"skipped: {WITHOUT}")
    elif small:
        clicks([1, 2], people=5, seconds=5.0, rounds=1)
    else:
        clicks([1, 2, 4], people=80, seconds=15.0, rounds=2)


if __name__ == "__main__":
    main()
