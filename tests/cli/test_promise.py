"""The command `promise`: made, changed, kept, and too late."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from core import campaigns
from core.pairing import open_default
from core.store import Store
from tests.cli.asked import Run, called
from tests.findings.judgements.test_collecting import vote
from tests.study import DATASET, fill

OTHER = "other"


@pytest.fixture
def target(tmp_path: Path) -> Path:
    """24 pairs of each of two data sets, of which nobody has voted."""
    path = tmp_path / "store.sqlite3"
    with Store(path) as store:
        for dataset in (DATASET, OTHER):
            fill(store, items=8, dataset=dataset)
            open_default(store, dataset)
        campaigns.enrol(store, "Ada")
    return path


def give(target: Path, votes: int) -> None:
    with Store(target) as store:
        vote(store, votes)


def find_resolve(run: Run) -> Any:
    return run("rank", "--dataset", DATASET, "--judges", "human")["resolve"]


def test_it_is_made_kept_and_changed(run: Run, target: Path) -> None:
    """Of 12 votes; another number is another promise, with its reason and time."""
    reason = "two were close"
    made = run(
        "promise", "--dataset", DATASET, "--votes", "12", "--epsilon", "0.1", "--beside", "hf:x"
    )
    [row] = made["rows"]
    assert (row["votes"], row["votes_before"], row["stopping"]) == (12, 0, "number")
    assert (row["attributes"], row["epsilon"], row["judges"]) == ("coherence", 0.1, "hf:x")
    assert made["fixed"] is False
    give(target, 6)
    assert find_resolve(run) == "always"
    give(target, 6)
    kept = run("promise", "--dataset", DATASET)
    assert kept["fixed"] is True
    assert find_resolve(run) == "together"
    changed = run(
        "promise", "--dataset", DATASET, "--votes", "18", "--epsilon", "0.1", "--beside", "hf:x",
        "--reason", reason,
    )  # fmt: skip
    assert [(row["votes"], row["votes_before"]) for row in changed["rows"]] == [(12, 0), (18, 12)]
    assert changed["fixed"] is False
    [sentence] = changed["sentences"]
    assert re.search(
        rf"\b12 votes\b.*\bpromised\b.*\b12 answers\b.*\b18 votes: {reason}\b", sentence
    )
    assert find_resolve(run) == "always"


def test_another_data_set_has_none_of_it(run: Run) -> None:
    run("promise", "--dataset", DATASET, "--votes", "12")
    other = run("promise", "--dataset", OTHER)
    assert (other["rows"], other["sentences"], other["fixed"]) == ([], [], False)


def test_after_the_first_look_it_is_too_late(run: Run, target: Path) -> None:
    give(target, 12)
    late = run("promise", "--dataset", DATASET, "--votes", "12")
    assert late["rows"][0]["votes_before"] == 12
    assert late["fixed"] is False
    assert "after 12 answers" in late["sentences"][0]
    assert find_resolve(run) == "always"


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (("--votes", "24"), "--reason"),
        (("--votes", "0"), "--votes"),
        (("--votes", "24", "--about", "speed"), "speed"),
        (("--votes", "24", "--epsilon", "1.5"), "--epsilon 1.5"),
        (("--votes", "24", "--beside", "Ada"), "Ada"),
        (("--epsilon", "0.2"), "--votes"),
        (("pilot", "--votes", "24"), "pilot"),
    ],
    ids=["no reason", "no votes", "attribute", "epsilon", "person", "nothing promised", "campaign"],
)
def test_what_cannot_be_promised_is_refused(
    capsys: pytest.CaptureFixture[str], run: Run, target: Path, words: tuple[str, ...], named: str
) -> None:
    run("promise", "--dataset", DATASET, "--votes", "12")
    give(target, 1)
    status, _, said = called(capsys, target, "promise", "--dataset", DATASET, *words)
    assert status != 0
    assert named in said
    assert len(run("promise", "--dataset", DATASET)["rows"]) == 1
