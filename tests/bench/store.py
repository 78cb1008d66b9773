"""Votes by many at once, the next pair and the counts of a leaderboard.

A person's vote waits for the disk; the plain way is a `Database(path)` of
sqlite-utils as it comes.
"""

from __future__ import annotations

import multiprocessing
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from functools import partial
from itertools import combinations, cycle, product
from multiprocessing.queues import SimpleQueue
from multiprocessing.synchronize import Barrier
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter

import numpy as np
from sqlite_utils import Database

from core import campaigns
from core.campaigns import Design, asking, open_campaign
from core.campaigns.participation import Participation
from core.pairing import Choice, open_default
from core.records import Answer, Attribute, FaultError, Generation, Item, JudgeSpec, Kind, Outcome
from core.store import Campaign, Check, Store
from tests.bench.measure import compare, number, ratios, read_options, table
from tests.study import add_texts, ask, how_far

DATASET = "bench"
SYSTEMS = 20  # 190 pairs an item
PROCESSES = (1, 4, 16)
TEXT = "A sentence of a generated text, about as long as they are. " * 12


def study(store: Store, pairs: int, people: int) -> None:
    """One attribute, as many items as hold the pairs, their campaign and the people."""
    items = -(-pairs // len(list(combinations(range(SYSTEMS), 2))))
    systems = [f"system {number:02}" for number in range(SYSTEMS)]
    contexts = [Item(f"i{item}", TEXT) for item in range(items)]
    texts = (
        Generation(item.key, name, 0, f"{name}: {TEXT}") for item in contexts for name in systems
    )
    with store.transaction():
        add_texts(
            store, DATASET, texts, items=contexts, attributes=[Attribute("overall", "better")]
        )
        store.judges.add(JudgeSpec(f"person {number}", Kind.HUMAN) for number in range(people))
        open_default(store, DATASET)
        store.connection.execute("DELETE FROM campaign_pairs WHERE id > ?", (pairs,))


# ---- votes


def click(
    store: Store, name: str, plain: Database, mine: list[tuple[int, int]]
) -> Callable[[int], None]:
    """What one press of a key costs: the next question is found, then its answer stored."""

    def cast(number: int) -> None:
        shown = ask(store, name, DATASET)
        assert shown
        campaigns.answer(store, name, shown, Answer(Outcome.A, seconds=1.5))

    return cast


def answer(
    store: Store, name: str, plain: Database, mine: list[tuple[int, int]]
) -> Callable[[int], None]:
    """The answer alone, to a question that is on the screen."""
    first = ask(store, name, DATASET)
    assert first
    person = Participation.find(store, store.campaigns.get(first.campaign), name)
    keys = [asking._load_pair(person, first.campaign_attribute, a, b)[2] for a, b in mine]
    shown = [
        replace(first, round=0, generation_a=a, generation_b=b, key=key)
        for (a, b), key in zip(mine, keys, strict=True)
    ]

    def cast(number: int) -> None:
        campaigns.answer(store, name, shown[number], Answer(Outcome.A, seconds=1.5))

    return cast


CELLS = {"judge": str, "a": int, "b": int, "outcome": str, "seconds": float, "screen": str,
         "at": str}  # fmt: skip


def insert(
    store: Store, name: str, plain: Database, mine: list[tuple[int, int]]
) -> Callable[[int], None]:
    """A row with the same cells, the plain way."""

    def cast(number: int) -> None:
        first, second = mine[number]
        cells = (name, first, second, "a", 1.5, "{}", "2026-11")
        plain["votes"].insert(dict(zip(CELLS, cells, strict=True)))

    return cast


WAYS = {"click": click, "answer": answer, "sqlite-utils": insert}


def voter(
    way: str,
    path: Path,
    name: str,
    mine: list[tuple[int, int]],
    start: Barrier,
    result: SimpleQueue[object],
) -> None:
    """One process: votes on its own pairs, and tells when each began and ended, if it did."""
    with Store(path) as store, closing(Database(path.with_suffix(".plain"))) as plain:
        cast = WAYS[way](store, name, plain, mine)
        start.wait()
        times = []
        for number in range(len(mine)):
            begin = perf_counter()
            try:
                cast(number)
            except (FaultError, sqlite3.OperationalError):  # "database is locked"
                times.append((begin, None))
            else:
                times.append((begin, perf_counter()))
    result.put(times)


def voted(
    way: str, template: Path, processes: int, votes: int
) -> tuple[float, float, float, float, int]:
    """Votes per second; p50, p99 and maximum in ms of a vote; how many are not there later."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.bench.store"])
    with TemporaryDirectory() as folder:
        path = Path(folder) / "store.sqlite3"
        shutil.copy(template, path)
        with Store(path) as store:
            pairs = store.connection.rows(
                "SELECT generation_1, generation_2 FROM campaign_pairs ORDER BY id LIMIT ?",
                (votes,),
            )
            before = store.connection.value("SELECT count(*) FROM judgements")
        with closing(Database(path.with_suffix(".plain"))) as plain:
            plain["votes"].create({"id": int, **CELLS}, pk="id")
        start, result = context.Barrier(processes), context.SimpleQueue()
        told = [(way, path, f"person {number}", pairs[number::processes], start, result)
                for number in range(processes)]  # fmt: skip
        workers = [context.Process(target=voter, args=each) for each in told]
        for worker in workers:
            worker.start()
        times = [time for _ in workers for time in result.get()]
        for worker in workers:
            worker.join()
        if way == "sqlite-utils":
            with closing(Database(path.with_suffix(".plain"))) as plain:
                there = plain["votes"].count
        else:
            with Store(path) as store:
                there = store.connection.value("SELECT count(*) FROM judgements") - before
    done = [(begin, end) for begin, end in times if end]
    took = [1e3 * (end - begin) for begin, end in done]
    rate = len(done) / (max(end for _, end in done) - min(begin for begin, _ in times))
    p50, p99, most = (float(np.quantile(took, share)) for share in (0.5, 0.99, 1))
    return rate, p50, p99, most, votes - there


def votes(folder: Path, total: int, rounds: int) -> None:
    template = folder / "votes.sqlite3"
    with Store(template) as store:
        study(store, 2 * total, max(PROCESSES))
    keys = list(product(PROCESSES, WAYS))
    runs = [[voted(way, template, many, total) for many, way in keys] for _ in range(rounds)]
    typical = {key: [median(column) for column in zip(*mine, strict=True)]
               for key, mine in zip(keys, zip(*runs, strict=True), strict=True)}  # fmt: skip
    table(
        f"{total:,} votes by several processes at once, FULL; median of {rounds}",
        ["way", "processes", "votes/s", "p50 ms", "p99 ms", "most ms", "lost"],
        [
            [way, str(processes), *map(number, values[:4]), f"{values[4]:,.0f}"]
            for (processes, way), values in sorted(typical.items())
        ],
    )
    for processes in PROCESSES:
        cost = {way: 1 / typical[processes, way][0] for way in WAYS}
        print(f"{processes} at once: ", end="")
        ratios("answer", cost["answer"], {"sqlite-utils": cost["sqlite-utils"]})


# ---- a large store

NAIVE = """SELECT q.id FROM campaign_pairs q
    JOIN campaign_attributes p ON p.id = q.campaign_attribute
    JOIN campaigns m ON m.id = p.campaign
    LEFT JOIN comparisons c ON c.attribute = p.attribute
        AND c.generation_1 = q.generation_1 AND c.generation_2 = q.generation_2
    LEFT JOIN judgements j ON j.comparison = c.id AND j.withdrawn_at IS NULL
    WHERE m.dataset = ?2
    GROUP BY q.id HAVING count(j.id) < p.overlap AND sum(j.judge IS ?1) = 0
    ORDER BY count(j.id), q.priority LIMIT 1"""

GROUPED = """SELECT w.name AS judge, w.kind, a.name AS attribute, sa.name AS system_a, sb.name AS
    system_b,
    j.order_known, coalesce(j.outcome, 'failed') AS outcome, count(*) AS count
    FROM judgements j JOIN comparisons c ON c.id = j.comparison JOIN attributes a ON a.id =
    c.attribute
    JOIN judges w ON w.id = j.judge JOIN systems sa ON sa.id = c.system_a JOIN systems sb ON sb.id =
    c.system_b
    WHERE a.dataset = ? AND j.withdrawn_at IS NULL GROUP BY 1, 2, 3, 4, 5, 6, 7"""

COLUMNS = """SELECT j.judge, c.system_a, c.system_b, j.order_known, j.outcome FROM judgements j
    JOIN comparisons c ON c.id = j.comparison JOIN attributes a ON a.id = c.attribute
    WHERE a.dataset = ? AND j.withdrawn_at IS NULL"""


def large(path: Path, pairs: int, people: int) -> None:
    """A campaign of which each pair has ten votes, of people with equally many answers."""
    with Store(path) as store:
        study(store, pairs, people)
        with store.transaction():
            store.connection.execute("UPDATE campaign_attributes SET overlap = 11")
            store.connection.execute(
                """INSERT INTO comparisons (attribute, generation_a, generation_b, item, system_a,
                    system_b)
                SELECT p.attribute, a.id, b.id, a.item, a.system, b.system FROM campaign_pairs q
                JOIN campaign_attributes p ON p.id = q.campaign_attribute
                JOIN generations a ON a.id IN (q.generation_1, q.generation_2)
                JOIN generations b ON b.id = q.generation_1 + q.generation_2 - a.id"""
            )
            store.connection.execute(
                """INSERT INTO judgements (comparison, judge, campaign, outcome, created_at)
                SELECT c.id, w.id, p.campaign,
                    CASE (q.id * 7919 + w.id * 31) % 10 WHEN 9 THEN 'both_bad' WHEN 8 THEN 'tie'
                    ELSE substr('ab', 1 + (q.id * 31 + w.id) % 2, 1) END, '2026-11-01'
                FROM campaign_pairs q
                JOIN campaign_attributes p ON p.id = q.campaign_attribute
                JOIN judges w ON w.id % ?1 = (q.id + q.id / 190) % ?1
                JOIN comparisons c ON c.generation_1 = q.generation_1 AND c.generation_2 =
                q.generation_2
                AND (c.generation_a < c.generation_b) = ((q.id / 7 + w.id) % 2)""",
                (people // 10,),
            )


OF = ("campaign_pairs", "judgements")


def questions(path: Path, people: int, times: int) -> None:
    with Store(path) as store:
        judges = cycle(range(2, people + 1))  # each is asked once and then holds that question
        campaign = store.campaigns.default(DATASET).id
        names = {number: f"person {number - 1}" for number in range(1, people + 1)}
        ask(store, names[1], DATASET)
        ways: dict[str, Callable[[], object]] = {
            "present, a new question": lambda: ask(store, names[next(judges)], DATASET),
            "next turn alone": lambda: store.assignments.lease_next(
                campaign, next(judges), together=False
            ),
            "present, the same question again": lambda: ask(store, names[1], DATASET),
            "progress": lambda: how_far(store, names[1], DATASET),
            "join and group-by": lambda: store.connection.rows(NAIVE, (next(judges), DATASET)),
        }
        counted = (store.connection.value(f"SELECT count(*) FROM {of}") for of in OF)
        compare("The next pair, {:,} pairs, {:,} votes".format(*counted), ways, times=times)


DESIGNS: dict[str, dict[str, object]] = {
    "as it is": {},
    "quota": {"quota": 50_000},
    "asked twice": {"repeat_share": 0.1},
    "checks": {"check_every": 10},
    "all of these": {"quota": 50_000, "repeat_share": 0.1, "check_every": 10},
}
SYSTEMS_OF_ACTIVE = (10, SYSTEMS)


def designs(path: Path, people: int, times: int) -> None:
    """A new question of the large campaign under each design, while everybody else holds one; then
    of campaigns of the same texts that were begun since, one where the ranking is least certain.
    """
    with Store(path) as store:
        campaign = store.campaigns.default(DATASET)
        attribute = store.datasets.attribute_id(DATASET, "overall")
        checks = [Check("attention", attribute, 1 + number, None, "1") for number in range(50)]
        store.checks.add(campaign.id, checks)
        known = store.connection.value("SELECT count(*) FROM judgements")
        ways: dict[str, Callable[[], object]] = {}
        for name, design in DESIGNS.items():
            edited = replace(campaign, design=Design(overlap=11, **design).to_stored())  # type: ignore[arg-type]
            ways[f"present: {name}"] = _asker(store, edited, people)
            ways[f"progress: {name}"] = partial(campaigns.progress, store, edited, "person 1")
        compare(f"Designs, {known:,} votes, 10,000 by each person", ways, times=times)
        ways = {}
        for systems in SYSTEMS_OF_ACTIVE:
            names = tuple(f"system {number:02}" for number in range(systems))
            for way in ("random", "active"):
                choice = Choice(dataset=DATASET, way=way, systems=names)
                begun = open_campaign(store, f"{way} {systems}", choice, Design(overlap=12))
                ways[f"{way}, {systems} systems"] = _asker(store, begun, people)
                ways[f"progress, {way}, {systems} systems"] = partial(
                    campaigns.progress, store, begun, "person 1"
                )
        compare("Campaigns of the same texts begun since", ways, times=times)


def _asker(store: Store, campaign: Campaign, people: int) -> Callable[[], object]:
    """One person after another looks for a question; each lets go of what they had."""
    judges = cycle(range(1, people + 1))

    def look() -> object:
        judge = next(judges)
        store.assignments.release(campaign.id, judge)
        return campaigns.present(store, campaign, f"person {judge - 1}")

    return look


def counts(path: Path, times: int) -> None:
    with Store(path) as store:

        def with_pandas() -> object:
            frame = store.connection.frame(COLUMNS, (DATASET,))
            return frame.groupby(list(frame.columns), dropna=False).size()

        ways: dict[str, Callable[[], object]] = {
            "tally": lambda: store.judgement_frames.outcome_counts(DATASET),
            "SQL group-by": lambda: store.connection.frame(GROUPED, (DATASET,)),
            "pandas group-by": with_pandas,
            "every judgement (store.judgements)": lambda: store.judgement_frames.load_all(DATASET),
        }
        query = "SELECT sum(count), count(DISTINCT judge), count(*) FROM outcome_counts"
        size = "{:,} votes by {} judges, {:,} counts".format(*store.connection.rows(query)[0])
        compare(f"The counts of a leaderboard, {size}", ways, times=times)


def main() -> None:
    small = read_options("1e4 pairs with 1e5 votes, and fewer of everything").small
    with TemporaryDirectory() as name:
        folder = Path(name)
        votes(folder, 160 if small else 2_000, 1 if small else 3)
        for people in (20, 100):  # the counts of a tally grow with the judges
            path = folder / f"{people}.sqlite3"
            large(path, 10_000 if small else 100_000, people)
            if people == 100:
                questions(path, people, 5 if small else 20)
                designs(path, people, 5 if small else 20)
            counts(path, 2 if small else 5)


if __name__ == "__main__":
    main()
