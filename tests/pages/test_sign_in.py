"""Signing in by OpenID Connect, with a real provider on this machine and a browser in front."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from core import access
from core.access import Access
from core.records import Role
from core.store import Store
from pages.components.shared import visitor
from tests.app_server import Server, serving
from tests.oidc import Provider
from tests.pages.drawn import draw, labels, words
from tests.study import fill


@pytest.fixture(scope="module")
def provider() -> Iterator[Provider]:
    with Provider() as running:
        yield running


def invite(store: Store) -> None:
    """Nobody is let in but Ada, who annotates, and Maria, an owner."""
    access.people.add(store, "test", "Ada", Role.ANNOTATOR, "ada@example.org")
    access.people.add(store, "test", "Maria", Role.OWNER, "maria@example.org")
    access.people.set_access(store, "test", Access.MEMBERS)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, provider: Provider) -> Iterator[Server]:
    """An app that one signs in to."""
    folder: Path = tmp_path_factory.mktemp("sign_in")
    (folder / "secrets.toml").write_text(provider.secrets())
    with Store(folder / "store.sqlite3") as store:
        fill(store)
        invite(store)
    secrets = f"--secrets.files={folder / 'secrets.toml'}"
    with serving(folder / "store.sqlite3", secrets) as running:
        yield running


def sign_in(page: Page, server: Server, provider: Provider, **claims: object) -> None:
    provider.user = claims
    page.goto(server.page())
    page.get_by_role("button", name="Sign in").click()


@pytest.mark.browser
def test_an_owner_signs_in_reloads_and_out(page: Page, server: Server, provider: Provider) -> None:
    sign_in(page, server, provider, email="Maria@Example.org", email_verified=True)
    expect(page.get_by_role("heading", name="Overview")).to_be_visible()
    page.goto(server.page("people"))
    expect(page.get_by_text("Maria, owner")).to_be_visible()
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("button", name="Sign in")).to_be_visible()
    page.goto(server.page("people"))
    expect(page.get_by_role("button", name="Sign in")).to_be_visible()


@pytest.mark.browser
def test_an_annotator_is_led_to_their_pairs(page: Page, server: Server, provider: Provider) -> None:
    sign_in(page, server, provider, email="ada@example.org", email_verified=True)
    expect(page).to_have_url(f"{server.url}/annotate?dataset=tiny")
    page.goto(server.page("people"))
    expect(page.get_by_role("link", name="Go to your pairs")).to_be_visible()


@pytest.mark.browser
def test_whom_nobody_knows_may_sign_out_again(
    page: Page, server: Server, provider: Provider
) -> None:
    sign_in(page, server, provider, email="eve@example.org", email_verified=True)
    expect(page.get_by_text("address eve@example.org")).to_be_visible()
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("button", name="Sign in")).to_be_visible()


def test_whom_a_sign_in_does_not_let_in(study: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    invite(study)
    for claims, said in (
        ({"email": "eve@example.org", "email_verified": True}, "Nobody with the address eve@"),
        ({"email": "maria@example.org", "email_verified": False}, "does not confirm that maria@"),
        ({"email": "maria@example.org"}, "does not confirm that maria@"),
        ({}, "gives no e-mail address"),
    ):
        monkeypatch.setattr(visitor.st, "user", {"is_logged_in": True, **claims})
        app = draw()
        assert said in words(app), claims
        assert labels(app.button) == ["Sign out"]
