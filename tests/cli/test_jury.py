"""Calibration from the command line, on votes whose making is known."""

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

from core import Store, calibration, chart
from core.__main__ import main
from core.findings.calibration.chart import PICTURE
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


def test_calibration_of_judges_that_are_too_sure(said: Run) -> None:
    document = said("calibrate", "--judges", "llm")
    rows = {(row["judge"], row["map"]): row for row in document["rows"]}
    sharp = rows["sharp", "as given"]
    assert (sharp["answers"], sharp["pairs"], sharp["items"]) == (480, 240, 40)
    for name in JUDGES:
        given, platt = rows[name, "as given"], rows[name, "platt"]
        assert platt["brier"] < given["brier"]
        assert platt["calibration_error"] < given["calibration_error"]
        assert given["p"] < 0.05
        assert given["error_by_chance"] < given["calibration_error"]
    # People's log-odds are a judge's by OVERSURE times its discrimination, and noise.
    assert 0.15 < rows["sharp", "platt"]["slope"] < 1 / OVERSURE
    assert rows["sharp", "platt"]["shift"] < 0
    assert rows["sharp", "isotonic"]["slope"] is None
    bins = [row for row in document["bins"] if row["judge"] == "fair" and row["map"] == "platt"]
    assert sum(row["answers"] for row in bins) == 480
    assert all(row["low"] <= row["mean_prob"] <= row["high"] for row in bins)
    assert any(sentence.startswith("sharp: ") for sentence in document["sentences"])
    [coin] = [sentence for sentence in document["sentences"] if sentence.startswith("coin")]
    assert "unknown" in coin
    [sharp] = [sentence for sentence in document["sentences"] if sentence.startswith("sharp")]
    of = rows["sharp", "temperature"]
    ends = f"{of['slope']:.2f} times .*\\({of['slope_low']:.2f} to {of['slope_high']:.2f}\\)"
    assert re.search(rf"\btoo sure\b.*\b{ends}", sharp)
    assert rows["coin", "platt"]["slope_low"] < 0 < rows["coin", "platt"]["slope_high"]
    assert of["slope_low"] < of["slope"] < of["slope_high"] < 1
    unnamed = said("calibrate")
    assert unnamed["rows"] == document["rows"]  # nobody but models gave probabilities


def test_a_notebook_draws_how_far_probabilities_are_those_of_people(panel: Path) -> None:
    with Store(panel) as store:
        result = calibration(store, judges=("fair",), maps="platt", bootstrap=20)
        drawn = json.dumps(chart(result).to_dict())
    assert PICTURE.title in drawn
    assert "95% intervals: Wilson" in drawn
    assert len(result.tables["bins"]) == drawn.count('"mean_prob": ')


def test_one_map_and_other_bins_and_what_cannot_be_calibrated(said: Run, refused: Run) -> None:
    one = said("calibrate", "--judges", "fair", "--maps", "platt", "--bins", "4")
    assert [row["map"] for row in one["rows"]] == ["as given", "platt"]
    assert {row["high"] - row["low"] for row in one["bins"]} == {0.25}
    assert "verdicts only" in refused("calibrate", "--judges", "human")
    without = refused("calibrate", "--judges", "fair", "--against", "gold")
    assert re.search(r"\bno gold\b.*--kind gold$", without.strip())
    assert "--bins 1 should lie" in refused("calibrate", "--judges", "fair", "--bins", "1")
