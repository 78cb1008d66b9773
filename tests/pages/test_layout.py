"""Where things stand on the Annotate page: on a laptop, on a phone, in light and in dark."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, Page, expect

from core.campaigns import Design
from core.store import Store
from tests.app_server import Server
from tests.pages.annotating import Annotator
from tests.pages.beginning import filling, sit_down
from tests.pages.texts import add
from tests.pages.waiting import wait_until
from tests.study import wait_for

pytestmark = pytest.mark.browser

LAPTOP, PHONE = (1366, 768), (390, 844)
ANSWERS = ("A is better", "Tie", "B is better", "Both bad", "Skip", "Undo")
SENTENCE = (
    "The council of the town met on Monday and put the matter off until the rain had stopped. "
)
ARTICLE = "\n\n".join([SENTENCE * 4] * 9)  # 612 words
AT_TOP = "document.querySelector('[data-testid=stMain]').scrollTop === 0"
TEXTS = {"long": SENTENCE * 20, "short": SENTENCE * 2}


@filling
def fill(store: Store) -> None:
    contexts = {"article": ARTICLE, "question": SENTENCE * 2, "steps": SENTENCE}
    for name, context in contexts.items():
        add(store, name, context, TEXTS, "coherence", items="ijklmn", context_noun="context")
    steps = store.campaigns.default("steps")
    design = Design(strength=True, confidence=True).to_stored()
    store.campaigns.edit(steps.id, name=steps.name, design=design, overlap=1)


def opened(page: Page, server: Server, dataset: str, size: tuple[int, int]) -> Annotator:
    page.set_viewport_size({"width": size[0], "height": size[1]})
    return sit_down(page, server, dataset, f"Ada {size[0]}")


def box(locator: Locator) -> tuple[float, float, float, float]:
    """left, top, right, bottom."""
    found = locator.bounding_box()
    assert found
    return found["x"], found["y"], found["x"] + found["width"], found["y"] + found["height"]


def inside(locator: Locator, size: tuple[int, int], *, lines: int = 0) -> bool:
    """Whether the whole of something, or its first lines, can be seen without scrolling."""
    left, top, right, bottom = box(locator)
    seen = top + 27 * lines if lines else bottom
    return left >= 0 <= top and right <= size[0] and seen <= size[1]


def longest_line(text: Locator) -> int:
    return int(
        text.evaluate(
            """text => {
                const range = document.createRange(), node = text.firstChild, lines = {};
                for (let i = 0; i < node.length; i++) {
                    range.setStart(node, i); range.setEnd(node, i + 1);
                    const top = Math.round(range.getBoundingClientRect().top);
                    lines[top] = (lines[top] || 0) + 1;
                }
                return Math.max(...Object.values(lines));
            }"""
        )
    )


@pytest.mark.parametrize("dataset", ["article", "question"])
def test_on_a_laptop_all_answers_are_in_sight(page: Page, server: Server, dataset: str) -> None:
    opened(page, server, dataset, LAPTOP)
    for label in ANSWERS:
        assert inside(page.get_by_role("button", name=label), LAPTOP), label
    bar = box(page.get_by_test_id("stBottomBlockContainer"))[1]
    for side in "ab":
        text = page.locator(f".tandem-side-{side} .tandem-text")
        assert inside(text, LAPTOP, lines=3)
        assert box(text)[1] + 3 * 27 < bar
        assert longest_line(text) <= 80
    assert 30 < longest_line(page.locator(".tandem-context .tandem-text")) <= 80
    a, b = (page.locator(f".tandem-side-{side}") for side in "ab")
    assert box(a)[2] < box(b)[0]
    assert box(a)[1] == box(b)[1]
    wait_for(lambda: box(a)[3] <= bar)
    assert page.evaluate("document.documentElement.scrollWidth") <= LAPTOP[0]


def test_a_long_article_scrolls_on_its_own(page: Page, server: Server) -> None:
    opened(page, server, "article", LAPTOP)
    article, a = page.locator(".tandem-context .tandem-text"), page.locator(".tandem-side-a")
    before = box(a)
    article.hover()
    page.mouse.wheel(0, 400)
    wait_until(page, "document.querySelector('.tandem-context .tandem-text').scrollTop > 100")
    assert box(a) == before
    assert box(article)[2] < before[0]
    bar = box(page.get_by_test_id("stBottomBlockContainer"))[1]
    assert box(article)[3] <= bar
    page.get_by_text("Context", exact=True).click()
    expect(article).to_be_hidden()


def test_on_a_phone_the_texts_stack_and_the_answers_stay(page: Page, server: Server) -> None:
    ada = opened(page, server, "article", PHONE)
    a, b = (page.locator(f".tandem-side-{side}") for side in "ab")
    assert box(a)[0] == box(b)[0]
    assert box(a)[3] <= box(b)[1]
    for label in ANSWERS:
        assert inside(page.get_by_role("button", name=label), PHONE), label
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE[0]
    bar = box(page.get_by_test_id("stBottomBlockContainer"))[1]
    page.get_by_test_id("stMain").evaluate("main => main.scrollTo(0, main.scrollHeight)")
    assert box(b)[3] <= bar
    places = {label: box(page.get_by_role("button", name=label))[:2] for label in ANSWERS}
    before = ada.see()
    page.get_by_role("button", name="B is better").click()
    ada.next_after(before)
    for label, place in places.items():
        button, same = page.get_by_role("button", name=label), pytest.approx(place, abs=1)
        wait_for(lambda button=button, same=same: box(button)[:2] == same)
    wait_until(page, AT_TOP)
    assert inside(page.locator("h1.tandem-question"), PHONE)
    page.get_by_test_id("stMain").evaluate("main => main.scrollTo(0, main.scrollHeight)")
    before = ada.look()
    page.get_by_role("button", name="Undo").click()
    ada.next_after(before)
    wait_until(page, AT_TOP)
    said = page.locator(".tandem-said")
    expect(said).to_contain_text("Undone")
    assert box(said)[3] <= box(page.get_by_test_id("stBottomBlockContainer"))[1]


def test_the_answers_take_a_quarter_of_the_screen_at_most(page: Page, server: Server) -> None:
    """Five steps stay inside their buttons."""
    for size in (LAPTOP, PHONE, (683, 384)):  # the last is a laptop's screen at 200%
        opened(page, server, "steps", size)
        bar = page.get_by_test_id("stBottomBlockContainer")
        wait_for(lambda bar=bar, size=size: box(bar)[3] - box(bar)[1] <= size[1] / 4)
        assert inside(page.get_by_role("button", name="A slightly better"), size)
        assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
    opened(page, server, "steps", LAPTOP)
    buttons = page.locator('[class*="st-key-vote-"] button')
    expect(buttons).to_have_count(7)
    expect(page.get_by_text("How sure?", exact=True).first).to_be_visible()
    fits = "all => all.every(one => one.scrollWidth <= one.clientWidth)"
    menu, where = page.get_by_test_id("stExpandSidebarButton"), page.locator(".tandem-where")
    for width in (1366, 1000, 700, 390):
        page.set_viewport_size({"width": width, "height": 844})
        wait_for(lambda: buttons.evaluate_all(fits) and box(menu)[2] <= box(where)[0])


def test_a_text_that_was_never_in_sight_is_not_voted_down(page: Page, server: Server) -> None:
    ada = opened(page, server, "article", PHONE)
    before, b = ada.see(), page.locator(".tandem-side-b .tandem-text")
    bar = page.get_by_test_id("stBottomBlockContainer")
    assert box(b)[1] > box(bar)[1]
    page.get_by_role("button", name="A is better").click()
    wait_for(lambda: box(b)[1] < box(bar)[1])
    expect(page.locator(".tandem-said")).not_to_be_empty()
    assert ada.see() == before
    page.get_by_role("button", name="A is better").click()
    ada.next_after(before)
    before = ada.look()
    page.get_by_role("button", name="Skip").click()
    ada.next_after(before)


def test_a_key_says_how_sure_somebody_is(page: Page, server: Server) -> None:
    ada = opened(page, server, "steps", (1366, 800))
    for key, label in (("k", "a little"), ("l", "clearly")):
        page.keyboard.press(key)
        expect(page.get_by_role("radio", name=label, exact=True)).to_be_checked()
    ada.vote("1")
    with Store(server.store) as store:
        latest = "SELECT confidence FROM judgements ORDER BY id DESC LIMIT 1"
        assert store.connection.value(latest) == 1.0
    expect(page.locator(".tandem-heading")).not_to_contain_text("steps")
