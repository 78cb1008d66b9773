"""Calibrated probabilities from the command line, on votes whose making is known."""

from __future__ import annotations

import csv
import json
import re
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.special import expit

from core.__main__ import main
from tests.cli.asked import Run, called

SYSTEMS, ITEMS = ("w", "x", "y", "z"), 40
STRENGTH = dict(zip(SYSTEMS, (0.9, 0.3, -0.3, -0.9), strict=True))
JUDGES = {"sharp": 1.6, "fair": 1.0, "coin": 0.0}
"""Discriminations: who is how much to be relied on."""
OVERSURE = 2.0
"""What the log-odds of every judge are multiplied by: people are half as sure."""


def _answers() -> dict[str, list[tuple[Any, ...]]]:
    """Of each file its rows: judges in both orders, with probabilities, and two people in one."""
    rng = np.random.default_rng(1)
    rows: dict[str, list[tuple[Any, ...]]] = {"llm": [], "human": []}
    for item in range(ITEMS):
        own = {name: rng.normal() / 2 for name in SYSTEMS}
        for a, b in permutations(SYSTEMS, 2):
            apart = STRENGTH[a] - STRENGTH[b] + own[a] - own[b]
            for name, d in JUDGES.items():
                p = expit(OVERSURE * (d * apart + rng.normal() / 2 + 0.2))
                rows["llm"].append((f"i{item}", a, b, "a" if p > 0.5 else "b", name, round(p, 4)))
            for name in ("Ada", "Ben"):
                if a < b:
                    won = rng.random() < expit(apart)
                    rows["human"].append((f"i{item}", a, b, "a" if won else "b", name, ""))
    return rows


@pytest.fixture(scope="module")
def panel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("jury")
    for kind, rows in _answers().items():
        with (folder / f"{kind}.csv").open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["item", "left", "right", "winner", "judge", "prob_a"])
            writer.writerows(rows)
        words = ["import", str(folder / f"{kind}.csv"), "--dataset", "d", "--kind", kind]
        assert main(["--store", str(folder / "s.sqlite3"), *words]) == 0
    return folder / "s.sqlite3"


@pytest.fixture
def said(panel: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    def said(*words: str) -> Any:
        status, out, err = called(capsys, panel, *words, "--json")
        assert status == 0, err
        return json.loads(out)

    return said


@pytest.fixture
def refused(panel: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    def refused(*words: str) -> str:
        status, out, err = called(capsys, panel, *words)
        assert (status, out) == (2, ""), (status, out)
        assert err.count("\n") == 1
        return err

    return refused


RANK = ("rank", "--bootstrap", "20")


def test_calibrated_probabilities_are_those_of_people(said: Run, refused: Run) -> None:
    method = ("--method", "bradley-terry-soft", "--judges", "sharp")
    plain, calibrated = (
        {row["system"]: row["rating"] for row in said(*RANK, *method, *more)["rows"]}
        for more in ((), ("--calibrated", "temperature"))
    )
    people = {
        row["system"]: row["rating"] for row in said(*RANK, "--method", "bradley-terry")["rows"]
    }
    spans = [board["w"] - board["z"] for board in (plain, calibrated, people)]
    assert spans[0] > 1.5 * spans[2]
    assert spans[1] == pytest.approx(spans[2], rel=0.25)
    wrong = refused("rank", "--method", "win-ratio", "--calibrated", "platt", "--judges", "sharp")
    assert re.search(r"--calibrated platt\b.*\bwin-ratio\b", wrong)
    both = ("--calibrated", "platt", "--debias", "swap", "--judges", "sharp")
    assert re.search(
        r"--calibrated platt\b.*--debias swap\b.*\bone of\b",
        refused("rank", "--method", "product-of-experts", *both),
    )
    nobody = ("--calibrated", "platt", "--judges", "human")
    assert "verdicts only" in refused("rank", "--method", "product-of-experts", *nobody)
