"""A jury and calibrated probabilities from the command line, on votes whose making is known."""

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
from streamlit.testing.v1 import AppTest

from core.__main__ import main
from core.statistics import RATINGS
from tests.cli.asked import Run, called
from tests.pages.labels import RATING_METHOD
from tests.paths import ROOT

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


def test_a_jury_relies_on_who_follows_the_common_order(
    said: Run, subtests: pytest.Subtests
) -> None:
    for method in ["jury", "jury-soft"]:
        with subtests.test(method=method):
            document = said(*RANK, "--method", method, "--judges", "llm", "human")
            assert [row["system"] for row in document["rows"]] == list(SYSTEMS)
            assert document["over"] == "items"
            judges = {row["judge"]: row for row in document["judges"]}
            assert next(iter(judges)) == "sharp"
            assert set(judges) == {*JUDGES, "people"}
            assert judges["coin"]["low"] < 0 < judges["coin"]["high"]
            assert judges["fair"]["low"] > 0
            assert any(note.startswith("coin may answer at random") for note in document["notes"])
            answers = np.array([row["answers"] for row in judges.values()])
            mean = np.average([row["discrimination"] for row in judges.values()], weights=answers)
            assert mean == pytest.approx(1)
            assert sum(answers) == document["judgements"]


def test_each_person_is_a_judge_where_asked_and_position_is_of_each(said: Run) -> None:
    document = said(
        *RANK, "--method", "jury", "--judges", "llm", "human", "--people", "each", "--position-term"
    )
    judges = {row["judge"]: row for row in document["judges"]}
    assert set(judges) == {*JUDGES, "Ada", "Ben"}
    assert all(judges[name]["position"] > 0 for name in JUDGES)
    assert document["position_effect"] > 0
    assert "|people:each|" in document["signature"]


def test_what_a_jury_cannot_do_is_said(refused: Run) -> None:
    fair, both = refused("rank", "--method", "jury", "--judges", "fair"), ("human", "llm")
    assert re.search(rf"\bfair judges\b.*--judges {' '.join(both)}$", fair.strip())
    two = ("--judges", "llm", "--systems", "w", "x")
    assert "three systems" in refused("rank", "--method", "jury", *two)
    by_item = ("--judges", "llm", "--by", "candidate")
    assert "rank systems" in refused("rank", "--method", "jury", *by_item)
    each = refused("rank", "--method", "elo", "--people", "each")
    assert re.search(r"--people each\b.*--method jury\b.*\belo\b", each)


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


def test_a_jury_is_held_against_people_beside_averaging_and_the_best_judge(said: Run) -> None:
    document = said(*RANK, "--method", "jury-soft", "--judges", "llm", "human")
    gain = {row["way"]: row for row in document["gain"]}
    assert list(gain) == ["jury", "average", "majority", "best judge"]
    assert gain["jury"]["accuracy"] == pytest.approx(
        gain["best judge"]["accuracy"] + gain["jury"]["gain"]
    )
    assert gain["best judge"]["gain"] is None
    # Pairs on which Ada and Ben agree, counted in the file
    votes: dict[Any, set[str]] = {}
    for item, a, b, winner, *_ in _answers()["human"]:
        votes.setdefault((item, a, b), set()).add(winner)
    assert gain["jury"]["pairs"] == sum(len(said) == 1 for said in votes.values())


def test_averaging_and_majority_are_as_right_as_counted_in_the_file(said: Run) -> None:
    document = said(*RANK, "--method", "jury-soft", "--judges", "llm")
    gain = {row["way"]: row["accuracy"] for row in document["gain"]}
    votes: dict[Any, set[str]] = {}
    for item, a, b, winner, *_ in _answers()["human"]:
        votes.setdefault((item, a, b), set()).add(winner)
    answers: dict[Any, dict[str, list[float]]] = {}
    for item, a, b, _, judge, prob in _answers()["llm"]:
        key, p = ((item, a, b), prob) if a < b else ((item, b, a), 1 - prob)
        answers.setdefault(key, {}).setdefault(judge, []).append(p)
    average, majority = [], []
    for key, said_by in answers.items():
        if len(votes[key]) == 1:
            sign = 1 if votes[key] == {"a"} else -1
            means = np.array([np.mean(both) - 0.5 for both in said_by.values()])
            average.append((np.sign(sign * means.mean()) + 1) / 2)
            majority.append((np.sign(sign * np.sign(means).sum()) + 1) / 2)
    assert gain["average"] == pytest.approx(np.mean(average))
    assert gain["majority"] == pytest.approx(np.mean(majority))


def test_why_a_jurys_gain_cannot_be_had_is_said(said: Run) -> None:
    only = said(*RANK, "--method", "jury", "--judges", "human")
    assert only["gain"] == []
    assert {row["judge"] for row in only["judges"]} == {"Ada", "Ben"}
    [sentence] = only["sentences"]
    assert re.search(r"\bunknown: only people\b", sentence)
    assert "discrimination" in only["judges"][0]


def test_the_leaderboard_offers_a_jury_of_people_without_probabilities(
    panel: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TANDEM_STORE", str(panel))
    app = AppTest.from_file(ROOT / "app.py", default_timeout=60).run()
    board = app.switch_page("pages/leaderboard.py").run()
    [box] = [box for box in board.selectbox if box.label == RATING_METHOD]
    assert RATINGS["jury-soft"].label not in box.options
    board = box.set_value("jury").run()
    assert not board.exception
    assert any("jury|judges:human|" in code.value for code in board.code)
