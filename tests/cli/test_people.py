"""People on the command line: links, roles, who may come in, and the log."""

from __future__ import annotations

import json
import re
from functools import partial
from pathlib import Path

import pytest

from core.access import Claim, DeniedError, authorize
from core.pairing import open_default
from core.records import Role
from core.store import Store
from tests.cli.asked import Call
from tests.study import fill


@pytest.fixture
def people(tmp_path: Path, call_on: Call):
    """Run a verb on a store: its document, or what it says on standard error."""
    path = tmp_path / "store.sqlite3"
    Store(path).close()

    def run(*words: str, to: str = "people"):
        status, out, err = call_on(path, to, *words, "--json")
        return json.loads(out) if status == 0 else err

    run.path = path  # type: ignore[attr-defined]
    return run


NO_OWNER = r"\bowner\b.*\blink\b.*\be-mail\b"
"""What is refused when nobody could open the door again, and the two ways out."""


def code(row: dict[str, str]) -> str:
    return row["link"].partition("invitation=")[2]


def visits(path: Path, code: str) -> str:
    """The role that a link gives; why not, where it gives none."""
    with Store(path) as store:
        try:
            return authorize(store, Claim(code=code), Role.ANNOTATOR).role
        except DeniedError as denied:
            return str(denied)


def test_from_an_invitation_to_its_end(people) -> None:
    ada, wei = people("invite", "Ada", " Wei  Zhang ", "--address", "https://a.example/")
    assert [ada["person"], wei["person"]] == ["Ada", "Wei Zhang"]
    assert ada["link"].startswith("https://a.example/annotate?invitation=")
    assert visits(people.path, code(ada)) == "annotator"
    people("role", "Ada", "--role", "researcher")
    assert visits(people.path, code(ada)) == "researcher"
    people("leave", "Ada")
    assert "no longer" in visits(people.path, code(ada))
    people("return", "Ada")
    assert visits(people.path, code(ada)) == "researcher"
    people("revoke", "Ada")
    assert re.search(r"\brevoked on \d", visits(people.path, code(ada)))
    assert visits(people.path, code(wei)) == "annotator"
    (again,) = people("invite", "Ada")
    assert again["link"].startswith("http://localhost:8501/?invitation=")
    rows = {row["person"]: row for row in people("list")}
    assert rows["Ada"]["revoked_at"] is None
    assert [row["action"] for row in people("log")] == [
        "invited", "revoked", "back", "left", "role", "invited", "added", "invited", "added",
    ]  # fmt: skip


def test_who_differs_from_somebody_in_capitals_alone_is_said_to_be_new(
    tmp_path: Path, call_on: Call
) -> None:
    for verb in ("add", "invite"):
        Store(tmp_path / verb).close()
        for name, is_new in (("Bob", 0), ("bob", 1), ("Ada", 0), ("b\u200bob", 0)):
            _, _, err = call_on(tmp_path / verb, "people", verb, name)
            assert bool(re.search(r"\bbob\b.*\bnew\b.*\bBob\b", err)) == is_new


def test_whoever_shuts_the_door_is_given_a_link_first(people) -> None:
    document = people("access", "members")
    (link,) = document["links"]
    assert visits(people.path, code(link)) == "owner"
    assert people("access") == {"access": "members", "links": []}
    assert re.search(NO_OWNER, people("leave", link["person"]))
    assert people("access", "anyone")["access"] == "anyone"


def test_an_address_is_given_and_taken(people) -> None:
    old, new = "ada@example.org", "lovelace@example.org"
    people("add", "Ada", "--email", old, "--role", "owner")
    people("access", "members")  # she can come in: no link is made
    assert re.search(NO_OWNER, people("email", "Ada", "--email", ""))
    (ada,) = people("email", "Ada", "--email", new)
    assert ada["email"] == new
    assert people("log")[0]["details"] == {"before": old, "now": new}


def test_links_go_into_a_file(people, tmp_path: Path) -> None:
    people("invite", "Ada", "Ben", "--to", str(tmp_path / "links.csv"))
    assert (tmp_path / "links.csv").read_text().count("invitation=") == 2
    assert "no folder" in people("invite", "Cleo", "--to", "/nowhere/links.csv")
    assert [row["person"] for row in people("list")] == ["Ada", "Ben"]


def test_what_is_refused_changes_nothing(people) -> None:
    people("add", "Ada", "Ben")
    people("leave", "Ben")
    before = people("log")
    for words, said in (
        (["invite"], "nobody is named"),
        (["invite", "Cleo", "a:b"], "'a:b' is taken"),
        (["revoke", "Cleo"], "nobody here is called 'Cleo'"),
        (["role", "Ada"], "required: --role"),
        (["invite", "Ada", "--role", "owner"], "Ada is here as annotator"),
        (["invite", "Ben"], "Ben has left this study"),
        (["add", "Cleo", "--email", "cleo"], "'cleo' is not an e-mail"),
        (["add", "Cleo", "Dan", "--email", "c@d.org"], "is of one person"),
        (["email", "Ada"], "one person and --email are needed"),
        (["access", "all"], "one of open, members, anyone"),
        (["invite", "Ada", "--campaign", "x"], "there is no open campaign 'x'"),
        (["invite", "Ada", "--address", "https://a.example/?x=1"], "holds a ? or #"),
        (["invite", "Ada", "--address", "https://a.example/#y"], "holds a ? or #"),
        (["revoke", "Ada", "--days", "3"], "unrecognized arguments: --days 3"),
    ):
        assert said in people(*words)
        assert people("log") == before
        assert [row["person"] for row in people("list")] == ["Ada", "Ben"]


def test_links_open_at_the_data_set_that_was_named(people) -> None:
    with Store(people.path) as store:
        for name in ("first", "third"):
            fill(store, dataset=name)
    (row,) = people("invite", "Ada", "--dataset", "third")
    assert "/annotate?dataset=third&invitation=" in row["link"]
    assert visits(people.path, code(row)) == Role.ANNOTATOR
    unknown = people("invite", "Ada", "--dataset", "fourth")
    assert re.search("'fourth'.*: first, third$", unknown.strip())


def test_a_list_becomes_links_with_a_text_each(people, tmp_path: Path) -> None:
    """And everybody's link is renewed for the campaign that they had."""
    with Store(people.path) as store:
        fill(store)
        open_default(store, "tiny")
        campaign = store.campaigns.default("tiny").id
    (tmp_path / "list.csv").write_text("\ufeffname;email\nAda;ada@example.org\n\nBo;\n")
    more = ["--from", str(tmp_path / "list.csv"), "--campaign", "all pairs", "--text"]
    text = "Dear {name} of {study}: {link}"
    ada, bo = people("invite", *more, text)
    assert (ada["email"], bo["email"]) == ("ada@example.org", "")
    assert ada["text"] == text.format(name="Ada", study="tiny", link=ada["link"])
    links = [row["link"] for row in people("renew", "Ada", "Bo")]
    assert len({*links, ada["link"], bo["link"]}) == 4
    with Store(people.path) as store:
        rows = store.connection.rows(
            "SELECT campaign, revoked_at IS NULL FROM invitations ORDER BY id"
        )
    assert rows == [(campaign, 0), (campaign, 0), (campaign, 1), (campaign, 1)]
    assert "Cy" in people("renew", "Cy")
    assert "{link}" in people("invite", *more, "no link")


def test_a_broken_list_invites_nobody(people, tmp_path: Path) -> None:
    for text, line, value in [
        ("Ada\n\na = [\n", 3, "a = ["),
        ('{"name": "Ada"}\n', 1, '{"name": "Ada"}'),
        ("<html>\n", 1, "<html>"),
        ("Ada\n---\n", 2, "---"),
        ("Ada\nhuman\n", 2, "human"),
        ("Ada\n" + "x" * 81, 2, "x" * 80),
        ("Ada,ada@example.org,annotator\n", 1, "annotator"),
        ("name,email\nAda,ada@example.org\n,bo@example.org\n", 3, "bo@example.org"),
        ("name;email\nAda;ada at example.org\n", 2, "ada at example.org"),
        ('name,note,email\nAda,"breaks off,a@b.org\nBo,,b@b.org\n', 2, "quotes"),
        ("", 0, "names nobody"),
    ]:
        (tmp_path / "list").write_text(text)
        for verb in ("invite", "renew"):
            refusal = people(verb, "Cy", "--from", str(tmp_path / "list"))
            assert value in refusal
            assert f"line {line} of" in refusal or not line
        assert people("list") == []


def test_a_crowd_comes_by_one_link(people, tmp_path: Path) -> None:
    """Terms change one by one; payments go to a file, and the log has it."""
    with Store(people.path) as store:
        fill(store)
        open_default(store, "tiny")
    crowd = partial(people, to="crowd")
    assert "crowd open" in crowd("show")
    opened = crowd("open", "--code", "C1", "--places", "5", "--address", "https://s.example.org")
    assert opened["link"].startswith("https://s.example.org/annotate?crowd=")
    changed = crowd("open", "--places", "0", "--hash-ids", "--before", "Age? | number")
    terms = {"code": "C1", "places": None, "before": ["Age? | number"]}
    assert changed["terms"].items() >= terms.items()
    assert changed["link"].partition("?")[2] == opened["link"].partition("?")[2]
    assert crowd("open", "--new-link")["link"] != changed["link"]
    assert "http://x.org" in crowd("open", "--return-to", "http://x.org")
    assert crowd("close")["open"] is False
    assert crowd("payments") == crowd("answers") == []
    file = tmp_path / "payment.csv"
    assert isinstance(crowd("payments", "--to", str(file)), str), "nobody is to be paid"
    assert not file.exists()
    actions = [row["action"].partition(" to ")[0] for row in people("log")]
    assert actions == ["export", "closed", "opened", "opened", "opened"]
