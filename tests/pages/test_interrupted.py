"""What comes between an annotator and their answer: nothing is lost, doubled or misplaced."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from core.campaigns import Design, open_campaign
from core.pairing import Choice
from core.store import Store
from tests.app_server import Server
from tests.pages.annotating import LOOK, Annotator, Seen, Vote, stored
from tests.pages.tabs import TabPool
from tests.study import add_known, fill

pytestmark = [pytest.mark.browser, pytest.mark.race]

PLAIN, CHECKED = "plain", "checked"


def begin(store: Store) -> None:
    for dataset, design in ((PLAIN, Design()), (CHECKED, Design(check_every=1, quota=3))):
        fill(store, items=4, dataset=dataset)
        campaign = open_campaign(store, "c", Choice(dataset=dataset), design)
    known = {"item": "i0", "better": "gamma", "worse": "alpha", "feedback": "More words."}
    add_known(store, campaign, [{**known, "role": role} for role in ("training", "gold")])


def opened(page: Page, server: Server, who: str, dataset: str = PLAIN) -> Annotator:
    page.goto(server.page("annotate", dataset=dataset, annotator=who))
    return Annotator(page)


def test_a_press_while_the_line_is_cut_counts_once_or_can_be_given_again(
    page: Page, server: Server
) -> None:
    """The browser joins again by itself; the screen is there again, or its answer is stored."""
    ada = opened(page, server, "Ada")
    ada.vote("1")
    seen = ada.look()
    page.context.set_offline(True)
    page.keyboard.press("3")
    page.wait_for_timeout(LOOK)
    page.context.set_offline(False)
    page.reload()
    now = ada.look()
    given = [vote for vote in stored(server.store, "Ada") if not vote.withdrawn]
    if now.key == seen.key:
        assert given == ada.ledger
    else:
        ada.ledger.append(Vote(seen.attribute, seen.text_a, seen.text_b, "b"))
    ada.vote("2")
    assert stored(server.store, "Ada") == ada.ledger


def test_a_lease_that_runs_out_on_screen_loses_no_answer(
    page: Page, tabs: TabPool, server: Server
) -> None:
    """Another has been given the pair since. Both answers are kept, each once."""
    grace = opened(page, server, "Grace")
    seen = grace.look()
    with Store(server.store) as store:
        judge = store.judges.id_of("Grace")
        store.connection.execute("UPDATE leases SET leased_at = '2000' WHERE judge = ?", (judge,))
    with tabs.lend() as other:
        joan = opened(other, server, "Joan")
        assert {*_texts(joan.look())} == {*_texts(seen)}
        grace.vote("1")
        joan.vote("3")
        assert [vote.answer for vote in stored(server.store, "Joan")] == ["b"]
    assert stored(server.store, "Grace") == grace.ledger
    with Store(server.store) as store:
        assert store.connection.check()["ok"]


def test_a_reload_shows_the_same_in_every_state(page: Page, server: Server) -> None:
    """Practice, a question, one taken back, a check, paused, and done."""
    wei = opened(page, server, "Wei", CHECKED)
    practice = wei.look()
    _reload(wei, practice)
    page.keyboard.press("1")
    expect(page.locator(".tandem-notice").get_by_text("More words.")).to_be_visible()
    page.reload()
    question = wei.look()
    assert question.key != practice.key
    _reload(wei, question)
    check = wei.vote("1")
    _reload(wei, check)
    back = wei.undo()
    assert _texts(back) == _texts(question)
    _reload(wei, back)
    _set_status(server, "paused")
    for _ in range(2):
        page.reload()
        expect(page.get_by_role("heading", level=1)).to_contain_text("aused")
    _set_status(server, "open")
    page.reload()
    assert _texts(wei.look()) == _texts(back)
    wei.vote("3")
    wei.look()
    page.keyboard.press("1")
    last = wei.next_after(check)
    wei.look()
    page.keyboard.press("1")
    expect(page.get_by_text("your share")).to_be_visible()
    page.reload()
    expect(page.get_by_text("your share")).to_be_visible()
    assert len([vote for vote in stored(server.store, "Wei") if not vote.withdrawn]) == 2
    assert last.key != check.key


def _reload(who: Annotator, shown: Seen) -> None:
    who.page.reload()
    assert who.look() == shown


def _texts(seen: Seen) -> tuple[str, str]:
    return seen.text_a, seen.text_b


def _set_status(server: Server, status: str) -> None:
    with Store(server.store) as store:
        campaign = store.campaigns.find(CHECKED, "c")
        assert campaign
        store.campaigns.set_status(campaign.id, status)
