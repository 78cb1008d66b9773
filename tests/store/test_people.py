"""People, their links, settings and the log, as they are kept."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from core.access import people
from core.campaigns import enrol
from core.importing import importer
from core.records import Dataset, FaultError, JudgeSpec, Kind, Role, TandemError
from core.store import Store, clean_name
from tests.study import fill


def test_whoever_annotates_is_a_person(store: Store) -> None:
    store.people.add("Ada", Role.RESEARCHER)
    for name in ("Ada", "Grace", "Ada"):
        enrol(store, name)
    people = store.people.load_all().set_index("person")
    assert people["role"].to_dict() == {"Ada": "researcher", "Grace": "annotator"}
    grace = store.people.of_judge(store.judges.id_of("Grace"))
    assert grace == store.people.find_by_name("Grace")
    assert store.people.pseudonyms() == {"Ada": "person-1", "Grace": "person-2"}


def test_a_name_is_one_persons(store: Store) -> None:
    store.judges.add([JudgeSpec("gpt", Kind.LLM)])
    store.people.add("Ada", Role.ANNOTATOR, "ada@example.org")
    for name, email, says in (
        ("Ada", "", r"'Ada' .*another name"),
        ("Ben", "ADA@example.org", r"ADA@example\.org .*\bAda\b.*another address"),
        ("gpt", "", r"'gpt' .*judge.*another name"),
    ):
        with pytest.raises(TandemError, match=says):
            store.people.add(name, Role.OWNER, email)


def test_nobody_waits_for_being_noted(store: Store) -> None:
    person, statements = store.people.add("Ada", Role.ANNOTATOR), list[str]()
    store.connection._db.set_trace_callback(statements.append)
    with closing(sqlite3.connect(store.path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(FaultError, match=r"program .*/store\.sqlite3 locked"):
            store.people.record_visit(person, None)
    waits = [int(said.rpartition(" ")[2]) for said in statements if "busy_timeout" in said]
    assert waits[0] <= 100, "milliseconds, for this write"
    assert waits[1:] == [30_000], "and as before after it"
    store.people.record_visit(person, None)
    assert store.people.load_all().iloc[0]["seen_at"]


def test_a_link_is_used_first_once_and_one_for_a_campaign_leaves_others_alone(store: Store) -> None:
    fill(store)
    campaign = store.connection.value(
        "INSERT INTO campaigns (dataset, name, created_at) VALUES ('tiny', 'c', '') RETURNING id"
    )
    person = store.people.add("Ada", Role.ANNOTATOR)
    link, seen = store.people.invite(person, "all", None, ""), []
    for _ in range(2):
        store.people.record_visit(person, link)
        seen.append(store.people.load_all().iloc[0][["seen_at", "used_at"]].tolist())
    assert seen[0] == seen[1]
    assert all(seen[0])
    for code in ("one", "another"):
        store.people.invite(person, code, campaign, "")
    ended = [bool(store.people.invitation(code).revoked_at) for code in ("all", "one", "another")]
    assert ended == [False, True, False]
    assert len(store.people.revoke(person)) == 2
    assert store.people.dataset_of(campaign) == "tiny"


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
    rows = (f"i{n},x,y,a,{name}\n" for n, name in enumerate(names))
    path.write_text("item,system_a,system_b,winner,judge\n" + "".join(rows))
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
