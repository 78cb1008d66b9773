"""Three studies that every door is tried on: the sample, LLMBar with two judges, TopicalChat."""

from __future__ import annotations

import csv
import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from core import sample_study
from core.__main__ import main
from core.similarity import make_metric
from core.store import Store
from tests.paths import DATASETS

DIALOGUES = 20  # of TopicalChat


def _fill_sample(path: Path) -> str:
    """The sample study, with the other metrics that come out of measuring the usual one; and the
    texts of two of its systems as files.
    """
    with Store(path) as store:
        dataset, *_ = sample_study.load(store)
        usual = make_metric("bertscore-length").signatures
        rows = store.connection.rows(
            "SELECT generation_1, generation_2, value FROM similarities WHERE metric = ?",
            (usual["bertscore-length"],),
        )
        for name in ("bertscore", "cosine"):
            store.similarities.add((usual[name], one, two, value**0.5) for one, two, value in rows)
        texts = store.texts.generations(dataset).merge(store.datasets.items(dataset), on="item")
    for name, system in (("old", "sparrow"), ("new", "heron")):
        of = texts.loc[texts["system"] == system, ["context", "sample", "text"]]
        of.to_csv(path.with_name(f"{name}.csv"), index=False)
    return dataset


def _fill_llmbar(path: Path) -> str:
    """Texts and gold labels of LLMBar's natural subset, and two judges in both orders."""
    kept = path.with_name("judgements.csv")
    source = DATASETS / "llmbar"
    with gzip.open(source / "judgements.csv.gz", "rt", newline="") as lines, kept.open("w") as out:
        rows = csv.DictReader(lines)
        writer = csv.DictWriter(out, rows.fieldnames or ())
        writer.writeheader()
        writer.writerows(
            row
            for row in rows
            if row["subset"] == "LLMBar/Natural"
            and row["prompt"] == "Vanilla"
            and row["evaluator"] in ("GPT-4", "ChatGPT")
        )
    texts = source / "Dataset" / "LLMBar" / "Natural"
    assert main(["--store", str(path), "import", str(texts), str(kept), "--dataset", "bar"]) == 0
    return "bar"


def _fill_topicalchat(path: Path) -> str:
    """People's scores of TopicalChat's first dialogues, and two baselines that compare the texts."""
    rows = json.loads((DATASETS / "topicalchat" / "topical_chat_unieval_result.json").read_text())
    first = list(dict.fromkeys(row["source"] for row in rows))[:DIALOGUES]
    file = path.with_name("topical_chat.json")
    file.write_text(json.dumps([row for row in rows if row["source"] in first]))
    assert main(["--store", str(path), "import", str(file), "--dataset", "chat"]) == 0
    for judge in ("baseline:longer", "baseline:random"):
        asked = ["--judge", judge, "--pairs", "symmetric", "--budget", "4"]
        assert main(["--store", str(path), "judge", *asked, "--attribute", "overall"]) == 0
    return "chat"


STUDIES: dict[str, Callable[[Path], str]] = {
    "sample": _fill_sample,
    "llmbar": _fill_llmbar,
    "topicalchat": _fill_topicalchat,
}
MARKED = [
    pytest.param(name, marks=() if name == "sample" else (pytest.mark.shared, pytest.mark.slow))
    for name in STUDIES
]
"""The studies as parameters; published ones take a minute or two for each finding."""


def fill(study: str, path: Path) -> str:
    """Make the store of a study, and return its data set; skip the test if its files lack."""
    if study != "sample" and not DATASETS.is_dir():
        pytest.skip(f"the data sets are not here: {DATASETS}")
    return STUDIES[study](path)
