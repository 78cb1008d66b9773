"""The command `items`, and --item-set where others take it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from core.findings.items import COLUMNS
from core.rendering import list_names
from core.store import Store
from tests.cli.asked import Call, called
from tests.findings.people.voting import say
from tests.study import fill

AB = ("alpha", "beta")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Ada and Bo are split on i1 of three items."""
    path = tmp_path / "store.sqlite3"
    with Store(path) as store:
        fill(store)
        for item, other in (("i0", "a"), ("i1", "b"), ("i2", "a")):
            say(store, "Ada", item, AB, "a")
            say(store, "Bo", item, AB, other)
    return path


def ask(capsys: pytest.CaptureFixture[str], path: Path, *words: str) -> Any:
    status, said, errors = called(capsys, path, *words, "--json")
    assert status == 0, errors
    return json.loads(said)


def test_items_are_found_saved_and_taken(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    document = ask(capsys, path, "items", "--split", "--save", "hard")
    assert [row["item"] for row in document["items"]] == ["i1"]
    assert {*document["items"][0]} == {*list_names(COLUMNS)}
    assert (document["found"], document["by_answers"]) == (1, True)
    assert document["saved"]["items"] == 1
    board = ask(capsys, path, "rank", "--item-set", "hard")
    assert board["judgements"] == 2
    campaign = ask(capsys, path, "campaign", "create", "look", "--item-set", "hard")
    assert campaign["pairs"] == 3  # each two of three systems, on one item
    assert ask(capsys, path, "campaign", "show", "look")["choice"]["item_set"] == "hard"
    judged = ask(capsys, path, "judge", "--judge", "baseline:longer", "--item-set", "hard")
    assert judged["planned"] == 6  # in both orders


def test_sets_are_listed_shown_and_deleted(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert ask(capsys, path, "items", "sets") == []
    ask(capsys, path, "items", "--text", "item 2", "--save", "two")
    [listed] = ask(capsys, path, "items", "sets")
    assert listed["search"] == {"text": "item 2"}
    assert ask(capsys, path, "items", "show", "two")["keys"] == ["i2"]
    ask(capsys, path, "items", "delete", "two")
    assert ask(capsys, path, "items", "sets") == []


def test_what_makes_no_sense_is_refused_in_a_sentence(
    path: Path, call_on: Call, capsys: pytest.CaptureFixture[str]
) -> None:
    ask(capsys, path, "items", "--split", "--save", "hard")
    for words, says in (
        (("items", "--split", "--save", "hard"), "already"),
        (("items", "--contradicts"), "--contradicts belongs to --judge NAME"),
        (("items", "--contradicts"), "leave it out, or give --judge NAME"),
        (("items", "show", "soft"), "hard"),
        (("rank", "--item-set", "soft"), "there are: hard"),
    ):
        status, _, errors = call_on(path, *words)
        assert status == 2, words
        assert says in errors
    votes = path.parent / "votes.csv"
    votes.write_text("item,system_a,system_b,winner\ni,x,y,a\n", encoding="utf-8")
    status, _, errors = call_on(path, "rank", "--votes", str(votes), "--item-set", "hard")
    assert status == 2
    assert "--item-set" in errors
