"""`python -m tests.record_sample_measures --write` records what takes the sentence encoder to know
about the sample study: the answers of the judge baseline:embedding, and how alike texts are.

It writes data/sample/embedding_answers.csv and similarities.jsonl, and takes about a minute.
"""

from __future__ import annotations

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
from tests.document import update, write_csv
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


def record(folder: Path) -> dict[Path, str]:
    """The embedding judge's answers, and the similarities by each metric of the study, as files."""
    with Store(folder / "store.sqlite3") as store:
        names = sample_study.load_texts(store)
        answers = [row for name in names for row in ask_encoder(store, name)]
        asked = [(metric, name) for metric in sample_study.METRICS for name in names]
        rows = (row for metric, name in asked for row in measure_texts(store, name, metric))
        lines = (json.dumps(row, separators=(",", ":")) for row in rows)
        return {ANSWERS: write_csv(answers), SIMILARITIES: "".join(f"{line}\n" for line in lines)}


if __name__ == "__main__":
    with TemporaryDirectory() as place:
        sys.exit(update(record(Path(place))))
