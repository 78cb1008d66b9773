"""25, 50 and 100 annotators at one vote per 5 s over the WebSocket: click to next pair, CPU a vote.

The clients speak Streamlit's own protocol to a real server on this machine. `--readers 20` has 25
and 50 annotate, without readers and with 20 who have figures of the same data set open, on a small
store and on a large one.
"""

from __future__ import annotations

import asyncio
import os
import random
import sqlite3
from collections import Counter
from collections.abc import Sequence
from contextlib import AsyncExitStack, closing
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic

import numpy as np

from core.pairing import open_default
from core.records import Attribute, Generation, Item
from core.store import Store
from tests import inviting
from tests.app_server import Server, serving
from tests.bench import large_study
from tests.bench.measure import number, read_options, table
from tests.bench.readers import reading
from tests.browserless import Visitor, visit
from tests.study import add_texts

DATASET, SYSTEMS = "bench", 4
PAUSE = 5.0  # seconds from one vote of a person to their next
READING = 0.5  # seconds a pair is on the screen at least: quicker is not counted
ANSWERS = {"A is better": "a", "Tie": "tie", "B is better": "b", "Both bad": "both_bad"}
WATCHED = 50  # annotators of a soak
AIM = 300  # ms from click to next pair, p95


@dataclass
class Annotator:
    """One person's tab: it answers what is confirmed, and counts seconds and refused presses."""

    name: str
    tab: Visitor
    pause: float = PAUSE
    pressed: list[str] = field(default_factory=list)
    waits: list[float] = field(default_factory=list)
    refused: int = 0

    async def vote(self, start: float, until: float) -> None:
        """Vote every `pause` seconds from `start` on, later where the next pair came late."""
        rng = random.Random(self.name)
        due, again = start, ""
        while due < until:
            await asyncio.sleep(max(due - monotonic(), READING))
            label = again or rng.choice(list(ANSWERS))
            begin = monotonic()
            wait = await self.tab.press(label)
            again = label if wait is None else ""  # as the page asks
            if wait is None:
                self.refused += 1
            else:
                self.pressed.append(ANSWERS[label])
                self.waits.append(wait)
            self.tab.frames.clear()
            due = max(due + self.pause, begin + READING)


@dataclass(frozen=True)
class Round:
    """What so many annotators at once met, and what it cost the server."""

    annotators: int
    pause: float
    seconds: float
    waits: Sequence[float]
    refused: int
    lost: int
    doubled: int
    processor: float
    memory: tuple[float, float]

    @property
    def votes(self) -> int:
        """How many were confirmed."""
        return len(self.waits)

    def percentile(self, share: float) -> float:
        """Return the milliseconds within which such a share of the votes was answered."""
        return 1e3 * float(np.percentile(self.waits, share))

    def row(self, way: str) -> list[str]:
        slow = (number(self.percentile(share)) for share in (50, 95, 99))
        rates = map(number, (self.annotators / self.pause, self.votes / self.seconds))
        wrong = map(str, (self.refused, self.lost, self.doubled))
        cost = map(number, (1e3 * self.processor / self.votes, *self.memory))
        return [way, str(self.annotators), *slow, *rates, *wrong, *cost]

    def tell_aim(self) -> None:
        """Print how far p95 is from the aim."""
        print(f"ratio: p95 / aim of {AIM} ms = {number(self.percentile(95) / AIM)}")


COLUMNS = [
    "way", "annotators", "ms, p50", "p95", "p99", "votes/s offered", "given", "refused", "lost",
    "doubled", "CPU ms a vote", "MB, start", "end",
]  # fmt: skip


def study(store: Store, votes: int) -> None:
    """Items enough for so many votes, texts of the usual length."""
    pairs = SYSTEMS * (SYSTEMS - 1) // 2
    items = [f"i{place}" for place in range(-(-votes // pairs))]
    systems = [f"system {place}" for place in range(SYSTEMS)]
    texts = (
        Generation(item, name, 0, f"{name[-1]} of {item}: " + "some words of a summary " * 15)
        for item in items
        for name in systems
    )
    contexts = [Item(item, "A word of context. " * 75) for item in items]
    attributes = [Attribute("coherence", "coherent")]
    add_texts(store, DATASET, texts, items=contexts, attributes=attributes)
    open_default(store, DATASET)


async def annotate(
    server: Server,
    people: int,
    seconds: float,
    label: str = "",
    pause: float = PAUSE,
    dataset: str = DATASET,
) -> Round:
    """So many people at once, each with a phase of their own, for so many seconds."""
    async with AsyncExitStack() as tabs:
        crowd = []
        for place in range(people):
            name = f"{label}{people}-{place}"
            link = inviting.code(server.store, name)
            address = server.page("annotate", dataset=dataset, invitation=link)
            tab = await tabs.enter_async_context(visit(address))
            await tab.open()
            crowd.append(Annotator(name, tab, pause))
        memory, processor, start = resident(server), processor_time(server), monotonic() + READING
        phases = [start + pause * place / people for place in range(people)]
        both = zip(crowd, phases, strict=True)
        await asyncio.gather(*(person.vote(phase, start + seconds) for person, phase in both))
        took = monotonic() - start
        used = processor_time(server) - processor
        lost, doubled = compare_with_store(server.store, crowd)
        waits = [wait for person in crowd for wait in person.waits]
        refused = sum(person.refused for person in crowd)
        sizes = memory, resident(server)
        return Round(people, pause, took, waits, refused, lost, doubled, used, sizes)


def compare_with_store(path: Path, crowd: Sequence[Annotator]) -> tuple[int, int]:
    """Votes that were confirmed and are not stored; votes that are stored and were not."""
    with closing(sqlite3.connect(path)) as db:
        rows = db.execute(
            """SELECT w.name, j.outcome, count(*) FROM judgements j JOIN judges w ON w.id = j.judge
            WHERE j.withdrawn_at IS NULL GROUP BY 1, 2"""
        ).fetchall()
    stored = Counter({(name, outcome): count for name, outcome, count in rows})
    pressed = Counter((person.name, answer) for person in crowd for answer in person.pressed)
    names = {person.name for person in crowd}
    more = Counter({vote: count for vote, count in stored.items() if vote[0] in names}) - pressed
    return (pressed - stored).total(), more.total()


def processor_time(server: Server) -> float:
    """Seconds of CPU the server has used, all its threads together."""
    ticks = 0
    for process in server.processes:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def resident(server: Server) -> float:
    """Megabytes of memory the server holds."""
    states = (Path(f"/proc/{process}/status").read_text() for process in server.processes)
    return sum(int(state.partition("VmRSS:")[2].split()[0]) for state in states) / 1024


def in_front(sizes: Sequence[int], seconds: float) -> None:
    """Annotators at one server, at every size."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "store.sqlite3"
        with Store(path) as store:
            study(store, 2 * sum(sizes) * (2 + int(seconds / PAUSE)))
        with serving(path) as server:
            asyncio.run(annotate(server, 5, PAUSE, "warm "))
            rounds = [asyncio.run(annotate(server, size, seconds)) for size in sizes]
    rows = [measured.row("as shipped") for measured in rounds]
    table("Click to next pair, annotators at one vote per 5 s", COLUMNS, rows)
    rounds[-1].tell_aim()


async def beside(server: Server, readers: int, people: int, seconds: float) -> list[str]:
    """A row of annotators beside so many readers, who open their pages when the first votes."""
    label = f"{readers} readers {monotonic():.0f} "
    async with reading(server, readers, large_study.DATASET) as crowd:
        measured = await annotate(server, people, seconds, label, dataset=large_study.DATASET)
    if not crowd:
        return [*measured.row("no readers"), "", "", ""]
    figures = [seconds if reader.figures is None else reader.figures for reader in crowd]
    return [
        *measured.row(f"{readers} readers"),
        number(max(reader.painted for reader in crowd)),
        number(max(figures)),
        str(sum(reader.redrew for reader in crowd)),
    ]


def beside_readers(
    readers: int, sizes: Sequence[int], crowds: Sequence[int], seconds: float
) -> None:
    """Annotators without readers and with them, at one server for each size of a store."""
    for size in sizes:
        with TemporaryDirectory() as folder:
            path = Path(folder) / "store.sqlite3"
            with Store(path) as store:
                large_study.study(store, size)
            rows = []
            with serving(path) as server:
                asyncio.run(beside(server, 0, 5, PAUSE))
                for people in crowds:
                    for many in (0, readers):
                        rows.append(asyncio.run(beside(server, many, people, seconds)))
            load = os.getloadavg()[0]
            title = f"Beside readers, {size:,} judgements, {number(seconds)} s, load {load:.1f}"
            table(title, [*COLUMNS, "painted, s", "figures, s", "pages"], rows)


def main() -> None:
    options = read_options(
        "5 annotators for 5 seconds",
        readers={"type": int, "help": "so many read figures meanwhile"},
        judgements={"type": int, "nargs": "+", "default": [6_000, 100_000]},
        people={"type": int, "nargs": "+", "default": [25, 50], "help": "beside readers"},
        seconds={"type": float, "default": 30.0, "help": "of annotating beside readers"},
    )
    if options.readers and options.small:
        beside_readers(2, [1_000], [5], PAUSE)
    elif options.readers:
        beside_readers(options.readers, options.judgements, options.people, options.seconds)
    elif options.small:
        in_front([5], PAUSE)
    else:
        in_front([25, 50, 100], 15.0)


if __name__ == "__main__":
    main()
