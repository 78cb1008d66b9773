"""50 annotators at one vote per 5 s beside two runs for 10 minutes: every error, and what each waits.

One run asks a judge behind a server all pairs in both orders, the other measures for separability
how alike texts are, with a sentence encoder on this machine. Nobody may notice.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from time import sleep

from core.records import Generation
from core.runs import measure
from core.similarity import MeasurementRequest
from core.store import ChosenGenerations, Store
from tests.app_server import serving
from tests.bench.annotate import COLUMNS, DATASET, PAUSE, WATCHED, Round, annotate, study
from tests.bench.measure import number, read_options, table
from tests.paths import ROOT
from tests.server import Server
from tests.study import add_texts

APART = "apart"
PACE = 40  # items a second that the run for separability may not outrun
DELAY = 0.4  # seconds the judge takes for a comparison, of which there are 8 at once
BROKEN = ("Traceback", "a page broke", "Error:", " ERROR ")


def texts_to_measure(store: Store, items: int) -> None:
    """Two systems that wrote each text five times, no two alike."""
    texts = (
        Generation(f"i{item}", name, take, f"{name} wrote {take} of {item} " + "in words " * 12)
        for item in range(items)
        for name in "ab"
        for take in range(5)
    )
    add_texts(store, APART, texts)
    wanted = MeasurementRequest(ChosenGenerations(APART), "bertscore-length")
    measure.enqueue(store, wanted)  # the pages start a worker


@contextmanager
def judging(path: Path, url: str) -> Iterator[Path]:
    """A judge at work until the block ends: where it says what it meets."""
    said = path.with_suffix(".judge.log")
    command = [sys.executable, "-m", "core", "--store", str(path), "judge"]
    command += ["--dataset", DATASET, "--judge", "openai:fake", "--base-url", url]
    with said.open("w") as log:
        process = subprocess.Popen([*command, "--pairs", "full"], cwd=ROOT, stdout=log, stderr=log)
        try:
            yield said
        finally:
            process.terminate()
            process.wait()


def done(path: Path) -> tuple[int, int]:
    """How many comparisons a model has answered, and how many pairs of texts are measured."""
    with Store(path) as store:
        answers = store.connection.value(
            """SELECT count(j.outcome) FROM judgements j JOIN judges w ON w.id = j.judge
            WHERE w.kind = 'llm'"""
        )
        return answers, store.connection.value("SELECT count(*) FROM similarities")


def errors(folder: Path) -> list[str]:
    """Every line that anybody's log says of something broken."""
    lines = (line for log in folder.rglob("*.log") for line in log.read_text().splitlines())
    return [line for line in lines if any(word in line for word in BROKEN)]


def soak(people: int, seconds: float) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "store.sqlite3"
        with Store(path) as store:
            study(store, int(1.3 * people * (seconds / PAUSE + 5)))
            texts_to_measure(store, int(PACE * (60 + seconds)))
        with (
            Server(delay=DELAY, labels=("Text A", "Text B")) as model,
            serving(path) as server,
            judging(path, model.url),
        ):
            asyncio.run(annotate(server, 5, PAUSE, "warm "))
            while not all(done(path)):  # each loads what it needs
                sleep(1)
            before = done(path)
            measured = asyncio.run(annotate(server, people, seconds))
            after = done(path)
            with Store(path) as store:
                report = store.connection.check()
                runs = store.run_counts.list_unfinished()
        rates = [(now - then) / measured.seconds for then, now in zip(before, after, strict=True)]
        _tell(measured, rates, len(runs), errors(Path(folder)), bool(report["ok"]))


def _tell(measured: Round, rates: list[float], runs: int, broken: list[str], whole: bool) -> None:
    minutes = number(measured.seconds / 60)
    table(f"{minutes} minutes beside two runs", COLUMNS, [measured.row("beside two runs")])
    print(f"the judge: {number(rates[0])} comparisons/s; measured: {number(rates[1])} pairs/s")
    print(f"runs that were at work to the end: {runs} of 2")
    print(f"errors in all logs: {len(broken)}", *broken[:10], sep="\n  ")
    print(f"the store is {'whole' if whole else 'damaged'}")
    measured.tell_aim()


def main() -> None:
    minutes = {"type": float, "default": 10.0, "help": "how long (default 10)"}
    options = read_options("5 annotators for 10 seconds", minutes=minutes)
    soak(*((5, 10.0) if options.small else (WATCHED, 60 * options.minutes)))


if __name__ == "__main__":
    main()
