"""People who came by links, in browsers of their own: at once, after reload and revocation."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from core import access
from core.access import Access, CrowdTerms
from core.campaigns import Design, open_campaign
from core.pairing import Choice
from core.records import Role
from core.store import Store
from pages.components.shared.frame import PAGES
from tests import inviting
from tests.app_server import Server
from tests.campaigns.panels import Panel
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
    ada, grace = Annotator(person("Ada")), Annotator(person("Grace"))
    maria = person("Eva", Role.OWNER)
    for key in "1s":  # what one has skipped may be the other's next
        seen = [who.vote(key) for who in (ada, grace)]
        shown = {frozenset((one.text_a, one.text_b)) for one in seen}
        assert len(shown) == 2, "nobody has what another has"
    ada.page.reload()
    ada.vote("3")
    for name, who in (("Ada", ada), ("Grace", grace)):
        assert stored(server.store, name) == who.ledger
    maria.get_by_role("link", name="People", exact=True).click()
    expect(maria.get_by_text("Eva, owner")).to_be_visible()
    expect(maria.get_by_text("2 owners and 2 annotators")).to_be_visible()


@pytest.mark.race
@pytest.mark.browser
def test_a_link_is_revoked_while_one_annotates(person: Callable[..., Page], server: Server) -> None:
    wei, owner = Annotator(person("Wei")), person("Ida", Role.OWNER)
    wei.vote("1")
    owner.get_by_role("link", name="People", exact=True).click()
    owner.get_by_text("Change roles and links").click()
    owner.get_by_label("Person", exact=True).click()
    owner.get_by_role("option", name="Wei").click()
    owner.get_by_role("button", name="Revoke links").click()
    expect(owner.get_by_text("Wei end")).to_be_visible()
    wei.page.wait_for_timeout(LOOK)
    wei.page.keyboard.press("3")
    expect(wei.page.get_by_text("not saved")).to_be_visible()
    expect(wei.page.get_by_text("revoked on")).to_be_visible()
    assert stored(server.store, "Wei") == wei.ledger
    owner.get_by_role("button", name="Undo").click()
    expect(owner.get_by_text("Wei end")).to_have_count(0)
    wei.page.reload()
    wei.vote("3")
    assert stored(server.store, "Wei") == wei.ledger


@pytest.mark.race
@pytest.mark.browser
def test_every_way_leads_on_with_the_link(person: Callable[..., Page]) -> None:
    """Also those in the page, and after a reload."""
    page = person("Noor", Role.RESEARCHER)
    menu = page.get_by_test_id("stSidebar").get_by_role("link")
    expect(menu).to_have_text([f"{entry.icon}{entry.name}" for entry in PAGES])
    page.get_by_test_id("stMain").get_by_role("link", name="Leaderboard").click()
    expect(page.get_by_role("heading", name="Leaderboard")).to_be_visible()
    page.reload()
    expect(page.get_by_role("heading", name="Leaderboard")).to_be_visible()
    page.get_by_role("link", name="Annotate").first.click()
    Annotator(page).see()


@pytest.mark.browser
def test_a_participant_goes_from_the_link_to_the_code(tabs: TabPool, server: Server) -> None:
    """On a phone. The panel takes the code, and a second visit asks nothing."""
    terms = CrowdTerms(code="DONE1", before=("Read news? | choice: daily; never",))
    with Store(server.store) as store:
        campaign = open_campaign(
            store, "crowd", Choice(dataset=store.datasets.names()[0]),
            Design(quota=2, consent="We keep your answers."),
        )  # fmt: skip
        crowd = access.open_crowd(store, "test", campaign, terms)
    panel = Panel(terms.write_link(server.url, crowd.code), {"DONE1": "approved"})
    address = server.page("annotate", **panel.send(PROLIFIC_PID="5f00a1", SESSION_ID="s"))
    with tabs.lend(viewport={"width": 390, "height": 844}) as page:
        page.goto(address)
        page.get_by_role("button", name="I agree").click()
        page.get_by_text("daily").click()
        page.get_by_role("button", name="Continue").click()
        annotator = Annotator(page)
        annotator.vote("1")
        page.reload()
        annotator.look()
        page.keyboard.press("3")
        page.get_by_role("button", name="Finish").click()
        code = page.locator(".tandem-completion output").inner_text()
        assert panel.submit(code) == "approved"
        way = page.get_by_role("link", name="Return to Prolific")
        expect(way).to_have_attribute(
            "href", "https://app.prolific.com/submissions/complete?cc=DONE1"
        )
        page.goto(address)
        expect(page.locator(".tandem-completion output")).to_have_text("DONE1")
    with Store(server.store) as store:
        name = store.crowds.payments(campaign.id)["person"][0]
    assert [vote.answer for vote in stored(server.store, name)] == ["a", "b"]
