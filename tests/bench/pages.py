"""The pages that say whom to trust, at 1e6 judgements: the first view, which counts, and the next
ones, which are warm.
"""

from __future__ import annotations

import os
from argparse import ArgumentParser
from collections.abc import Callable
from itertools import permutations
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from streamlit.testing.v1 import AppTest

from core.analysis.judgements.selection import Selection
from core.analysis.trust import accuracy, agreement, bias, correlation
from core.records import Attribute, Dataset, Generation, Item, JudgeSpec, Kind, Score, System
from core.store import Store
from tests.bench.measure import number, ratios, seconds, table
from tests.paths import ROOT

DATASET, SYSTEMS, ATTRIBUTES = "bench", 5, ("coherence", "fluency")
PEOPLE, MODELS = 10, 10
FAILED = 50  # every so many answers one failed
ADD = (
    "INSERT INTO judgements (comparison, judge, outcome, prob_a, failure, created_at) VALUES "
    "(?, ?, ?, ?, ?, ?)"
)


def study(store: Store, judgements: int) -> int:
    """People and models who all judged both orders of every pair, some in vain; how many judgements
    that made.
    """
    rng = np.random.default_rng(0)
    pairs = SYSTEMS * (SYSTEMS - 1)
    items = max(2, judgements // (pairs * len(ATTRIBUTES) * (PEOPLE + MODELS)))
    systems = [f"system {place}" for place in range(SYSTEMS)]
    judges = [JudgeSpec(f"person {n}", Kind.HUMAN) for n in range(PEOPLE)]
    judges += [JudgeSpec(f"model {n}", Kind.LLM) for n in range(MODELS)]
    with store.transaction():
        store.datasets.add(Dataset(DATASET))
        store.datasets.add_attributes(DATASET, [Attribute(name, name) for name in ATTRIBUTES])
        store.datasets.add_items(DATASET, (Item(f"i{item}", "A context.") for item in range(items)))
        store.datasets.add_systems(DATASET, map(System, systems))
        texts = (
            (f"i{item}", name, "word " * rng.integers(5, 60))
            for item in range(items)
            for name in systems
        )
        store.datasets.add_generations(
            DATASET, (Generation(item, name, 0, text) for item, name, text in texts)
        )
        store.judges.add([*judges, JudgeSpec("expert", Kind.HUMAN)])
        marks = (
            (f"i{item}", name, attribute)
            for item in range(items)
            for name in systems
            for attribute in ATTRIBUTES
        )
        store.scores.add(DATASET, (Score(*of, "expert", float(rng.integers(1, 6))) for of in marks))
        ids = store.datasets.generations(DATASET, texts=False).pivot(
            index="item", columns="system", values="generation"
        )
        ordered = [
            (int(row[a]), int(row[b]))
            for row in ids.to_numpy()
            for a, b in permutations(range(SYSTEMS), 2)
        ]
        for name in ATTRIBUTES:
            store.judgements.add_comparisons(store.datasets.attribute_id(DATASET, name), ordered)
        comparisons = [row for (row,) in store.connection.rows("SELECT id FROM comparisons")]
        for judge in judges:
            p = rng.random(len(comparisons)).round(3)
            outcome = np.select([p > 0.55, p < 0.45], ["a", "b"], "tie").tolist()
            given = p.tolist() if judge.kind == Kind.LLM else [None] * len(p)
            row = store.judges.id_of(judge.name)
            store.connection.executemany(
                ADD,
                (
                    (one, row, None, None, "unparsed", f"{k:09}")
                    if k % FAILED == 0
                    else (one, row, said, sure, "", f"{k:09}")
                    for k, (one, said, sure) in enumerate(
                        zip(comparisons, outcome, given, strict=True)
                    )
                ),
            )
    return len(judges) * len(comparisons)


def reports(path: Path, count: int) -> None:
    """What each page computes on its first view, beside reading the judgements, which is part of
    each.
    """
    with Store(path) as store:
        chosen = Selection(DATASET)
        ways: dict[str, Callable[[], object]] = {
            "reading them (store.judgements)": lambda: store.judgement_frames.all(DATASET),
            "agreement": lambda: agreement.agreement(store, chosen),
            "bias": lambda: bias.bias(store, chosen),
            "correlate --table": lambda: correlation.table(
                store, chosen, against="expert", level="item"
            ),
            "accuracy --against scores": lambda: accuracy.accuracy(
                store, chosen, against="scores", rater="expert"
            ),
        }
        rows = [[name, number(seconds(way))] for name, way in ways.items()]
    table(f"What the pages compute once, {count:,} judgements", ["way", "seconds"], rows)


def views(path: Path, count: int) -> None:
    """The pages themselves, opened twice: the second view is warm."""
    os.environ["TANDEM_STORE"] = str(path)
    rows, warm = [], {}
    for name in ("agreement", "bias", "correlation"):
        took = []
        for _ in range(3):
            app = AppTest.from_file(ROOT / "app.py", default_timeout=600)
            app.query_params["dataset"] = DATASET
            app.switch_page(f"pages/{name}.py")
            took.append(seconds(app.run))
            if app.exception:
                raise RuntimeError(app.exception[0].value)
        rows.append([name, number(took[0]), number(min(took[1:]))])
        warm[name] = (min(took[1:]), took[0])
    table(f"A page's view, {count:,} judgements", ["way", "first, seconds", "later, seconds"], rows)
    for name, (later, first) in warm.items():
        ratios(f"{name}, a later view", later, {"the first": first})


def main() -> None:
    parser = ArgumentParser()
    parser.add_argument("--small", action="store_true", help="2e3 judgements")
    options = parser.parse_args()
    with TemporaryDirectory() as folder:
        path = Path(folder) / "store.sqlite3"
        with Store(path) as store:
            count = study(store, 2_000 if options.small else 1_000_000)
        reports(path, count)
        views(path, count)


if __name__ == "__main__":
    main()
