"""People, their links, settings and the log, as they are kept."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from core.campaigns import enrol
from core.records import FaultError, JudgeSpec, Kind, Role, TandemError
from core.store import Store
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
    store.people.add("Ada", Role.ANNOTATOR, "ada@example.org")
    with pytest.raises(TandemError, match=r"'Ada' .*another name"):
        store.people.add("Ada", Role.OWNER)
    with pytest.raises(TandemError, match=r"ADA@example\.org .*\bAda\b.*another address"):
        store.people.add("Ben", Role.OWNER, "ADA@example.org")


def test_a_judge_is_no_person(store: Store) -> None:
    store.judges.add([JudgeSpec("gpt", Kind.LLM)])
    with pytest.raises(TandemError, match=r"'gpt' .*judge.*another name"):
        store.people.add("gpt", Role.ANNOTATOR)


def test_a_link_is_used_for_the_first_time_once(store: Store) -> None:
    person = store.people.add("Ada", Role.ANNOTATOR)
    link = store.people.invite(person, "hash", None, "")
    seen = []
    for _ in range(2):
        store.people.record_visit(person, link)
        row = store.people.load_all().iloc[0]
        seen.append((row["seen_at"], row["used_at"]))
    assert seen[0] == seen[1]
    assert all(seen[0])


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


def test_a_link_for_a_campaign_leaves_others_alone(store: Store) -> None:
    fill(store)
    campaign = store.connection.value(
        """INSERT INTO campaigns (dataset, name, created_at) VALUES ('tiny', 'c', '')
        RETURNING id"""
    )
    person = store.people.add("Ada", Role.ANNOTATOR)
    store.people.invite(person, "all", None, "")
    store.people.invite(person, "one", campaign, "")
    store.people.invite(person, "another", campaign, "")
    ended = {code: store.people.invitation(code).revoked_at for code in ("all", "one", "another")}
    assert {code: bool(moment) for code, moment in ended.items()} == {
        "all": False,
        "one": True,
        "another": False,
    }
    assert len(store.people.revoke(person)) == 2
    assert store.people.dataset_of(campaign) == "tiny"


def test_settings_have_a_default_and_a_last_value(store: Store) -> None:
    assert store.settings.get("access", "open") == "open"
    for value in ("members", "anyone"):
        store.settings.put("access", value)
    assert store.settings.get("access", "open") == "anyone"
