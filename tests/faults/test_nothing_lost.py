"""Servers, worker and disk are harmed at random moments while people annotate and a run judges:
what anybody saw saved is there, once; what stands in the way is said in words; and once it is
mended, everybody goes on.
"""

from __future__ import annotations

import asyncio
import json
import random
import re
import sqlite3
import time
from collections import Counter
from collections.abc import AsyncIterator, Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, closing
from pathlib import Path
from random import Random
from typing import Any

import pytest

from core.judging.registry import make
from core.pairing import open_default
from core.pairing.planning import Request, enqueue
from core.store import Store
from tests import inviting
from tests.disk import Disk
from tests.faults.crowd import READING, Annotator, lost
from tests.faults.harm import FAULTS, Fault
from tests.faults.machine import Machine, running
from tests.study import DATASET, fill

PATIENCE = 60.0  # seconds after which somebody who cannot go on has met a defect
SEED = 16
PER_SESSION = 10  # rounds on servers that were started once
ITEMS = 200  # each with 12 ordered pairs of systems for a run to ask


def begin(path: Path, people: int) -> list[str]:
    """A study with votes enough for everybody: the links by which they come."""
    with Store(path) as store:
        fill(store, items=ITEMS, systems=("alpha", "beta", "gamma", "delta"))
        open_default(store, DATASET)
        store.connection.execute("UPDATE campaign_attributes SET overlap = ?", (people,))
    return [inviting.code(path, f"person {place}") for place in range(people)]


@asynccontextmanager
async def annotating(
    machine: Machine, links: Sequence[str], pause: float
) -> AsyncIterator[list[Annotator]]:
    """Everybody at once, until the block ends."""
    crowd, leaving = [], asyncio.Event()
    for place, link in enumerate(links):
        pages = [
            machine.address(place + turn, f"annotate?dataset={DATASET}&invitation={link}")
            for turn in range(len(machine.ports))
        ]
        crowd.append(Annotator(f"person {place}", pages, pause))
    tasks = [asyncio.create_task(person.annotate(leaving)) for person in crowd]
    try:
        yield crowd
    finally:
        leaving.set()
        await asyncio.gather(*tasks)


async def harmed(
    machine: Machine, crowd: list[Annotator], fault: Fault, number: int, rng: Random
) -> str:
    """One round: what is told of it."""
    for person in crowd:
        person.said.clear()
    await asyncio.sleep(rng.random())
    run = enqueue_run(machine.store, number)
    await asyncio.sleep(rng.random())
    async with fault.harm(machine, rng):
        await asyncio.sleep(0.3 + rng.random())
    mended = time.monotonic()
    said = {text for person in crowd for text in person.said}
    await gone_on(machine, crowd, run)
    machine.shaken.set()
    wrong = lost(crowd, votes(machine.store)) + checked(machine.store, run)
    wrong += taken_back(machine.store, crowd)
    wrong += [f"said: {text}" for text in said if not re.search(fault.says or "nothing", text)]
    wrong += [broken for person in crowd for broken in person.broken]
    assert not wrong, (fault.name, wrong)
    confirmed = sum(len(person.confirmed) for person in crowd)
    undone = sum(person.undone for person in crowd)
    seconds = time.monotonic() - mended
    told = [f"{confirmed} votes confirmed and kept, {undone} taken back, after {seconds:.1f} s all"]
    return "; ".join([f"{told[0]} went on", *sorted(text.removesuffix(".") for text in said)])


def enqueue_run(path: Path, number: int) -> int:
    """A run that the worker finds: a judgement of every pair in both orders."""
    with Store(path) as store:
        return enqueue(store, make("baseline:random").spec, Request(DATASET, trial=number))


async def gone_on(machine: Machine, crowd: list[Annotator], run: int) -> None:
    """Wait until everybody has saved another vote, and the run is done."""
    until, confirmed = time.monotonic() + PATIENCE, [len(person.confirmed) for person in crowd]
    while True:
        waiting = [
            (person.name, person.said)
            for person, before in zip(crowd, confirmed, strict=True)
            if len(person.confirmed) <= before
        ]
        status = run_status(machine.store, run)
        if not waiting and status == "done":
            return
        assert time.monotonic() < until, (waiting, status, machine.logs()[-3000:])
        await asyncio.sleep(0.05)


def rows(path: Path, sql: str, *parameters: object) -> list[tuple]:
    with closing(sqlite3.connect(path, timeout=30)) as db:
        return db.execute(sql, parameters).fetchall()


def votes(path: Path) -> Counter[tuple[str, str, str]]:
    """(annotator, key of the screen, answer) of every vote there is."""
    given = rows(
        path,
        """SELECT w.name, j.screen, j.outcome FROM judgements j JOIN judges w ON w.id = j.judge
        WHERE w.kind = 'human'""",
    )
    return Counter((name, json.loads(screen)["key"], outcome) for name, screen, outcome in given)


def taken_back(path: Path, crowd: Sequence[Annotator]) -> list[str]:
    """Whose answers were withdrawn more or less often than they pressed Undo and were told so."""
    withdrawn = dict(
        rows(
            path,
            """SELECT w.name, count(*) FROM judgements j JOIN judges w ON w.id = j.judge
            WHERE w.kind = 'human' AND j.withdrawn_at IS NOT NULL GROUP BY 1""",
        )
    )
    return [
        f"{person.name} took back {person.undone} of {person.undo_pressed}, the store {count}"
        for person in crowd
        if not person.undone <= (count := withdrawn.get(person.name, 0)) <= person.undo_pressed
    ]


def run_status(path: Path, run: int) -> str:
    return rows(path, "SELECT status FROM runs WHERE id = ?", run)[0][0]


def checked(path: Path, run: int) -> list[str]:
    """What is wrong with a store, and with a run that is done."""
    with Store(path, create=False) as store:
        report, counts = store.connection.check(), store.run_counts.counts(run)
        failures, judged = store.run_counts.failures(run), len(store.run_counts.judgements([run]))
    wrong = [] if report["ok"] else [f"check: {report}"]
    if failures or not counts["planned"] == counts["asked"] == judged == 12 * ITEMS:
        wrong.append(f"the run has {counts}, {judged} answers and {failures}")
    return wrong


async def session(
    disk: Disk,
    folder: Path,
    faults: Sequence[Fault],
    rng: Random,
    *,
    servers: int,
    people: int,
    pause: float = READING,
) -> None:
    """Rounds of one fault each, one after the other on the same servers."""
    links = begin(disk.folder / "store.sqlite3", people)
    with running(disk, folder, servers) as machine:
        await machine.ready()
        async with annotating(machine, links, pause) as crowd:
            await gone_on(machine, crowd, enqueue_run(machine.store, 0))
            for number, fault in enumerate(faults, start=1):
                told = await harmed(machine, crowd, fault, number, rng)
                print(f"round {number}, {fault.name}: {told}", flush=True)
        assert "Traceback" not in machine.logs(), machine.logs()[-5000:]


def test_what_is_lost_doubled_or_never_given_is_noticed() -> None:
    ada = Annotator("Ada", [])
    ada.pressed["k1"], ada.pressed["k2"], ada.confirmed["k1"] = ["a"], ["tie", "b"], "a"
    first, second, again = ("Ada", "k1", "a"), ("Ada", "k2", "tie"), ("Ada", "k2", "b")
    assert lost([ada], Counter([first])) == []
    assert lost([ada], Counter([first, second])) == []  # saved, though nobody was told
    assert "is not there" in lost([ada], Counter([second]))[0]
    assert "is there 2 times" in lost([ada], Counter([first, first]))[0]
    assert "is there 2 times" in lost([ada], Counter([first, second, again]))[0]
    assert "was never pressed" in lost([ada], Counter([first, ("Ben", "k1", "a")]))[0]


def _run(rounds: Coroutine[Any, Any, None]) -> None:
    """In a thread of its own: where browsers were tested before, this one has a loop already."""
    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, rounds).result()


@pytest.mark.parametrize("disk", ["64m"], indirect=True)
def test_one_of_each(disk: Disk, tmp_path: Path) -> None:
    """In an order of their own. A server and a worker are killed where both are, on a full disk."""
    rng = random.Random(SEED)
    faults = [fault for fault in FAULTS if fault.name not in ("server killed", "worker killed")]
    rng.shuffle(faults)
    _run(session(disk, tmp_path, faults, rng, servers=1, people=2, pause=1.2))


@pytest.mark.slow
@pytest.mark.parametrize("disk", ["64m"], indirect=True)
@pytest.mark.parametrize("part", range(200 // PER_SESSION))
def test_two_hundred_rounds(disk: Disk, tmp_path: Path, part: int) -> None:
    """With `-s` each round is told as it ends. Another SEED harms at other moments."""
    rng = random.Random(f"{SEED}-{part}")
    faults = rng.choices(FAULTS, k=PER_SESSION)
    _run(session(disk, tmp_path, faults, rng, servers=2, people=5))
