"""Imported votes are known again, also in stores of before they were known by numbers (schema 18)."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from core.campaigns import enrol
from core.exporting.export import export, save
from core.findings.judgements import Selection
from core.importing import Reading, Repeats, importer
from core.records import Answer, Dataset, Outcome
from core.store import Store
from tests.kept_stores import write_kept

VOTES = "item,system_a,system_b,winner,judge,comment\n" + "".join(
    f"i{i},short,middle,{['a', 'b', 'tie'][i % 3]},Cy,\n"
    f"i{i},long,middle,{['b', 'a'][i % 2]},Cy,so it is\n"
    f"i{i},long,middle,{['b', 'a'][i % 2]},Dee,\n"
    for i in range(6)
)
"""The votes that the kept store was made with."""

EVERY = Reading(repeats=Repeats.ALL)


@pytest.fixture
def old(tmp_path: Path) -> Path:
    return write_kept("from18", tmp_path / "old.sqlite3")


def test_a_file_of_before_adds_nothing_again(old: Path, tmp_path: Path) -> None:
    file = tmp_path / "votes.csv"
    file.write_text(VOTES)
    with Store(old) as store:
        added = importer.load(store, [file], Dataset("d")).added
        assert (added["judgements"], added["comparisons"]) == (0, 0)
        file.write_text(VOTES + "i0,short,long,b,Cy,\n")
        assert importer.load(store, [file], Dataset("d")).added["judgements"] == 1
        assert store.connection.check()["ok"]


def load(store: Store, path: Path) -> dict[str, int]:
    return importer.load(store, [path], Dataset("d")).added


def test_a_vote_without_an_item_stays_what_it_was_when_the_file_grows(
    store: Store, tmp_path: Path
) -> None:
    head, rows = "system_a,system_b,winner,judge\n", "x,y,a,Ada\nx,y,b,Ada\nx,y,a,Ada\n"
    file = tmp_path / "votes.csv"
    file.write_text(head + rows)
    assert load(store, file)["judgements"] == 3
    before = store.judgement_frames.load_exported("d")
    file.write_text(head + "x,z,a,Bo\n" + rows)
    assert load(store, file)["judgements"] == 1
    after = store.judgement_frames.load_exported("d")
    assert after[after["judge"] == "Ada"].reset_index(drop=True).equals(before)


def test_items_that_are_called_like_rows_are_known_again(store: Store, tmp_path: Path) -> None:
    file = tmp_path / "votes.csv"
    lines = [f"row-{9 - i},x,y,a,Ada\n" for i in range(9)]
    file.write_text("item,system_a,system_b,winner,judge\n" + "".join(lines))
    assert [load(store, file)["judgements"] for _ in range(2)] == [9, 0]
    assert store.connection.value("SELECT count(*) FROM judgements WHERE itemless") == 9


def test_a_file_that_is_left_out_says_nothing(store: Store, tmp_path: Path) -> None:
    """What others say, too, they say themselves."""
    folder = tmp_path / "files"
    folder.mkdir()
    head = "item,system_a,system_b,winner,judge\n"
    (folder / "a.csv").write_text(head + "i0,x,y,a,Ada\n" + "i1,x,x,a,Ada\n" * 3)
    (folder / "b.csv").write_text(head + "i0,x,y,b,Ada\ni2,x,y,b,Bo\n")
    report = importer.load(store, [folder], Dataset("d"))
    assert [one["file"] for one in report.left_out] == ["a.csv"]
    assert (report.rows, report.skipped) == (2, [])
    for name in ("judgements", "items", "systems"):
        assert report.counts[name] == report.added[name] == 2


def test_what_was_exported_adds_nothing(store: Store, tmp_path: Path) -> None:
    """Votes that came with a file and one that was given here, under whatever name they come back."""
    path = tmp_path / "votes.csv"
    path.write_text(
        "item,context,system_a,system_b,text_a,text_b,winner,judge,timestamp\n"
        "1,C,x,y,one,two,a,Ada,2024-03-01 10:00\n1,C,x,y,one,two,a,Ada,2024-03-01 11:00\n"
        "1,C,x,y,one,two,b,Bo,2024-03-01 12:00\n1,C,x,y,one,two,b,Bo,2024-03-01 12:00\n"
    )
    importer.load(store, [path], Dataset("d"), EVERY)
    comparison = store.connection.value("SELECT id FROM comparisons")
    store.judgements.add_vote(None, comparison, enrol(store, "Eve"), Answer(outcome=Outcome.A))
    for name, names in (("out.csv", True), ("another.jsonl", True)):
        out = tmp_path / name
        asked = export(store, "judgements", Selection("d"), who="test", names=names)
        save(asked, out)
        report = importer.load(store, [out], Dataset("d"), EVERY)
        assert (report.counts["judgements"], report.added["judgements"]) == (5, 0)
    save(export(store, "judgements", Selection("d"), who="test"), tmp_path / "unnamed.csv")
    report = importer.load(store, [tmp_path / "unnamed.csv"], Dataset("d"))
    hidden = r"\bperson-[0-9].*\bexport\b.*\bnames\b"
    assert any(re.search(hidden, warning) for warning in report.warnings)


def test_a_comment_that_no_store_can_hold_costs_no_vote(store: Store, tmp_path: Path) -> None:
    path = tmp_path / "votes.csv"
    path.write_text("system_a,system_b,winner\nx,y,a\n")
    importer.load(store, [path], Dataset("d"))
    comparison = store.connection.value("SELECT id FROM comparisons")
    answer = Answer(outcome=Outcome.A, comment="good\0, \ud800really")
    row = store.judgements.add_vote(None, comparison, enrol(store, "Eve"), answer)
    assert store.judgements.load_answer(row).comment == "good, really"
