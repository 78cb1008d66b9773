"""What tests of commands share: files to import, calls, and what documents hold."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from core.__main__ import main
from core.records import Generation
from core.similarity import make_metric
from core.store import ChosenGenerations, Store
from tests import study

Run = Callable[..., Any]
Call = Callable[..., tuple[int, str, str]]


def import_rows(folder: Path, rows: Any) -> Path:
    """A store in a folder, into which the rows were imported by the command."""
    pd.DataFrame(rows).to_csv(folder / "rows.csv", index=False)
    words = ["import", str(folder / "rows.csv"), "--dataset", "d"]
    assert main(["--store", str(folder / "store.sqlite3"), *words]) == 0
    return folder / "store.sqlite3"


GENERATIONS = "item,subset,context,system,text,score:coherence,score:metric:coherence\n" + "".join(
    f"i{i},{'odd' if i % 2 else 'even'},C{i},{s},{' '.join([s] * (n + 1))} "
    f"{i},{n + i % 2},{n * 0.5}\n"
    for i in range(6)
    for n, s in enumerate("xyz")
)


VOTES = "item,left,right,winner,judge,attribute,failure\n" + "".join(
    f"i{i},{a},{b},{w},{who},coherence,{f}\n"
    for who in ("Ada", "Ben")
    for i in range(6)
    for a, b, w, f in (
        ("x", "y", "b", ""),
        ("y", "z", "a", ""),
        ("z", "x", "tie", ""),
        ("x", "z", "", "skipped"),
    )
)


def begun(folder: Path) -> Path:
    """A store with texts, scores, votes of two people, and a baseline's judgements."""
    (folder / "g.csv").write_text(GENERATIONS)
    (folder / "v.csv").write_text(VOTES)
    store = folder / "store.sqlite3"
    for words in (
        ["import", str(folder / "g.csv"), str(folder / "v.csv"), "--dataset", "d"],
        ["judge", "--judge", "baseline:longer", "--pairs", "symmetric", "--budget", "4"],
    ):
        assert main(["--store", str(store), *words]) == 0
    return store


def called(capsys: pytest.CaptureFixture[str], store: Path, *words: str) -> tuple[int, str, str]:
    """Status, output and errors. The first of the words may be several."""
    capsys.readouterr()
    first = [word for word in words[:1] for word in word.split(" ")]
    try:
        status = main(["--store", str(store), *first, *words[1:]])
    except SystemExit as left:  # --help
        status = int(left.code or 0)
    said, warned = capsys.readouterr()
    assert "⟦" not in said + warned, "a setting is called by its name on the command line"
    return status, said, warned


def refusal(call: Call, *words: Any) -> str:
    """What a wrong request is told: one line, below how far a slow machine had come."""
    status, said, warned = call(*words)
    assert (status, said) == (2, ""), (words, status, said, warned)
    told = warned.splitlines(keepends=True)[-1]
    assert told.startswith("tandem: "), warned
    assert "Traceback" not in warned
    return told


def document(call: Call, *words: Any) -> Any:
    """What a command with --json that is expected to work prints: one line of JSON."""
    status, said, warned = call(*words, "--json")
    assert status == 0, warned
    assert said.endswith("\n")
    assert said.count("\n") == 1
    return json.loads(said, parse_constant=refuse_constant)


def refuse_constant(name: str) -> None:
    raise AssertionError(f"{name} is not JSON")


def has(document: dict[str, Any], *names: str) -> bool:
    missing = set(" ".join(names).split()) - set(document)
    assert not missing
    return True


STATISTIC = ("signature", "judgements", "unanswered")


def measure(path: Path) -> None:
    """A second sample of every text, and how similar the texts are."""
    with Store(path) as store:
        texts = store.texts.generations("d")
        again = [
            Generation(row.item, row.system, 1, f"{row.text} too") for row in texts.itertuples()
        ]
        with store.transaction():
            store.datasets.add_generations("d", again)
        study.measure(store, ChosenGenerations("d"), make_metric("rouge1"))
