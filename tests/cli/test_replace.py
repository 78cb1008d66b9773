"""May a judge take an annotator's place, on the command line."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.cli.asked import STATISTIC, Run, called, has
from tests.findings.replacement.test_replacement import HEAD


def test_replace(run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Ada and Ben alone have voted, on six items."""
    document = run("replace", "--judges", "baseline", "--epsilon", "0.2")
    assert has(document, "rows", "annotators", "epsilon", "sentences", *STATISTIC)
    assert {row["verdict"] for row in document["rows"]} == {"cannot tell"}
    assert {row["annotator"] for row in document["annotators"]} == {"Ada", "Ben"}
    lines = [
        f"q{i},x,y,x {i},y {i},{'ab'[i % 3 == n]},{who},{kind}"
        for n, (who, kind) in enumerate(
            [("Ada", "human"), ("Ben", "human"), ("Cy", "human"), ("gpt", "llm")]
        )
        for i in range(60)
    ]
    (tmp_path / "more.csv").write_text(HEAD + "\n".join(lines) + "\n")
    run("import", str(tmp_path / "more.csv"), "--dataset", "more")
    status, out, _ = called(
        capsys, tmp_path / "store.sqlite3", "replace", "--dataset", "more", "--show", "annotators"
    )
    # gpt always says what most people say; each of them does so on two items of three.
    assert status == 0
    assert re.search(r"\bgpt may\b.*\breplace\b.*\b3 of 3\b", out)
    assert {
        (row["judge"], row["verdict"]) for row in run("replace", "--dataset", "more")["rows"]
    } == {("gpt", "may replace")}
    won = [line.split()[0] for line in out.splitlines() if line.endswith(" yes")]
    assert won == ["gpt"] * 3
