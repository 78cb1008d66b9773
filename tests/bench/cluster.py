"""A judge in one process and spread over one and two workers of a Ray cluster on this machine.

A T5 of flan-t5-small's shape with random weights compares summaries; workers get an equal share of
the cores. What spreading itself costs a comparison is seen with a judge that costs nothing. How
many answers the one process that writes can take is measured with a real store.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

from core.judging import Judge, make
from core.models import Options
from core.pairing.planning import Request, check_request, enqueue
from core.records import Question
from core.runs import execution
from core.scratch import scratch
from core.store import Store
from tests.bench.judge import SUMMEVAL, model_of, questions, tokenizer_of
from tests.bench.measure import number, ratios, read_options, seconds, table
from tests.study import DATASET, fill

SHAPE = "flan-t5-small"


@contextmanager
def one_cluster() -> Iterator[None]:
    """A cluster that all the ways use, so that none pays for its start."""
    import ray

    ray.init("local", include_dashboard=False, log_to_driver=False)
    yield
    ray.shutdown()


def model(folder: Path, corpus: list[str]) -> str:
    made = folder / SHAPE
    model_of(SHAPE).save_pretrained(made)
    tokenizer_of(SHAPE, corpus).save_pretrained(made)
    return f"hf:{made}"


def ways(spec: str) -> dict[str, Judge]:
    """One process, and so many workers."""
    dtype = "fp32" if spec.startswith("hf:") else ""
    options = {
        "one process": Options(dtype=dtype),
        "1 worker": Options(dtype=dtype, on="ray", workers=1),
        "2 workers": Options(dtype=dtype, on="ray", workers=2),
    }
    return {name: make(spec, each) for name, each in options.items()}


def taken(judge: Judge, asked: list[Question], rounds: int) -> float:
    """Seconds for all questions, the best of some rounds, once loaded and warm."""
    judge.load()
    drain(judge, asked[: len(asked) // 4])
    took = min(seconds(lambda: drain(judge, asked)) for _ in range(rounds))
    judge.close()
    return took


def drain(judge: Judge, asked: list[Question]) -> None:
    answered = sum(len(batch) for batch in judge.stream(iter(asked)))
    assert answered == len(asked)


def compare(title: str, spec: str, asked: list[Question], rounds: int) -> None:
    took = {name: taken(judge, asked, rounds) for name, judge in ways(spec).items()}
    alone = took["one process"]
    rows = []
    for name, spent in took.items():
        workers = int(name[0]) if name[0].isdigit() else 1
        more = 1e6 * (spent * workers - alone) / len(asked)
        rows.append(
            [name, number(len(asked) / spent), number(more), f"{alone / spent / workers:.0%}"]
        )
    table(title, ["way", "comparisons/s", "µs more each, of a worker", "efficiency"], rows)
    ratios("2 workers", took["2 workers"], {"one process": alone})


def driver(items: int) -> None:
    """Answers a second that one process deals out and writes, from a judge that costs nothing."""
    rates: dict[str, float] = {}
    with scratch() as folder:
        for name, by in ways("baseline:random").items():
            with Store(Path(folder) / f"{name}.sqlite3") as store:
                fill(store, items=items, systems=[f"s{n}" for n in range(12)])
                run = enqueue(store, by.spec, check_request(store, Request(DATASET)))
                rates[name] = execution.execute(store, run, by=by).per_second
    table(
        f"What one writing process carries, {items * 132:,} comparisons of a judge that costs nothing",
        ["way", "answers/s"],
        [[name, number(rate)] for name, rate in rates.items()],
    )


def main() -> None:
    asked = read_options("few comparisons, one round")
    if not find_spec("ray"):
        print("skipped: ray is not installed (requirements-ray.txt)")
        return
    if not SUMMEVAL.exists():
        print(f"skipped: the articles are not at {SUMMEVAL}")
        return
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    logging.disable(logging.WARNING)
    candidates, copies, rounds, items = (3, 1, 1, 10) if asked.small else (8, 400, 3, 300)
    pairs, corpus = questions(candidates)
    with scratch() as folder, one_cluster():
        spec = model(Path(folder), corpus)
        compare(f"{SHAPE}: {len(pairs)} ordered pairs of an article", spec, pairs, rounds)
        free = [replace(pair, comparison=copy) for copy in range(copies) for pair in pairs]
        title = f"A judge that costs nothing: {len(free):,} ordered pairs of {len(pairs)}"
        compare(title, "baseline:random", free, rounds)
        driver(items)


if __name__ == "__main__":
    main()
