"""`python -m tests.record_sample_measures --write` records what takes the sentence encoder to know
about the sample study: the answers of the judge baseline:embedding, and how alike texts are.

It writes data/sample/embedding_answers.csv and similarities.jsonl, and takes about a minute.
"""

from __future__ import annotations

import csv
import json
import sys
from itertools import combinations
from pathlib import Path
from tempfile import TemporaryDirectory

from core import sample_study
from core.judging import make
from core.pairing import planning
from core.runs import execution, measure
from core.similarity import MeasurementRequest, make_metric
from core.store import ChosenGenerations, Store
from tests.paths import ROOT
from tests.record_small_model import COLUMNS

FOLDER = ROOT / "data" / "sample"
ANSWERS, SIMILARITIES = FOLDER / "embedding_answers.csv", FOLDER / "similarities.jsonl"
DIGITS = 4  # of a similarity


def ask_encoder(store: Store, dataset: str) -> list[dict[str, str]]:
    """Let the embedding judge answer half of the pairs, as the other baselines do."""
    judge = make(sample_study.RECORDED)
    run = planning.enqueue(store, judge.spec, sample_study.half_of_the_pairs(dataset))
    execution.execute(store, run, by=judge)
    frame = store.judgement_frames.load_all(dataset)
    frame = frame[frame["judge"] == judge.spec.name].assign(dataset=dataset)
    frame["prob_a"] = frame["prob_a"].map("{:.6f}".format)
    return frame.sort_values(list(COLUMNS[:-1]))[list(COLUMNS)].to_dict("records")


def measure_texts(store: Store, dataset: str, metric: str) -> list[dict[str, object]]:
    """A row for each item with the likeness of every two of its texts, in order."""
    wanted = MeasurementRequest(ChosenGenerations(dataset), metric)
    execution.execute(store, measure.enqueue(store, wanted))
    frame = store.similarities.load_all(make_metric(metric).signatures[metric], wanted.chosen)
    side_1 = list(zip(frame["system_1"], frame["sample_1"], strict=True))
    side_2 = list(zip(frame["system_2"], frame["sample_2"], strict=True))
    frame = frame.assign(one=side_1, other=side_2)
    rows: list[dict[str, object]] = []
    for item, mine in frame.groupby("item", sort=False):
        value = {
            frozenset((one, other)): value
            for one, other, value in zip(mine["one"], mine["other"], mine["value"], strict=True)
        }
        texts = sorted({*mine["one"], *mine["other"]})
        values = [round(value[frozenset(pair)], DIGITS) for pair in combinations(texts, 2)]
        rows.append({"dataset": dataset, "item": item, "metric": metric, "values": values})
    return rows


def record(folder: Path) -> tuple[list[dict[str, str]], list[dict[str, object]]]:
    """The embedding judge's answers, and the similarities by each metric of the study."""
    with Store(folder / "store.sqlite3") as store:
        names = sample_study.load_texts(store)
        answers = [row for name in names for row in ask_encoder(store, name)]
        return answers, [
            row
            for metric in sample_study.METRICS
            for name in names
            for row in measure_texts(store, name, metric)
        ]


def main() -> None:
    if "--write" not in sys.argv:
        raise SystemExit(__doc__)
    with TemporaryDirectory() as folder:
        answers, similarities = record(Path(folder))
    with ANSWERS.open("w", encoding="utf-8", newline="") as lines:
        writer = csv.DictWriter(lines, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(answers)
    text = "".join(json.dumps(row, separators=(",", ":")) + "\n" for row in similarities)
    SIMILARITIES.write_text(text, encoding="utf-8")
    print(f"{len(answers):,} answers and similarities of {len(similarities):,} items are recorded")


if __name__ == "__main__":
    main()
