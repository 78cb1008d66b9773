"""The People page: inviting, changing, and what is written down about it."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing

import pytest
from streamlit.runtime.context import ContextProxy
from streamlit.testing.v1 import AppTest

from core import access
from core.access import Access
from core.campaigns import enrol
from core.records import Role
from core.store import Store
from pages.components.shared import visitor
from pages.components.shared.downloads import NAMES
from pages.components.shared.stores import COMMAND, WIDE_OPEN
from tests import inviting
from tests.pages.drawn import draw, find, labels, press, run
from tests.pages.sentences import find_sentence

SHOWN_ADDRESS = "open this study"
"""What the page says where the address that it shows is one that others can open."""


@pytest.fixture
def store(study: Store) -> Store:
    return study


def words(app: AppTest) -> str:
    return "\n".join(element.proto.body for element in app.main.get("html"))


def links(app: AppTest) -> list[str]:
    """The codes of the links that are shown."""
    return [code.value.partition("invitation=")[2] for code in app.main.code]


def invite(app: AppTest, *names: str, role: Role = Role.ANNOTATOR) -> list[str]:
    app.text_area(key="invite names").set_value("\n".join(names))
    app.selectbox(key="invite role").set_value(role)
    return links(press(app, "Make links"))


def test_links_are_shown_once_and_kept_as_hashes(store: Store) -> None:
    app = draw("people")
    ada, grace = invite(app, " Ada ", "", "Grace", role=Role.RESEARCHER)
    assert ada != grace
    assert len(ada) == len(grace) == 32
    assert "2 researchers" in words(app)
    with closing(sqlite3.connect(store.path)) as db:
        assert not [row for row in db.iterdump() if ada in row or grace in row]
    press(app, "Done, hide them")
    assert links(app) == []
    assert links(draw("people")) == []


def test_a_name_or_an_address_that_cannot_be_used_invites_nobody(store: Store) -> None:
    app = draw("people")
    assert find_sentence(words(app), "Nobody", "invited")
    assert find_sentence(words(app), "no decisions")
    assert invite(app, "Ada", "human") == []
    assert "&#x27;human&#x27; is taken" in words(app)
    assert app.text_area(key="invite names").value == "Ada\nhuman"
    for address in ("https://a.example/?x=1", "https://a.example/#y"):
        app.text_input(key="invite address").set_value(address)
        assert invite(app, "Ada") == []
        assert "holds a ? or #" in words(app)
    assert store.people.load_all().empty
    assert store.audit.load_all().empty
    app.text_input(key="invite address").set_value("https://a.example/")
    assert len(invite(app, "Ada")) == 1
    assert store.settings.get("address") == "https://a.example"
    assert app.main.code[0].value.startswith("https://a.example/")


def test_how_others_get_in_is_told(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    store.settings.put("address", "http://localhost:8501")
    monkeypatch.setattr(visitor, "is_elsewhere", lambda: False)
    for headers, opened, said in (
        ({}, "http://localhost:8501/people", "--server.address 0.0.0.0"),
        ({"X-Forwarded-Host": "localhost:9443"}, "https://localhost:9443/people", SHOWN_ADDRESS),
        ({}, "https://study.example.org/people", SHOWN_ADDRESS),
    ):
        monkeypatch.setattr(ContextProxy, "headers", headers)
        monkeypatch.setattr(ContextProxy, "url", opened)
        text = words(draw("people"))
        assert said in text
        assert ("--server.address" in text) == (said != SHOWN_ADDRESS)


def test_what_is_done_to_somebody_can_be_undone(store: Store) -> None:
    inviting.code(store.path, "Ada")
    for done, before, after in (
        ("Revoke links", "not opened yet", "revoked"),
        ("Has left", "annotator", "has left"),
    ):
        app = draw("people")
        for label, expected in (("", before), (done, after), ("Undo", before)):
            if label:
                press(app, label)
            shown = app.main.dataframe[0].value.iloc[0]
            assert any(str(cell).startswith(expected) for cell in shown)
    actions = store.audit.load_all()["action"].tolist()
    assert actions == ["back", "left", "restored", "revoked", "invited", "added"]


def test_a_press_that_overtakes_a_choice_is_about_whom_the_page_shows(store: Store) -> None:
    for name in ("Ada", "Wei"):
        inviting.code(store.path, name)
    app = draw("people")
    app.selectbox(key="member").set_value("Wei")  # and at once, in the same look:
    press(app, "Revoke links")
    assert find_sentence(words(app), "links of Wei", "end")
    people = store.people.load_all().set_index("person")
    assert people["revoked_at"].notna().to_dict() == {"Ada": False, "Wei": True}


def test_a_role_is_changed_and_written_down(store: Store) -> None:
    inviting.code(store.path, "Ada")
    app = draw("people")
    find(app.main.selectbox, "Role").set_value(Role.OWNER)
    assert re.search(r"\bAda\b.*\bowner now\b", words(run(app)))
    assert store.people.load_all()["role"].tolist() == [Role.OWNER]
    row = store.audit.load_all().iloc[0]
    assert (row["who"], row["action"], row["subject"]) == ("this machine", "role", "Ada")
    assert row["details"] == '{"before": "annotator", "now": "owner"}'


def test_who_may_come_in_is_chosen_and_owners_cannot_shut_themselves_out(store: Store) -> None:
    app = draw("people")
    app.radio[0].set_value("members").run()
    assert "no owner" in words(app).lower()
    assert store.settings.get("access", "open") == "open"
    app.radio[0].set_value("anyone").run()
    assert WIDE_OPEN in words(app)
    assert WIDE_OPEN in words(draw())
    inviting.code(store.path, "Ada", Role.OWNER)
    app.radio[0].set_value("members").run()
    assert store.settings.get("access") == "members"
    assert "by invitation" in app.title[0].value  # this session has no link


def test_the_door_says_how_an_owner_comes_in_to_those_without_a_link(store: Store) -> None:
    inviting.code(store.path, "Maria", Role.OWNER)
    link = inviting.code(store.path, "Ada")
    access.revoke(store, "test", "Ada")
    access.people.set_access(store, "test", Access.MEMBERS)
    assert [code.value for code in draw("people").main.code] == [COMMAND]
    assert not draw("people", invitation=link).main.code
    assert "revoked on" in words(draw("people", invitation=link))


def test_names_are_offered_where_there_are_some(store: Store) -> None:
    for are_there in (False, True):
        assert (NAMES in labels(draw("data").main.checkbox)) == are_there
        enrol(store, "Ada")


def test_researchers_see_who_is_there_and_decide_nothing(store: Store) -> None:
    app = draw("people", invitation=inviting.code(store.path, "Ada", Role.RESEARCHER))
    assert "1 researcher" in words(app)
    assert not app.main.button
    assert not app.main.text_area
    assert not app.main.radio


def test_whoever_has_an_address_signs_in_where_that_can_be(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Elsewhere an address stands beside the link."""
    assert len(invite(draw("people"), "Bo, bo@example.org", "Cy")) == 2
    assert store.people.load_all()["invited_at"].notna().all()
    monkeypatch.setattr("pages.components.people.invite.providers", lambda: [""])
    app = draw("people")
    assert len(invite(app, "Ada, ada@example.org", "Grace")) == 1
    people = store.people.load_all().set_index("person")
    assert people.loc["Ada", "email"] == "ada@example.org"
    assert people.loc[["Ada", "Grace"], "invited_at"].notna().tolist() == [False, True]
    assert "1 person can" in words(app)
