"""What is exported and imported into an empty store is the same again, and so are all figures."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from core.importing import COUNTS
from core.store import Store
from tests.cli.asked import Run, called

OF_THE_STORE = {"run", "campaign", "judge_spec", "judge_seed", "device", "dtype",
                "inclusion_probability", "source_row"}  # fmt: skip
"""Columns that tell how an answer came into the store it was given in, which a file does not
bring into another."""
FIGURES = (
    ("describe",),
    ("rank", "--method", "win-ratio"),
    ("rank", "--method", "bradley-terry", "--judges", "baseline:longer"),
    ("rank", "--method", "elo"),
    ("agreement",),
    ("bias", "--judges", "baseline:longer"),
)


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return [dict(row) for row in csv.DictReader(file)]


def exported(capsys: pytest.CaptureFixture[str], store: Path, folder: Path) -> list[Path]:
    folder.mkdir()
    files = [folder / f"{what}.csv" for what in ("generations", "judgements", "scores")]
    for file in files:
        words = ["export", "--dataset", "d", "--what", file.stem, "--to", str(file), "--names"]
        assert called(capsys, store, *words)[0] == 0
    return files


def figures(capsys: pytest.CaptureFixture[str], store: Path) -> list[Any]:
    documents = []
    for words in FIGURES:
        status, out, err = called(capsys, store, *words, "--dataset", "d", "--json")
        assert status == 0, err
        documents.append(json.loads(out))
    return documents


def test_export_and_import_give_the_same_figures_and_the_same_files(
    run: Run, target: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run("judge --dataset d --judge baseline:random|seed:3 --pairs random --budget 3")
    once = exported(capsys, target, tmp_path / "once")
    other = tmp_path / "other.sqlite3"
    status, _, err = called(capsys, other, "import", *map(str, once), "--dataset", "d")
    assert status == 0, err
    assert called(capsys, other, "check")[0] == 0
    assert figures(capsys, other) == figures(capsys, target)
    twice = exported(capsys, other, tmp_path / "twice")
    for before, after in zip(once, twice, strict=True):
        kept = [{name: cell for name, cell in row.items() if name not in OF_THE_STORE}
                for row in rows(before)]  # fmt: skip
        again = [{name: row[name] for name in kept[0]} for row in rows(after)]
        assert again == kept
    # from now on it is the same to the byte
    third = tmp_path / "third.sqlite3"
    assert called(capsys, third, "import", *map(str, twice), "--dataset", "d")[0] == 0
    for before, after in zip(twice, exported(capsys, third, tmp_path / "thrice"), strict=True):
        assert after.read_bytes() == before.read_bytes()
    with Store(other) as one, Store(third) as two:
        first, second = (store.datasets.summary()[list(COUNTS)] for store in (one, two))
        assert first.equals(second)
