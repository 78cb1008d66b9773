"""`python -m tests.record_small_model --write` asks the small model about the sample study and
records its answers in data/sample/smollm2_answers.csv.

What it does by the command line, for each data set of the study:

    python -m core judge --judge local:smollm2 --dtype fp32 --dataset NAME --pairs full
    python -m core export --what judgements --judges llm --dataset NAME --to answers.csv
"""

from __future__ import annotations

import csv
import json
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from core import sample_study
from core.__main__ import main as command
from core.models.local import small_model
from core.store import Store
from tests.document import update, write_csv
from tests.paths import ROOT

RECORDED = ROOT / "data" / "sample" / "smollm2_answers.csv"
STUDY = ROOT / "data" / "sample" / "study.json"
COLUMNS = ("dataset", "item", "attribute", "system_a", "system_b", "prob_a")
"""What a comparison is, and the probability that the first text is better."""

Row = dict[str, str]


def ask(folder: Path, *, limit: int | None = None) -> list[Row]:
    """Ask the small model about the sample study in a new store, in fp32; return its answers.

    With a `limit`, only the first so many comparisons of each data set.
    """
    store = ["--store", str(folder / "store.sqlite3")]
    rows: list[Row] = []
    with Store(folder / "store.sqlite3") as fresh:
        sample_study.load_texts(fresh)
    for name in json.loads(STUDY.read_text(encoding="utf-8")):
        few = [] if limit is None else ["--limit", str(limit)]
        judge = ["--judge", small_model.SPEC, "--dtype", "fp32", "--pairs", "full"]
        _run(*store, "judge", *judge, "--dataset", name, *few)
        exported = folder / f"{name}.csv"
        wanted = ["--what", "judgements", "--judges", "llm", "--to", str(exported)]
        _run(*store, "export", *wanted, "--dataset", name)
        with exported.open(encoding="utf-8", newline="") as lines:
            rows += [{**line, "dataset": name} for line in csv.DictReader(lines)]
    short = [{column: row[column] for column in COLUMNS} for row in rows]
    for row in short:
        row["prob_a"] = f"{float(row['prob_a']):.6f}"
    return sorted(short, key=lambda row: [row[column] for column in COLUMNS])


def read_recorded() -> list[Row]:
    with RECORDED.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def _run(*words: str) -> None:
    if status := command(list(words)):
        raise SystemExit(status)


if __name__ == "__main__":
    with TemporaryDirectory() as place:
        sys.exit(update({RECORDED: write_csv(ask(Path(place)))}))
