"""People who came by links, in browsers of their own: at once, after a reload, and when a link is
revoked under their hands.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from core import access
from core.access import Access
from core.records import Role
from core.store import Store
from pages.components.shared.frame import MENU
from tests import inviting
from tests.app_server import Server
from tests.pages.annotating import LOOK, Annotator, stored
from tests.pages.tabs import TabPool
from tests.pages.test_blinding import imported


@pytest.fixture(scope="module")
def fill() -> Callable[[Path], None]:
    def fill_(path: Path) -> None:
        imported(path)
        with Store(path) as store:
            access.people.add(store, "test", "Maria", Role.OWNER, "maria@example.org")
            access.people.set_access(store, "test", Access.MEMBERS)

    return fill_


@pytest.fixture
def person(tabs: TabPool, server: Server) -> Iterator[Callable[[str, Role], Page]]:
    """Somebody's own browser, at what their link opens."""
    with ExitStack() as lent:

        def come(name: str, role: Role = Role.ANNOTATOR) -> Page:
            page = lent.enter_context(tabs.lend())
            link = inviting.code(server.store, name, role)
            where = "annotate" if role is Role.ANNOTATOR else ""
            page.goto(server.page(where, invitation=link))
            return page

        yield come


@pytest.mark.race
@pytest.mark.browser
def test_two_annotators_and_an_owner_at_once(person: Callable[..., Page], server: Server) -> None:
    ada, grace, maria = (
        Annotator(person("Ada")),
        Annotator(person("Grace")),
        person("Eva", Role.OWNER),
    )
    for key in "1s":  # what one has skipped may be the other's next
        seen = [who.vote(key) for who in (ada, grace)]
        shown = {frozenset((one.text_a, one.text_b)) for one in seen}
        assert len(shown) == 2, "nobody has what another has"
    ada.page.reload()
    ada.vote("3")
    for name, who in (("Ada", ada), ("Grace", grace)):
        assert stored(server.store, name) == who.ledger
    maria.get_by_role("link", name="People", exact=True).click()
    expect(maria.get_by_text("You are Eva, owner.")).to_be_visible()
    expect(maria.get_by_text("2 owners and 2 annotators take part.")).to_be_visible()


@pytest.mark.race
@pytest.mark.browser
def test_a_link_is_revoked_while_its_person_annotates(
    person: Callable[..., Page], server: Server
) -> None:
    wei, owner = Annotator(person("Wei")), person("Ida", Role.OWNER)
    wei.vote("1")
    owner.get_by_role("link", name="People", exact=True).click()
    owner.get_by_label("Person", exact=True).click()
    owner.get_by_role("option", name="Wei").click()
    owner.get_by_role("button", name="Revoke links").click()
    expect(owner.get_by_text("The links of Wei end now")).to_be_visible()
    wei.page.wait_for_timeout(LOOK)
    wei.page.keyboard.press("3")
    expect(wei.page.get_by_text("Your last press was not saved.")).to_be_visible()
    expect(wei.page.get_by_text("This link was revoked on")).to_be_visible()
    assert stored(server.store, "Wei") == wei.ledger
    owner.get_by_role("button", name="Undo").click()
    expect(owner.get_by_text("The links of Wei end now")).to_have_count(0)
    wei.page.reload()
    wei.vote("3")
    assert stored(server.store, "Wei") == wei.ledger


@pytest.mark.race
@pytest.mark.browser
def test_every_way_leads_on_with_the_link(person: Callable[..., Page]) -> None:
    """Also those in the page, and after a reload."""
    page = person("Noor", Role.RESEARCHER)
    menu = page.get_by_test_id("stSidebar").get_by_role("link")
    names = [name for pages in MENU.values() for name in pages.values()]
    expect(menu).to_have_text([re.compile(f"{name}$") for name in names])  # after an icon
    page.get_by_test_id("stMain").get_by_role("link", name="Leaderboard").click()
    expect(page.get_by_role("heading", name="Leaderboard")).to_be_visible()
    page.reload()
    expect(page.get_by_role("heading", name="Leaderboard")).to_be_visible()
    page.get_by_role("link", name="Annotate").first.click()
    Annotator(page).see()
