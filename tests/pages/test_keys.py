"""Keys that answer and keys that scroll, with texts that fit the screen and texts that do not."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from core.store import Store
from tests.app_server import Server
from tests.pages.annotating import Annotator, stored
from tests.pages.texts import add
from tests.pages.waiting import wait_until

pytestmark = [pytest.mark.browser, pytest.mark.race]

SENTENCE = "The council met on Monday and put the matter off until the rain had stopped. "
LENGTHS = {"short": 2, "long": 60, "late": 2, "draft": 2, "stopped": 2, "offline": 2}
"""Sentences of a text: it fits the screen, or fills it three times."""
TURNS = "\n".join(f"Ada: turn {turn}" for turn in range(60))


@pytest.fixture(scope="module")
def fill() -> Callable[[Path], None]:
    def fill(path: Path) -> None:
        with Store(path) as store:
            for name, sentences in LENGTHS.items():
                context, noun = (TURNS, "dialogue") if name == "long" else ("", "context")
                texts = {one: f"{one} of {{item}}: {SENTENCE * sentences}" for one in "xy"}
                add(store, name, context, texts, "coherence", items="ijklmnop", context_noun=noun)

    return fill


def opened(page: Page, server: Server, dataset: str, who: str) -> Annotator:
    page.set_viewport_size({"width": 1366, "height": 768})
    page.goto(server.page("annotate", dataset=dataset, annotator=who))
    annotator = Annotator(page)
    annotator.look()
    return annotator


def scrolled(page: Page, place: str) -> float:
    return float(page.locator(place).evaluate("box => box.scrollTop"))


def test_arrows_answer_where_nothing_is_hidden(page: Page, server: Server) -> None:
    ada = opened(page, server, "short", "Ada")
    expect(page.get_by_text("more below")).to_have_count(0)
    for key in ("ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"):
        seen = ada.look()
        page.keyboard.press(key)
        ada.next_after(seen)
    given = [vote.answer for vote in stored(server.store, "Ada")]
    assert given == ["a", "b", "tie", "both_bad"]


def test_where_text_is_hidden_it_says_so_and_keys_scroll_without_a_click(
    page: Page, server: Server
) -> None:
    ada = opened(page, server, "long", "Bea")
    a, context = ".tandem-side-a", ".tandem-context .tandem-text"
    wait_until(page, f"document.querySelector('{context}').scrollTop > 100")  # at its last turn
    wait_until(page, "document.querySelectorAll('.tandem-more').length == 2")
    page.locator(a).hover()
    page.keyboard.press("Space")
    page.keyboard.press("ArrowDown")
    wait_until(page, "document.querySelector('.tandem-side-a').scrollTop > 100")
    assert scrolled(page, ".tandem-side-b") == 0
    page.keyboard.press("End")
    wait_until(page, "document.querySelectorAll('.tandem-more').length == 1")
    assert stored(server.store, "Bea") == []
    seen = ada.see()
    page.keyboard.press("ArrowRight")
    ada.next_after(seen)
    assert [vote.answer for vote in stored(server.store, "Bea")] == ["b"]
    wait_until(page, "document.querySelector('.tandem-side-a').scrollTop === 0")  # of the next text


def test_a_dialogue_opens_at_its_last_turn_even_where_its_height_is_limited_late(
    page: Page, server: Server
) -> None:
    opened(page, server, "long", "Dan")
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
    opened(page, server, "short", "Cleo")
    comment = page.get_by_label("Comment")
    comment.fill("because")
    for key in ("ArrowLeft", "ArrowUp", "ArrowRight", "ArrowDown", "d", "1", "Space"):
        comment.press(key)
    assert sorted(comment.input_value()) == sorted("because" + "d1 ")
    assert stored(server.store, "Cleo") == []


def test_a_key_leads_to_the_comment_and_enter_back(page: Page, server: Server) -> None:
    ada = opened(page, server, "short", "Dora")
    page.keyboard.press("c")
    expect(page.get_by_label("Comment")).to_be_focused()
    page.keyboard.type("nice 1 c 3")
    page.keyboard.press("Enter")
    expect(page.get_by_label("Comment")).not_to_be_focused()
    assert stored(server.store, "Dora") == []
    seen = ada.see()
    page.keyboard.press("1")
    ada.next_after(seen)
    assert [vote.answer for vote in stored(server.store, "Dora")] == ["a"]
    with Store(server.store) as store:
        comments = store.connection.rows("SELECT comment FROM judgements WHERE comment <> ''")
    assert comments == [("nice 1 c 3",)]


def test_a_half_written_comment_survives_a_reload_and_goes_with_its_answer(
    page: Page, server: Server
) -> None:
    ada = opened(page, server, "draft", "Eve")
    page.get_by_label("Comment").press_sequentially("B repeats it")  # and is not left
    page.reload()
    seen = ada.see()
    expect(page.get_by_label("Comment")).to_have_value("B repeats it")
    ada.look()
    page.keyboard.press("1")
    ada.next_after(seen)
    expect(page.get_by_label("Comment")).to_have_value("")
    with Store(server.store) as store:
        rows = store.connection.rows(
            """SELECT j.comment FROM judgements j JOIN judges w ON w.id = j.judge
            WHERE w.name = 'Eve'"""
        )
    assert rows == [("B repeats it",)]


def test_a_press_that_the_server_does_not_hear_is_said_to_be_unsaved(
    page: Page, server: Server
) -> None:
    """The process is stopped, not ended: the connection stays, and nobody answers."""
    ada = opened(page, server, "stopped", "Fay")
    seen = ada.see()
    os.kill(server.processes[0], signal.SIGSTOP)
    try:
        page.keyboard.press("1")
        expect(page.locator(".tandem-said")).to_contain_text("not confirmed")
    finally:
        os.kill(server.processes[0], signal.SIGCONT)
    ada.next_after(seen)
    assert [vote.answer for vote in stored(server.store, "Fay")] == ["a"]


def test_a_press_without_a_network_is_said_to_be_unsaved_at_once(
    page: Page, server: Server
) -> None:
    """A server on this machine needs no network: the page is asked for by another name of it."""
    there = server.url.replace("localhost", "127.0.0.1").replace("127.0.0.1", "tandem.localhost")
    page.goto(f"{there}/annotate?dataset=offline&annotator=Gil")
    gil = Annotator(page)
    gil.look()
    page.context.set_offline(True)
    page.keyboard.press("1")
    expect(page.locator(".tandem-said")).to_contain_text("not saved")
    assert stored(server.store, "Gil") == []
    page.context.set_offline(False)
    page.reload()
    seen = gil.see()
    gil.look()
    page.keyboard.press("1")
    gil.next_after(seen)
    assert [vote.answer for vote in stored(server.store, "Gil")] == ["a"]


def test_the_tab_key_reaches_nothing_that_cannot_be_seen(page: Page, server: Server) -> None:
    opened(page, server, "long", "Dora")
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


def test_guidelines_take_no_answer_and_leave_arrows_alone(page: Page, server: Server) -> None:
    opened(page, server, "long", "Eva")
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
    assert stored(server.store, "Eva") == []


def test_another_page_keeps_nothing_of_the_room_and_the_keys(page: Page, server: Server) -> None:
    opened(page, server, "long", "Fay")
    room = "document.documentElement.style.getPropertyValue('--room')"
    wait_until(page, f"{room} != ''")
    page.get_by_role("button", name="Expand sidebar").click()
    page.get_by_role("link", name="Overview").click()
    expect(page.get_by_role("heading", name="Overview")).to_be_visible()
    wait_until(page, f"{room} == ''")


def test_a_press_before_the_answers_are_there_is_said_to_be_lost(
    page: Page, server: Server
) -> None:
    """A slow machine shows the texts first, and the buttons when it comes to them."""
    ida = opened(page, server, "late", "Ida")
    rename = "([box, old, now]) => { box.className = box.className.replace(old, now); }"
    box = page.locator('[class*="st-key-vote-a-"]').element_handle()
    page.evaluate(rename, [box, "st-key-vote-a-", "later-"])
    page.keyboard.press("1")
    expect(page.get_by_text("not counted")).to_be_visible()
    assert stored(server.store, "Ida") == []
    page.evaluate(rename, [box, "later-", "st-key-vote-a-"])
    ida.vote("1")
    assert stored(server.store, "Ida") == ida.ledger
    expect(page.get_by_text("not counted")).to_have_count(0)
