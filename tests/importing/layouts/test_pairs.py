"""Pairs that nobody has judged yet: just these are asked about."""

from __future__ import annotations

import pytest

from core.campaigns import enrol
from core.records import TandemError
from core.store import Store
from tests.published import Study
from tests.study import ask


def pair(prompt: str, a: str, b: str, **more: str) -> dict[str, str]:
    return {
        "prompt": prompt, "model_a": a, "response_a": f"{a} on {prompt}", "model_b": b,
        "response_b": f"{b} on {prompt}", **more,
    }  # fmt: skip


def planned(store: Store) -> set[tuple[str, str]]:
    """The systems of the pairs to ask, by name."""
    rows = store.connection.rows(
        """SELECT s.name, t.name FROM campaign_pairs p JOIN generations a ON a.id = p.generation_1
        JOIN generations b ON b.id = p.generation_2 JOIN systems s ON s.id = a.system
        JOIN systems t ON t.id = b.system"""
    )
    return {(min(each), max(each)) for each in rows}


def test_of_three_texts_just_the_listed_pairs_are_asked(published: Study) -> None:
    published.bring("p.csv", [pair("q", "x", "y"), pair("q", "z", "y")])
    assert planned(published.store) == {("x", "y"), ("y", "z")}
    assert len(published.texts()) == 3
    assert published.votes() == []


def test_a_text_that_comes_later_is_not_asked_about_by_itself(published: Study) -> None:
    published.bring("p.csv", [pair("q", "x", "y")])
    published.bring("more.csv", [{"prompt": "q", "model": "w", "response": "w on q"}])
    assert planned(published.store) == {("x", "y")}
    published.bring(
        "other.csv", [{"prompt": "r", "model": name, "response": name} for name in "xyw"]
    )
    assert planned(published.store) == {("x", "y"), ("w", "x"), ("w", "y")}


def test_what_is_listed_can_be_answered(published: Study) -> None:
    published.bring("p.csv", [pair("q", "x", "y")])
    enrol(published.store, "Ada")
    shown = ask(published.store, "Ada", "d")
    assert shown is not None
    assert {shown.text_a, shown.text_b} == {"x on q", "y on q"}


def test_the_same_pairs_again_add_nothing(published: Study) -> None:
    rows = [pair("q", "x", "y"), pair("r", "x", "y")]
    path = published.write("p.csv", rows)
    published.load(path)
    assert set(published.load(path).added.values()) == {0}
    assert published.store.connection.value("SELECT count(*) FROM campaign_pairs") == 2


def test_votes_in_one_row_make_it_a_table_of_votes(published: Study) -> None:
    rows = [pair("q", "x", "y", winner=""), pair("r", "x", "y", winner="model_a")]
    published.bring("v.csv", rows)
    assert [answer for *_, answer in published.votes()] == ["no-answer", "a"]


def test_texts_without_names_need_two_systems(published: Study) -> None:
    rows = [{"id": "1", "response_a": "one", "response_b": "two"}]
    with pytest.raises(TandemError, match="systems"):
        published.bring("p.csv", rows)


def test_a_pair_without_a_text_is_skipped(published: Study) -> None:
    rows = [pair("q", "x", "y"), {**pair("r", "x", "y"), "response_b": ""}]
    report = published.bring("p.csv", rows)
    assert [row["row"] for row in report.skipped] == [2]
