"""Annotators whose votes should be read before they count: nobody praises them, or learns from them."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

from core import campaigns
from core.campaigns import Design, enrol, get_pace, open_campaign, present
from core.findings.accuracy import AccuracySettings, accuracy, describe_accuracy
from core.findings.judgements import Selection
from core.findings.people import flag_annotators
from core.importing import importer
from core.pairing import Choice
from core.records import Answer, Dataset, Outcome
from core.store import Store
from tests.study import DATASET, fill

PAIRS = 60
RIGHT = {"Ada": 0.9, "Bo": 0.8, "Cy": 0.7, "Dee": 1.0}
SECONDS = {"Ada": 30, "Bo": 40, "Cy": 25, "Dee": 1}


@pytest.fixture
def hurried(store: Store, tmp_path: Path) -> Store:
    """Dee is always right, after a second, about two texts of a hundred words."""
    text = " ".join(["word"] * 100)
    rng = np.random.default_rng(1)
    better = rng.integers(0, 2, PAIRS)
    rows = [
        {"item": f"i{i}", "system_a": "x", "system_b": "y", "text_a": f"{text} x{i}",
         "text_b": f"{text} y{i}", "judge": who, "kind": kind, "seconds": seconds,
         "winner": "ab"[better[i] ^ int(i >= right * PAIRS)]}
        for who, kind, seconds, right in (
            *((who, "human", SECONDS[who], share) for who, share in RIGHT.items()),
            ("key", "gold", "", 1.0),
        )
        for i in range(PAIRS)
    ]  # fmt: skip
    with (tmp_path / "votes.csv").open("w", newline="") as file:
        table = csv.DictWriter(file, list(rows[0]))
        table.writeheader()
        table.writerows(rows)
    importer.load(store, [tmp_path / "votes.csv"], Dataset("d"))
    return store


def test_who_is_too_fast_to_have_read_is_not_praised(hurried: Store) -> None:
    """Of excluded people nothing is said."""
    assert list(flag_annotators(hurried, "d")) == ["Dee"]
    found = accuracy(hurried, Selection("d", judges=("human",)), AccuracySettings("gold"))
    by_judge = found.rows.set_index("judge")["accuracy"]
    assert by_judge.to_dict() == pytest.approx(RIGHT), "the figures themselves are as they were"
    assert found.facts["flagged"] == ["Dee"]
    assert describe_accuracy(found).startswith("Ada is right in 90%")
    assert set(found.tables["differences"]["judge_1"]) == {"Ada"}
    assert flag_annotators(hurried, "d")["Dee"] in found.notes
    hurried.exclusions.add("d", "Dee", reason="too fast", by="Ada")
    assert flag_annotators(hurried, "d") == {}


def test_a_plan_learns_its_pace_from_those_who_read(store: Store) -> None:
    """Twice as many votes are by two people who press a key at once."""
    fill(store, items=30, systems=("x", "y"))
    assert flag_annotators(store, DATASET) == {}
    campaign = open_campaign(store, "c", Choice(dataset=DATASET), Design(overlap=3))
    for name, seconds in (("Ada", 24.0), ("Dee", 0.01), ("Eve", 0.02)):
        enrol(store, name)
        for _ in range(30):
            shown = present(store, campaign, name)
            campaigns.answer(store, name, shown, Answer(Outcome.A, seconds=seconds))
    assert list(flag_annotators(store, DATASET)) == ["Dee", "Eve"]
    assert get_pace(store, DATASET) == 24
