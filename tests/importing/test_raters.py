"""Metrics beside people in one table: who is of which kind."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.__main__ import main
from core.importing import Reading
from core.importing.layout import Source
from core.importing.raters import kind_of
from core.records import Kind
from tests.published import Study

TABLE = (
    "item,system,text,score:ada:fluency,score:rouge1:overlap,score:judgelm:fluency\n"
    "i1,s1,One.,4,0.3,7\ni1,s2,Two.,5,0.4,8\n"
)


def test_metrics_are_known_by_their_names() -> None:
    for name, kind in [("rougeL", "baseline"), ("BLEU-4", "baseline"), ("BERTScore", "baseline"), ("ada", "human"),
     ("expert-1", "human"), ("", "human")]:  # fmt: skip
        assert kind_of(name, Source(Path("t.csv"), ())) == kind


def test_what_is_said_of_a_rater_counts(published: Study) -> None:
    path = published.folder / "t.csv"
    path.parent.mkdir(exist_ok=True)
    path.write_text(TABLE)
    published.load(path, reading=Reading(kinds={"judgelm": Kind.LLM, "rouge1": Kind.HUMAN}))
    scores = published.store.scores.load_all("d")
    assert dict(zip(scores["rater"], scores["kind"], strict=True)) == {
        "ada": "human", "rouge1": "human", "judgelm": "llm",
    }  # fmt: skip


def test_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "t.csv").write_text(TABLE)
    words = ["--store", str(tmp_path / "s.sqlite3"), "import", str(tmp_path / "t.csv")]
    assert main([*words, "--dataset", "d", "--kinds", "judgelm=llm", "--json"]) == 0
    capsys.readouterr()
    assert main([*words[:2], "describe", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["scores"]
    assert main([*words[:2], "export", "--what", "scores", "--to", str(tmp_path / "o.csv")]) == 0
    rows = (tmp_path / "o.csv").read_text().splitlines()
    assert {line.split(",")[5]: line.split(",")[6] for line in rows[1:]} == {
        "ada": "human", "rouge1": "baseline", "judgelm": "llm",
    }  # fmt: skip
    capsys.readouterr()
    assert main([*words, "--dataset", "e", "--kinds", "jugdelm=llm"]) == 2
    misspelt = "--kinds jugdelm: no column is score:jugdelm:ATTRIBUTE or winner:jugdelm; they are by ada, rouge1, judgelm"
    assert misspelt in capsys.readouterr().err
    assert main([*words, "--dataset", "e", "--kinds", "ada=person"]) == 2
    said = "--kinds ada=person should be RATER=KIND, such as --kinds bleu=baseline; kinds are human"
    assert said in capsys.readouterr().err
