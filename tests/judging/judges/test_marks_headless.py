"""Absolute judges on published data with a model made on the spot, from the command line alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from scipy.stats import spearmanr

from core.__main__ import main
from core.store import Store
from tests.paths import DATASETS

TOPICALCHAT = DATASETS / "topicalchat" / "topical_chat_unieval_result.json"
ITEMS, SYSTEMS = 20, 6


@pytest.mark.shared
def test_judge_rank_correlate_by_marks(t5: Path, tmp_path: Path, capsys) -> None:
    store, spec = tmp_path / "s.sqlite3", f"hf:{t5}"

    def said(*command: str) -> Any:
        assert main(["--store", str(store), *command, "--json"]) == 0
        return json.loads(capsys.readouterr().out)

    rows = json.loads(TOPICALCHAT.read_text(encoding="utf-8"))
    items = list(dict.fromkeys(row["source"] for row in rows))[:ITEMS]
    few = tmp_path / "few.json"
    few.write_text(json.dumps([row for row in rows if row["source"] in items]), encoding="utf-8")
    said("import", str(few), "--dataset", "topicalchat", "--format", "unieval")
    overall = ("--attribute", "overall")
    runs = {
        mode: said("judge", "--judge", spec, "--mode", mode, "--truncation", "200", *overall)
        for mode in ("g-eval", "gptscore")
    }
    wrote = said("judge", "--judge", spec, "--mode", "score", "--limit", "12", *overall)
    # The model has learnt to write labels: what is no number is unparsed, not a mark.
    assert (wrote["done"], wrote["failed"]) == (12, {"unparsed": 12})
    for run in runs.values():
        assert run["unit"] == "scores"
        assert run["planned"] == run["done"] == ITEMS * SYSTEMS
        assert run["tokens"] > 0
        failed = sum(run["failed"].values())
        assert failed < ITEMS * SYSTEMS
        judge = ("--judges", run["judge"], *overall)
        board = said("rank", "--method", "win-ratio", "--bootstrap", "0", *judge)
        assert board["judgements"] + sum(board["unanswered"].values()) == ITEMS * 15
        assert said("agreement", "--judges", *(one["judge"] for one in runs.values()), *overall)[
            "pairs"
        ]
        right = said("accuracy", "--against", "scores", "--rater", "human", *judge)
        assert 0 < right["rows"][0]["accuracy"] < 1
        # Recomputed from the stored marks by scipy.
        found = said(
            "correlate", "--scores", run["judge"], "--against", "human", "--level", "pool", *overall
        )
        with Store(store) as opened:
            marks = opened.scores.load_all("topicalchat")
        marks = marks[marks["attribute"] == "overall"]
        mine, human = (
            marks[marks["rater"] == rater].set_index("generation")["value"]
            for rater in (run["judge"], "human")
        )
        both = pd.concat([mine, human], axis=1, join="inner").dropna()
        assert found["spearman"] == pytest.approx(spearmanr(*both.to_numpy().T).statistic)
        assert said("describe", *judge)["outcomes"][0]["judge"] == run["judge"]
    again = said("judge", "--judge", spec, "--mode", "g-eval", "--truncation", "200", *overall)
    assert (again["run"], again["already_there"]) == (runs["g-eval"]["run"], ITEMS * SYSTEMS)
    llm = said("rank", "--method", "bradley-terry", "--judges", "llm", "--bootstrap", "0", *overall)
    assert llm["connected"]
