"""A researcher's way on published data, recomputed from the exported votes by scipy."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from scipy.stats import spearmanr

from core.__main__ import main
from core.importing.cells import digest
from tests.paths import DATASETS

STUDIES = {
    # file, attribute, items, systems, rater
    "topicalchat": ("topicalchat/topical_chat_unieval_result.json", "overall", 60, 6, "human"),
    "summeval": ("summeval/summeval_100x16.jsonl.gz", "relevance", 100, 16, "expert"),
}


@pytest.mark.shared
@pytest.mark.parametrize("name", ["topicalchat", pytest.param("summeval", marks=pytest.mark.slow)])
def test_judge_rank_correlate(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, attribute, items, systems, rater = STUDIES[name]

    def said(*command: str) -> Any:
        words = [*command[0].split(), *command[1:], "--json"]
        assert main(["--store", str(tmp_path / "s.sqlite3"), *words]) == 0
        return json.loads(capsys.readouterr().out)

    said("import", str(DATASETS / file), "--dataset", name)
    judge = (
        f"judge --judge baseline:embedding --pairs symmetric --budget 12 --attribute {attribute}"
    )
    run = said(judge)
    count = 12 * items
    assert [run[name] for name in ("planned", "done", "failed", "already_there")] == [
        *(count, count, {}, 0)
    ]
    again = said(judge)
    assert (again["run"], again["done"], again["already_there"]) == (run["run"], count, count)

    said("export", "--what", "judgements", "--to", str(tmp_path / "votes.csv"))
    votes = pd.read_csv(tmp_path / "votes.csv", keep_default_na=False)
    pairs = votes.groupby("item").apply(
        lambda of: set(zip(of["system_a"], of["system_b"], strict=True))
    )
    assert pairs.map(lambda asked: len(asked) == 12 and {(b, a) for a, b in asked} == asked).all()

    points = votes["winner"].map({"a": 1.0, "b": 0.0, "tie": 0.5})
    sides = pd.concat(
        [
            votes.assign(system=votes["system_a"], points=points),
            votes.assign(system=votes["system_b"], points=1 - points),
        ]
    )
    board = said(
        "rank --method win-ratio --judges baseline --attribute", attribute, "--bootstrap", "0"
    )
    ratios = sides.groupby("system")["points"].mean()
    assert {row["system"]: row["rating"] for row in board["rows"]} == pytest.approx(
        ratios.to_dict()
    )
    assert len(ratios) == systems

    by = f"--method win-ratio --judges baseline --attribute {attribute} --level item"
    found = said(f"correlate --against {rater} {by}")
    both = (
        sides.groupby(["item", "system"])["points"]
        .mean()
        .rename("points")
        .to_frame()
        .join(_scores(name, attribute))
    )
    rho = [
        spearmanr(of["points"], of["score"]).statistic
        for _, of in both.groupby("item")
        if of["points"].nunique() > 1 and of["score"].nunique() > 1
    ]
    assert (found["items"], found["undefined_items"]) == (len(rho), items - len(rho))
    assert found["spearman"] == pytest.approx(sum(rho) / len(rho))


def _scores(name: str, attribute: str) -> pd.DataFrame:
    """item, system -> score, read from the file without our readers."""
    path = DATASETS / STUDIES[name][0]
    if name == "summeval":
        articles = map(json.loads, gzip.decompress(path.read_bytes()).decode().splitlines())
        rows = [
            (article["id"], system, output["scores"][attribute])
            for article in articles
            for system, output in article["systems"].items()
        ]
    else:
        outputs = json.loads(path.read_text(encoding="utf-8"))
        rows = [
            (
                f"context-{digest(row['source'].strip() + chr(10) * 2 + row['context'].strip())}",
                row["system_id"],
                row["scores"][attribute],
            )
            for row in outputs
        ]
    return pd.DataFrame(rows, columns=["item", "system", "score"]).set_index(["item", "system"])
