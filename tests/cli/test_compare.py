"""`compare`: two files of texts, one answer, and a status for a pipeline."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from core.findings.compare import UNKNOWN
from core.records import JudgeSpec, Kind, Outcome
from core.store import Store
from tests.cli.asked import Call
from tests.importing.test_versions import BOTH, write
from tests.votes import Answer, Vote, add_votes

MORE = [{"prompt": f"{n}?", "response": f"It is {n}"} for n in range(20)]
LONGER = [row | {"response": f"{row['response']}, I am sure"} for row in MORE]
BASELINE = ("--judge", "baseline:longer")
Ask = Callable[..., tuple[int, Any]]
Files = tuple[str, str]


@pytest.fixture
def files(tmp_path: Path) -> Files:
    return str(write(tmp_path / "old.csv", MORE)), str(write(tmp_path / "new.csv", LONGER))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "store.sqlite3"


@pytest.fixture
def ask(path: Path, call_on: Call) -> Ask:
    def ask(*words: str) -> tuple[int, Any]:
        status, said, errors = call_on(path, "compare", *words, "--json")
        assert said, errors
        return status, json.loads(said)

    return ask


def test_the_status_says_better_worse_or_unknown(ask: Ask, files: Files) -> None:
    status, found = ask(*files, *BASELINE)
    assert (status, found["verdict"], found["shared"]) == (0, "better", 20)
    assert found["rows"][0]["won"] == 20
    status, found = ask(*files[::-1], *BASELINE)
    assert (status, found["verdict"], found["dataset"]) == (3, "worse", " vs ".join(("new", "old")))
    assert len(found["read"]) == 12
    status, found = ask(*files, "--judge", "baseline:random", "--seed", "3")
    assert (status, found["verdict"]) == (4, UNKNOWN)


def test_nothing_is_asked_twice(ask: Ask, path: Path, files: Files) -> None:
    _, first = ask(*files, *BASELINE, "--limit", "25")
    assert first["judgements"] == 24  # a pair of which one order is missing waits for it
    _, whole = ask(*files, *BASELINE)
    _, again = ask(*files, *BASELINE)
    assert whole["judgements"] == again["judgements"] == 40
    with Store(path) as store:
        assert store.datasets.names() == [BOTH]
        assert store.connection.value("SELECT count(*) FROM judgements") == 40


def test_without_a_judge_the_pairs_wait_for_people_who_then_decide(
    ask: Ask, path: Path, files: Files, call_on: Call
) -> None:
    status, found = ask(*files)
    assert (status, found["verdict"], found["pairs"]) == (4, UNKNOWN, 20)
    with Store(path) as store:
        store.judges.add([JudgeSpec("Ada", Kind.HUMAN)])
        items = store.datasets.keys(BOTH)
        said = [Vote(item, "new", "old", "Ada", Answer(outcome=Outcome.A)) for item in items]
        add_votes(store, BOTH, said)
    status, found = ask(*files)
    assert (status, found["rows"][0]["by"], found["rows"][0]["won"]) == (0, "people", 20)
    votes = path.with_name("votes.csv")
    votes.write_text("item,left,right,winner,judge\n" + f"{items[0]},old,new,new,Ben\n")
    assert call_on(path, "import", str(votes), "--dataset", BOTH)[0] == 0
    _, again = ask(*files)
    assert (again["dataset"], again["judgements"]) == (BOTH, 21)
    status, found = ask("--dataset", BOTH, "--new", "old")
    assert (status, found["new"], found["rows"][0]["lost"]) == (3, "old", 20)


def test_an_attribute_is_asked_in_its_own_words(ask: Ask, files: Files) -> None:
    words = (*files, *BASELINE, "--attribute", "fluency", "--dataset", "mine")
    _, found = ask(*words)
    assert (found["dataset"], found["rows"][0]["attribute"]) == ("mine", "fluency")


WRONG = """old.csv
old.csv new.csv none.csv
old.csv none.csv
old.csv new.csv --systems old new
old.csv new.csv --limit 3
old.csv new.csv --mode classifier
old.csv new.csv --judge baseline:nobody
--systems old new"""


def test_a_wrong_request_writes_no_answer(
    path: Path, files: Files, monkeypatch: pytest.MonkeyPatch, call_on: Call
) -> None:
    monkeypatch.chdir(path.parent)
    for number, words in enumerate(WRONG.splitlines()):
        status, said, errors = call_on(path.with_name(str(number)), f"compare {words}")
        assert (status, said) == (2, ""), words
        assert errors.count("\n") >= 1
        assert "Traceback" not in errors
