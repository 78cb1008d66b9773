"""Commands about people at work: annotators, exclude."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from core.findings.people import ANNOTATORS
from core.rendering import list_names
from tests.cli.asked import Call, Run, refusal


def test_annotators(run: Run) -> None:
    ada, ben = run("annotators")["annotators"]
    assert set(ada) == set(list_names(ANNOTATORS))
    # Ada and Ben answered the same on three pairs of each of 6 items, and skipped once: "b", "a"
    # and a tie, in the order shown.
    assert (ada["annotator"], ben["annotator"]) == ("Ada", "Ben")
    figures = ("answered", "skipped", "p_first", "decisions", "ties", "agreement", "shared")
    assert [ada[name] for name in figures] == [18, 6, 0.5, 12, 1 / 3, 1, 18]


def test_exclude_and_lift(run: Run) -> None:
    rank = ("rank", "--method", "win-ratio", "--bootstrap", "0")
    before = run(*rank)
    votes = {"judge": "Ada", "votes": 24}
    assert run("exclude", "Ada", "--reason", "clicks") == votes | {"excluded": True}
    assert (before["judgements"], run(*rank)["judgements"]) == (36, 18)
    said = "Left out: 24 votes of Ada, who is excluded."
    for command in ("rank --method elo", "agreement", "bias", "describe", "consistency"):
        assert said in run(command)["notes"]
    assert run("annotators")["annotators"][0]["excluded"]
    (row,) = run("exclude")["exclusions"]
    assert (row["judge"], row["reason"], row["lifted_at"]) == ("Ada", "clicks", None)
    assert run("exclude", "Ada", "--lift") == votes | {"excluded": False}
    assert run(*rank) == before
    run("exclude", "Ben", "--reason", "clicks")
    assert [row["lifted_at"] is None for row in run("exclude")["exclusions"]] == [False, True]


def test_a_name_is_found_as_it_looks(run: Run) -> None:
    """As it was copied from a page or a chat, with a letter that nobody sees."""
    copied = "Ad\u200ba"
    assert run("exclude", copied, "--reason", "clicks")["judge"] == "Ada"
    assert run("exclude", copied, "--lift")["judge"] == "Ada"
    assert run("rank", "--judges", copied, "--bootstrap", "0")["judgements"] == 18


def test_the_raw_export_marks_who_is_excluded(run: Run, tmp_path: Path) -> None:
    run("exclude", "Ada", "--reason", "clicks")
    for words, rows in (
        ("export --what judgements", 72),
        ("export --what judgements --judges Ada", 24),
        ("export --format trl", 12 + 24),  # Ben, and the baseline
    ):
        assert run(words, "--to", str(tmp_path / "out.csv"))["rows"] == rows


def test_judges_who_are_excluded_are_refused_by_name(call: Call) -> None:
    for name in ("Ada", "Ben"):
        call("exclude", name, "--reason", "clicks")
    for words, named in (("rank --judges Ada", "votes of Ada"), ("rank", "Ada, Ben")):
        said = refusal(call, words, "--method", "elo")
        assert re.search(rf"\b{named}\b[^,]*\bexclusion\b", said)


@pytest.fixture
def disputed(target: Path, run: Run, tmp_path: Path) -> Run:
    """Cy contradicts Ada and Ben on one pair of i0."""
    file = tmp_path / "more.csv"
    file.write_text("item,left,right,winner,judge,attribute\ni0,x,y,a,Cy,coherence\n")
    run("import", str(file), "--dataset", "d")
    return run


def test_a_disagreement_is_listed_decided_and_withdrawn(disputed: Run) -> None:
    (row,) = disputed("adjudicate")["disputes"]
    assert (row["item"], row["people"], {row["first"], row["second"]}) == ("i0", 3, {1, 2})
    assert "system_1" not in row
    (named,) = disputed("adjudicate", "--named")["disputes"]
    assert {named["system_1"], named["system_2"]} == {"x", "y"}
    texts = [str(row["candidate_1"]), str(row["candidate_2"])]
    words = ("--better", "first", "--texts", *texts, "--comment", "clearer")
    judgement = disputed("adjudicate", *words)["judgement"]
    (row,) = disputed("adjudicate")["disputes"]
    assert (row["decided"], row["comment"], row["by"]) == ("first", "clearer", "command line")
    # The other way round the other one is better.
    again = disputed("adjudicate", "--better", "first", "--texts", *texts[::-1])["judgement"]
    assert again != judgement
    assert disputed("adjudicate")["disputes"][0]["decided"] == "second"
    assert disputed("accuracy", "--against", "gold")["rows"]
    assert disputed("adjudicate", "--undo", str(again)) == {"withdrawn": again}
    assert disputed("adjudicate")["disputes"][0]["decided"] is None
