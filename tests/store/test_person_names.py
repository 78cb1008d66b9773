"""Two spellings of a name that nobody can tell apart are one person (Unicode: NFC, UAX 31)."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from core.access import people
from core.campaigns import enrol
from core.importing import importer
from core.records import Dataset, JudgeSpec, Kind, Role, TandemError
from core.store import Store, clean_name

UNSEEN = "\u3164", "\u115f", "\u1160", "\uffa0", "\u2800"
"""Those that count as printable; others, such as a zero-width space, are refused when typed."""


def test_letters_that_nobody_sees_make_no_other_person(store: Store) -> None:
    ada = enrol(store, "Ada")
    for letter in UNSEEN:
        assert enrol(store, f"A{letter}da{letter}") == ada
        assert people.person_named(store, f"{letter}Ada").name == "Ada"
        with pytest.raises(TandemError, match="1 to 80"):
            enrol(store, letter * 3)
        with pytest.raises(TandemError, match="here already"):
            people.add(store, "owner", f"Ada{letter}", Role.ANNOTATOR)
    assert clean_name("علی\u200cرضا") == "علی\u200cرضا"  # joiners stay where they are seen
    assert clean_name("A\u200cda") == "Ada"


def test_compositions_of_a_name_are_one_person_and_capital_letters_are_not(store: Store) -> None:
    assert enrol(store, "José") == enrol(store, "Jose\u0301") == enrol(store, "  José ")
    store.judges.add([JudgeSpec("Zoe\u0301", Kind.HUMAN)])  # as an older store spells it
    assert enrol(store, "Zoe\u0301") == enrol(store, "Zoé") == store.judges.id_of("Zoe\u0301")
    enrol(store, "Bob")
    assert store.people.list_similar_names("bob") == ["Bob"]
    assert store.people.list_similar_names("Bob") == store.people.list_similar_names("Eve") == []
    assert enrol(store, "bob") != enrol(store, "Bob")


def test_raters_of_files_are_one_where_their_names_look_the_same(
    store: Store, tmp_path: Path
) -> None:
    path = tmp_path / "votes.csv"
    names = ("José", "Jose\u0301", "Jos\u200bé", "bob", "Bob")
    path.write_text(
        "item,system_a,system_b,winner,judge\n"
        + "".join(f"i{n},x,y,a,{name}\n" for n, name in enumerate(names))
    )
    report = importer.load(store, [path], Dataset("d"))
    assert store.judges.load_all()["judge"].tolist() == ["Bob", "José", "bob"]
    assert report.added["judgements"] == 5
    (warning,) = [warning for warning in report.warnings if "'Bob' and 'bob'" in warning]
    assert "capital letters" in warning
    assert importer.load(store, [path], Dataset("d")).added["judgements"] == 0


def test_a_rater_whom_nobody_sees_is_refused_with_the_row(store: Store, tmp_path: Path) -> None:
    path = tmp_path / "votes.csv"
    path.write_text("system_a,system_b,winner,judge\nx,y,a,Ada\nx,y,b,Ada\nx,y,b,\u3164\n")
    (row,) = importer.load(store, [path], Dataset("d")).skipped
    assert row["row"] == 3
    assert re.search(r"rater.*\\u3164.*letter", str(row["reason"]))
