"""The command `items`, and --item-set where others take it."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.findings.items import COLUMNS
from core.rendering import list_names
from core.store import Store
from tests.cli.asked import Call, Run, refusal
from tests.findings.people.voting import say
from tests.study import fill

AB = ("alpha", "beta")


@pytest.fixture
def target(tmp_path: Path) -> Path:
    """Ada and Bo are split on i1 of three items."""
    path = tmp_path / "store.sqlite3"
    with Store(path) as store:
        fill(store)
        for item, other in (("i0", "a"), ("i1", "b"), ("i2", "a")):
            say(store, "Ada", item, AB, "a")
            say(store, "Bo", item, AB, other)
    return path


def test_items_are_found_saved_and_taken(run: Run) -> None:
    document = run("items", "--split", "--save", "hard")
    [row] = document["items"]
    assert row["item"] == "i1"
    assert {*row} == {*list_names(COLUMNS)}
    assert (document["found"], document["by_answers"]) == (1, True)
    assert document["saved"]["items"] == 1
    board = run("rank", "--item-set", "hard")
    assert board["judgements"] == 2
    campaign = run("campaign", "create", "look", "--item-set", "hard")
    assert campaign["pairs"] == 3  # each two of three systems, on one item
    assert run("campaign", "show", "look")["choice"]["item_set"] == "hard"
    judged = run("judge", "--judge", "baseline:longer", "--item-set", "hard")
    assert judged["planned"] == 6  # in both orders


def test_sets_are_listed_shown_and_deleted(run: Run) -> None:
    assert run("items", "sets") == []
    run("items", "--text", "item 2", "--save", "two")
    [listed] = run("items", "sets")
    assert listed["search"] == {"text": "item 2"}
    assert run("items", "show", "two")["keys"] == ["i2"]
    run("items", "delete", "two")
    assert run("items", "sets") == []


def test_what_makes_no_sense_is_refused_in_a_sentence(run: Run, target: Path, call: Call) -> None:
    run("items", "--split", "--save", "hard")
    for words, says in (
        (("items", "--split", "--save", "hard"), "already"),
        (("items", "--contradicts"), "--contradicts belongs to --judge NAME"),
        (("items", "--contradicts"), "leave it out, or give --judge NAME"),
        (("items", "show", "soft"), "hard"),
        (("rank", "--item-set", "soft"), "there are: hard"),
    ):
        assert says in refusal(call, *words)
    votes = target.parent / "votes.csv"
    votes.write_text("item,system_a,system_b,winner\ni,x,y,a\n", encoding="utf-8")
    said = refusal(call, "rank", "--votes", str(votes), "--item-set", "hard")
    assert "--item-set" in said
