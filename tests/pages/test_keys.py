"""Keys that answer and keys that scroll, with texts that fit the screen and texts that do not."""

from __future__ import annotations

import os
import signal

import pytest
from playwright.sync_api import Page, expect

from core.store import Store
from tests.app_server import Server
from tests.pages.annotating import Annotator, stored
from tests.pages.beginning import filling, given, press_key, sit_down
from tests.pages.texts import add
from tests.pages.waiting import wait_until

pytestmark = [pytest.mark.browser, pytest.mark.race]

SENTENCE = "The council met on Monday and put the matter off until the rain had stopped. "
LENGTHS = {"short": 2, "long": 60, "late": 2, "draft": 2, "stopped": 2, "offline": 2}
"""Sentences of a text: it fits the screen, or fills it three times."""
ROOM = "document.documentElement.style.getPropertyValue('--room')"
TURNS = "\n".join(f"Ada: turn {turn}" for turn in range(60))


@filling
def fill(store: Store) -> None:
    for name, sentences in LENGTHS.items():
        context, noun = (TURNS, "dialogue") if name == "long" else ("", "context")
        texts = {one: f"{one} of {{item}}: {SENTENCE * sentences}" for one in "xy"}
        add(store, name, context, texts, "coherence", items="ijklmnop", context_noun=noun)


def comments(server: Server, who: str) -> list[tuple[object, ...]]:
    query = """SELECT j.comment FROM judgements j JOIN judges w ON w.id = j.judge
        WHERE w.name = ? AND j.comment <> ''"""
    with Store(server.store) as store:
        return store.connection.rows(query, (who,))


def test_arrows_answer_where_nothing_is_hidden(page: Page, server: Server) -> None:
    ada = sit_down(page, server, "short", "Ada")
    expect(page.get_by_text("more below")).to_have_count(0)
    for key in ("ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"):
        press_key(ada, key)
    assert given(server, "Ada") == ["a", "b", "tie", "both_bad"]


def test_where_text_is_hidden_keys_scroll_without_a_click(page: Page, server: Server) -> None:
    ada = sit_down(page, server, "long", "Bea")
    a, context = ".tandem-side-a", ".tandem-context .tandem-text"
    wait_until(page, f"document.querySelector('{context}').scrollTop > 100")  # at its last turn
    wait_until(page, "document.querySelectorAll('.tandem-more').length == 2")
    page.locator(a).hover()
    page.keyboard.press("Space")
    page.keyboard.press("ArrowDown")
    wait_until(page, "document.querySelector('.tandem-side-a').scrollTop > 100")
    assert page.locator(".tandem-side-b").evaluate("box => box.scrollTop") == 0
    page.keyboard.press("End")
    wait_until(page, "document.querySelectorAll('.tandem-more').length == 1")
    assert given(server, "Bea") == []
    press_key(ada, "ArrowRight")
    assert given(server, "Bea") == ["b"]
    wait_until(page, "document.querySelector('.tandem-side-a').scrollTop === 0")  # of the next text


def test_a_dialogue_opens_at_its_last_turn_when_limited_late(page: Page, server: Server) -> None:
    sit_down(page, server, "long", "Dan")
    page.locator(".tandem-context .tandem-text").evaluate(
        """old => {
            const box = old.cloneNode(true);
            box.style.maxHeight = "none";
            old.replaceWith(box);
            setTimeout(() => box.style.removeProperty("max-height"), 500);
        }"""
    )
    wait_until(page, "document.querySelector('.tandem-context .tandem-text').scrollTop > 100")


def test_arrows_in_the_comment_only_move_in_it(page: Page, server: Server) -> None:
    sit_down(page, server, "short", "Cleo")
    comment = page.get_by_label("Comment")
    comment.fill("because")
    for key in ("ArrowLeft", "ArrowUp", "ArrowRight", "ArrowDown", "d", "1", "Space"):
        comment.press(key)
    assert sorted(comment.input_value()) == sorted("because" + "d1 ")
    assert given(server, "Cleo") == []


def test_a_key_leads_to_the_comment_and_enter_back(page: Page, server: Server) -> None:
    ada = sit_down(page, server, "short", "Dora")
    page.keyboard.press("c")
    expect(page.get_by_label("Comment")).to_be_focused()
    page.keyboard.type("nice 1 c 3")
    page.keyboard.press("Enter")
    expect(page.get_by_label("Comment")).not_to_be_focused()
    assert given(server, "Dora") == []
    ada.vote("1")
    assert given(server, "Dora") == ["a"]
    assert comments(server, "Dora") == [("nice 1 c 3",)]


def test_a_half_written_comment_survives_a_reload(page: Page, server: Server) -> None:
    ada = sit_down(page, server, "draft", "Eve")
    page.get_by_label("Comment").press_sequentially("B repeats it")  # and is not left
    page.reload()
    ada.look()
    expect(page.get_by_label("Comment")).to_have_value("B repeats it")
    ada.vote("1")
    expect(page.get_by_label("Comment")).to_have_value("")
    assert comments(server, "Eve") == [("B repeats it",)]


def test_a_press_that_no_server_hears_is_said_to_be_unsaved(page: Page, server: Server) -> None:
    """The process is stopped, not ended: the connection stays, and nobody answers."""
    ada = sit_down(page, server, "stopped", "Fay")
    seen = ada.see()
    os.kill(server.processes[0], signal.SIGSTOP)
    try:
        page.keyboard.press("1")
        expect(page.locator(".tandem-said")).to_contain_text("not confirmed")
    finally:
        os.kill(server.processes[0], signal.SIGCONT)
    ada.next_after(seen)
    assert given(server, "Fay") == ["a"]


def test_a_press_without_a_network_is_said_to_be_unsaved(page: Page, server: Server) -> None:
    """A server on this machine needs no network: the page is asked for by another name of it."""
    there = server.url.replace("localhost", "127.0.0.1").replace("127.0.0.1", "tandem.localhost")
    page.goto(f"{there}/annotate?dataset=offline&annotator=Gil")
    gil = Annotator(page)
    gil.look()
    page.context.set_offline(True)
    page.keyboard.press("1")
    expect(page.locator(".tandem-said")).to_contain_text("not saved")
    assert given(server, "Gil") == []
    page.context.set_offline(False)
    page.reload()
    gil.vote("1")
    assert given(server, "Gil") == ["a"]


def test_the_tab_key_reaches_nothing_that_cannot_be_seen(page: Page, server: Server) -> None:
    sit_down(page, server, "long", "Dora")
    reached = []
    for _ in range(12):
        page.keyboard.press("Tab")
        focus = page.evaluate_handle("document.activeElement").as_element()
        assert focus
        place = focus.bounding_box()
        assert place, focus.inner_text()
        assert place["x"] >= 0, focus.inner_text()
        reached.append(focus.inner_text())
    assert any("A is better" in text for text in reached)


def test_guidelines_take_no_answer_and_another_page_keeps_no_room(
    page: Page, server: Server
) -> None:
    sit_down(page, server, "long", "Eva")
    wait_until(page, f"{ROOM} != ''")
    page.keyboard.press("g")
    expect(page.get_by_role("dialog")).to_be_visible()
    taken = """key => {
        const event = new KeyboardEvent("keydown", {key, bubbles: true, cancelable: true});
        return !document.querySelector("[role=dialog]").dispatchEvent(event);
    }"""
    assert not page.evaluate(taken, "ArrowDown"), "a long guideline is scrolled by it"
    assert page.evaluate(taken, "1")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("1")
    assert given(server, "Eva") == []
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Expand sidebar").click()
    page.get_by_role("link", name="Overview").click()
    expect(page.get_by_role("heading", name="Overview")).to_be_visible()
    wait_until(page, f"{ROOM} == ''")


def test_a_press_before_the_answers_is_said_to_be_lost(page: Page, server: Server) -> None:
    """A slow machine shows the texts first, and the buttons when it comes to them."""
    ida = sit_down(page, server, "late", "Ida")
    rename = "([box, old, now]) => { box.className = box.className.replace(old, now); }"
    box = page.locator('[class*="st-key-vote-a-"]').element_handle()
    page.evaluate(rename, [box, "st-key-vote-a-", "later-"])
    page.keyboard.press("1")
    expect(page.get_by_text("not counted")).to_be_visible()
    assert given(server, "Ida") == []
    page.evaluate(rename, [box, "later-", "st-key-vote-a-"])
    ida.vote("1")
    assert stored(server.store, "Ida") == ida.ledger
    expect(page.get_by_text("not counted")).to_have_count(0)
