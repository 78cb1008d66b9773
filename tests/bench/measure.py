"""Ways to do the same thing, timed side by side: interleaved, medians, a table and the ratio."""

from __future__ import annotations

import multiprocessing
import resource
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Mapping, Sequence
from multiprocessing.queues import SimpleQueue
from statistics import median
from time import perf_counter
from typing import Any

PATIENCE = 20.0  # seconds after which a way is not timed again
Cost = tuple[float, float, float]
"""Seconds, and MB at first and at most."""


def read_options(small: str, **more: Mapping[str, Any]) -> Namespace:
    """The words of a bench: --small, and what argparse is to know of each of its own."""
    parser = ArgumentParser()
    parser.add_argument("--small", action="store_true", help=small)
    for name, how in more.items():
        parser.add_argument(f"--{name}", **how)
    return parser.parse_args()


def seconds(work: Callable[[], object]) -> float:
    begin = perf_counter()
    work()
    return perf_counter() - begin


def measure_alone(work: Callable[..., object], *arguments: object) -> Cost:
    """What a call costs in a fresh process, whose peak is its own."""
    context = multiprocessing.get_context("spawn")
    result: SimpleQueue[Cost] = context.SimpleQueue()
    process = context.Process(target=_measure, args=(result, work, arguments))
    process.start()
    process.join()
    if process.exitcode:
        raise SystemExit(f"{work.__name__} ended with {process.exitcode}")
    return result.get()


def _measure(
    result: SimpleQueue[Cost], work: Callable[..., object], arguments: Sequence[object]
) -> None:
    before = _peak()
    took = seconds(lambda: work(*arguments))
    result.put((took, before, _peak()))


def _peak() -> float:
    """MB this process has held at most."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def interleaved(ways: Mapping[str, Callable[[], object]], times: int) -> dict[str, list[float]]:
    """Seconds of each way, every round in another order, so that what else the machine does falls
    on all alike.

    A way that has used up PATIENCE sits the later rounds out. Before them each runs once; what
    that takes is kept of slow ways alone.
    """
    found: dict[str, list[float]] = {name: [] for name in ways}
    names = list(ways)
    for name in names:
        took = seconds(ways[name])
        if took > PATIENCE / 4:
            found[name].append(took)
    for turn in range(times):
        for place in range(len(names)):
            name = names[(turn + place) % len(names)]
            if not found[name] or (len(found[name]) < times and sum(found[name]) < PATIENCE):
                found[name].append(seconds(ways[name]))
    return found


def compare(
    title: str,
    ways: Mapping[str, Callable[[], object]],
    *,
    unit: str = "ms",
    per: float | Mapping[str, float] = 1e-3,
    times: int,
) -> None:
    """Time the ways and print median, best and worst, in `unit` of `per` seconds; ours is first."""
    found = interleaved(ways, times)
    each = {name: per[name] if isinstance(per, Mapping) else per for name in ways}
    values = {name: [took / each[name] for took in found[name]] for name in ways}
    rows = [
        [name, *(number(of(values[name])) for of in (median, min, max)), str(len(values[name]))]
        for name in ways
    ]
    table(title, ["way", f"{unit}, median", "best", "worst", "runs"], rows)
    typical = {name: median(taken) for name, taken in values.items()}
    ours = next(iter(ways))
    ratios(ours, typical.pop(ours), typical)


def ratios(ours: str, value: float, others: Mapping[str, float]) -> None:
    """How many times as much each other way takes."""
    for name, other in others.items():
        print(f"ratio: {name} / {ours} = {number(other / value) if value else '-'}")
    print()


def table(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """A Markdown table, ready for the documentation."""
    widths = [max(map(len, column)) for column in zip(columns, *rows, strict=True)]

    def line(cells: Sequence[str]) -> str:
        aligned = [cells[0].ljust(widths[0]), *map(str.rjust, cells[1:], widths[1:])]
        return f"| {' | '.join(aligned)} |"

    print(f"### {title}")
    print(line(columns))
    print(line(["-" * widths[0], *("-" * (width - 1) + ":" for width in widths[1:])]))
    for row in rows:
        print(line(row))
    print(flush=True)


def number(value: float) -> str:
    """Three digits, whatever the size."""
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:#.3g}"
