"""What people can set for themselves on the Annotate screen, also when they come back."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator, Page, expect

from core.records import TextFormat
from core.store import Store, dataset_decisions
from tests.app_server import Server
from tests.pages.annotating import Annotator, stored
from tests.pages.beginning import filling, given, sit_down
from tests.pages.tabs import TabPool
from tests.pages.texts import add
from tests.pages.waiting import wait_until
from tests.study import wait_for

pytestmark = pytest.mark.browser

SENTENCE = "The council met on Monday and put the matter off until the rain had stopped. "
ARTICLE = SENTENCE * 30 + "A single (heron) was seen."
TEXTS = {"x": "A short one. " + SENTENCE * 25, "y": "A longer one. " + SENTENCE * 75}
MIXED = "هذا نص عربي مع 123.\nEnglish between.\nنص آخر"
JAPANESE = "日本語と中文，没有空格的长句子。" * 90  # 1,440 signs, and not a blank


CUT = "The council met on Monday and put it off.\n" * 24_000 + "last"
ROW = "|" + "cell|" * 500 + "\n"
TABLE = f"{ROW}{ROW.replace('cell', '---')}{ROW * 8}\nlast"
FORMULAS = r"$\phantom{hidden}$ \(\color{white}{pale}\) $x \rlap{over}$ $5 % comment$ $\boxed{42}$"
SMALL = "$a_{b_{c_{d_{e_{f}}}}}$"


@filling
def fill(store: Store) -> None:
    add(store, "long", ARTICLE, TEXTS, "coherent", items=40)
    add(store, "mixed", JAPANESE, {"x": MIXED, "y": JAPANESE}, "coherent")
    add(store, "two questions", "", {"x": "one", "y": "two"}, "coherent", "fluent")
    for name, x, y in (
        ("plain", CUT, "short"), ("table", TABLE, "short"), ("formulas", FORMULAS, SMALL),
    ):  # fmt: skip
        add(store, name, "", {"x": x, "y": y}, "coherent")
    for name in ("table", "formulas"):
        dataset_decisions.set_text_format(store, "Eve", name, TextFormat.MARKDOWN)


def style(locator: Locator, name: str) -> str:
    return str(locator.evaluate("(element, name) => getComputedStyle(element)[name]", name))


def test_text_and_lines_are_remembered(page: Page, server: Server) -> None:
    ada = sit_down(page, server, "long", "Ada")
    text = page.locator(".tandem-side-a .tandem-text")
    before = style(text, "fontSize"), style(text, "maxWidth")
    page.get_by_role("button", name="Reading").click()
    page.get_by_role("button", name="Larger text").click()
    page.get_by_role("button", name="narrow").click()
    expect(page.get_by_role("button", name="narrow")).to_have_attribute("aria-pressed", "true")
    expect(page.get_by_role("button", name="narrow")).to_be_focused()
    page.keyboard.press("1")
    assert given(server, "Ada") == [], "the menu is open"
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Reading")).to_be_focused()
    after = style(text, "fontSize"), style(text, "maxWidth")
    assert float(after[0][:-2]) > float(before[0][:-2])
    assert float(after[1][:-2]) < float(before[1][:-2])
    page.reload()
    ada.look()
    wait_for(lambda: (style(text, "fontSize"), style(text, "maxWidth")) == after)
    ada.vote("1")
    wait_for(lambda: (style(text, "fontSize"), style(text, "maxWidth")) == after)


def test_candidates_scroll_together_or_apart(page: Page, server: Server) -> None:
    sit_down(page, server, "long", "Bea")
    share = """side => { const box = document.querySelector(`.tandem-side-${side}`);
        return box.scrollTop / (box.scrollHeight - box.clientHeight); }"""
    page.locator(".tandem-side-a").hover()
    page.keyboard.press("End")
    wait_until(page, f"({share})('a') > 0.99")
    assert page.evaluate(share, "b") == 0
    page.keyboard.press("Home")
    wait_until(page, f"({share})('a') == 0")
    page.keyboard.press("t")
    page.keyboard.press("Space")
    wait_until(page, f"({share})('b') > 0.05")
    wait_until(page, f"Math.abs(({share})('b') - ({share})('a')) < 0.02")
    page.keyboard.press("End")
    wait_until(page, f"({share})('b') > 0.99")
    page.keyboard.press("t")


def test_a_long_article_is_searched_and_folded(page: Page, server: Server) -> None:
    sit_down(page, server, "long", "Cleo")
    expect(page.get_by_text("article first")).to_be_visible()
    page.keyboard.press("f")
    sought = page.get_by_role("searchbox", name="Find in the article")
    expect(sought).to_be_focused()
    page.keyboard.type("RAIN")
    said = page.get_by_role("search").get_by_role("status")
    expect(said).to_have_text("1 of 30")
    page.keyboard.press("Enter")
    expect(said).to_have_text("2 of 30")
    page.keyboard.press("Shift+Enter")
    page.keyboard.press("Shift+Enter")
    expect(said).to_have_text("30 of 30")
    article = page.locator(".tandem-context .tandem-text")
    assert article.evaluate("box => box.scrollTop") > 0
    sought.fill("(heron)")
    expect(said).to_have_text("1 of 1")
    sought.fill("h.r.n")
    expect(said).to_have_text("not found")
    assert article.text_content() == ARTICLE
    assert article.evaluate("box => box.children.length") == 0
    page.keyboard.press("Escape")
    expect(sought).to_be_hidden()
    page.get_by_text("Article", exact=True).click()
    expect(article).to_be_hidden()
    assert given(server, "Cleo") == []


def test_keys_are_shown_changed_refused_and_reset(page: Page, server: Server) -> None:
    ada = sit_down(page, server, "long", "Dora")
    page.keyboard.press("?")
    keys = page.get_by_role("dialog", name="Keys")
    keys.get_by_role("button", name="Tie: 2").click()
    page.keyboard.press("s")
    expect(keys.get_by_role("status")).to_have_text(re.compile("“S”.*“Skip”"))
    page.keyboard.press("ArrowUp")
    expect(keys.get_by_role("status")).to_contain_text("a letter")
    page.keyboard.press("x")
    expect(keys.get_by_role("button", name="Tie: X")).to_be_visible()
    page.keyboard.press("Escape")
    expect(keys).to_be_hidden()
    assert given(server, "Dora") == []
    page.reload()
    seen = ada.look()
    page.keyboard.press("2")
    page.keyboard.press("x")
    ada.next_after(seen)
    assert given(server, "Dora") == ["tie"]
    page.keyboard.press("?")
    keys.get_by_role("button", name="Reset to default").click()
    keys.get_by_role("button", name="Close").click()
    ada.vote("2")
    assert given(server, "Dora") == ["tie", "tie"]


def test_ones_answers_are_looked_up_and_changed(page: Page, server: Server) -> None:
    ada = sit_down(page, server, "long", "Eva")
    first = ada.vote("1")
    ada.vote("2")
    page.keyboard.press("h")
    dialog = page.get_by_role("dialog")
    expect(dialog.locator(".tandem-answer b")).to_have_text(["Tie", "A is better"])
    dialog.get_by_role("button", name="Open").nth(1).click()
    shown = dialog.locator(".tandem-side-a .tandem-text")
    expect(shown).to_have_text(ada.ledger[0].text_a)
    dialog.get_by_role("button", name="B is better").click()
    expect(dialog.locator(".tandem-answer b")).to_have_text(["B is better", "Tie"])
    dialog.press("Escape")
    expect(dialog).to_have_count(0)
    votes = [(vote.answer, vote.withdrawn) for vote in stored(server.store, "Eva")]
    assert votes == [("a", True), ("tie", False), ("b", False)]
    changed = stored(server.store, "Eva")[2]
    assert (changed.text_a, changed.text_b) == (ada.ledger[0].text_a, ada.ledger[0].text_b)
    assert ada.see() != first


def test_each_paragraph_runs_its_own_way(page: Page, server: Server) -> None:
    """In a text that begins in Arabic, an English line begins on the left."""
    sit_down(page, server, "mixed", "Fay")
    text = page.locator(".tandem-sides .tandem-text").filter(has_text="English between.")
    edges = text.evaluate(
        """text => {
            const range = document.createRange(), node = text.firstChild, frame = text.getBoundingClientRect();
            return node.data.split("\\n").reduce(([lines, at], line) => {
                range.setStart(node, at); range.setEnd(node, at + line.length);
                const box = range.getBoundingClientRect();
                return [[...lines, [box.left - frame.left, frame.right - box.right]], at + line.length + 1];
            }, [[], 0])[0];
        }"""
    )
    (arabic_left, arabic_right), (english_left, english_right), (_, last_right) = edges
    assert arabic_right < 2 < arabic_left
    assert english_left < 2 < english_right
    assert last_right < 2
    expect(page.locator(".tandem-long")).to_be_visible()  # a context without blanks is long, too


def test_a_new_question_is_announced_and_confirmed(page: Page, server: Server) -> None:
    gus = sit_down(page, server, "two questions", "Gus")
    voice = page.locator(".tandem-voice")
    expect(voice).to_contain_text("Question 1 of 8.")
    for _ in range(3):
        gus.vote("1")
    expect(voice).to_contain_text("Question 4 of 8.")
    gus.look()
    page.keyboard.press("1")
    expect(page.locator(".tandem-lead")).to_contain_text("question changes")
    expect(voice).to_contain_text("question changes")
    go_on = page.get_by_role("button", name="Continue")
    expect(go_on).to_be_focused()
    page.keyboard.press("2")
    assert len(stored(server.store, "Gus")) == 4
    page.keyboard.press("Enter")
    expect(go_on).to_have_count(0)
    assert gus.see().attribute == "fluent"
    page.reload()
    assert gus.see().attribute == "fluent"


def test_with_the_keyboard_alone(page: Page, server: Server) -> None:
    """From the name to an answer, undone and given again."""
    page.goto(server.page("annotate", dataset="long"))
    expect(page.get_by_label("Your name")).to_be_focused()
    page.keyboard.type("Joy")
    page.keyboard.press("Enter")
    joy = Annotator(page)
    joy.vote("3")
    seen = joy.look()
    for _ in range(20):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.innerText ?? ''").startswith("A is better"):
            break
    page.keyboard.press("Enter")
    joy.next_after(seen)
    assert given(server, "Joy") == ["b", "a"]


@pytest.fixture
def phone(tabs: TabPool) -> Iterator[Page]:
    viewport = {"width": 390, "height": 844}
    with tabs.lend(viewport=viewport, has_touch=True, is_mobile=True) as page:
        yield page


def test_on_a_phone_everything_is_wide_enough_for_a_thumb(phone: Page, server: Server) -> None:
    sit_down(phone, server, "long", "Ida")
    buttons = phone.locator("[data-testid=stBottom] button, .tandem-tools button:visible")
    expect(buttons.first).to_be_visible()
    heights = "all => all.map(button => button.getBoundingClientRect().height)"
    wait_for(lambda: min(buttons.evaluate_all(heights), default=0) >= 44)
    place = "element => element.getBoundingClientRect()"
    assert phone.locator(".tandem-context .tandem-text").evaluate(place)["y"] < 240
    phone.get_by_role("button", name="Reading").tap()
    panel = phone.get_by_role("dialog", name="Reading")
    expect(panel).to_be_visible()
    assert panel.evaluate(place)["left"] >= 0
    assert panel.evaluate(place)["right"] <= 390


# ---- Texts that a browser takes long for are cut at first, and no formula hides a word


@pytest.mark.parametrize("dataset", ["plain", "table"])
def test_a_cut_is_said_and_one_press_shows_all(page: Page, server: Server, dataset: str) -> None:
    annotator = sit_down(page, server, dataset, dataset)
    button = page.locator(".tandem-all > summary")
    expect(button).to_be_visible()
    expect(button).to_contain_text("Show all")
    height = "element => element.getBoundingClientRect().height"
    before = page.locator(".tandem-all").evaluate(height)
    button.focus()
    page.keyboard.press("Enter")
    expect(page.locator(".tandem-beginning")).not_to_be_visible()
    assert page.locator(".tandem-all").evaluate(height) > 5 * before
    annotator.vote("1")
    annotator.vote("3")
    text = CUT if dataset == "plain" else TABLE
    votes = stored(server.store, dataset)
    assert [vote.answer for vote in votes] == ["a", "b"]
    assert all({vote.text_a, vote.text_b} == {text, "short"} for vote in votes)


def test_what_a_formula_would_hide_is_seen(page: Page, server: Server) -> None:
    sit_down(page, server, "formulas", "Ada")
    shown = page.locator(".tandem-text", has_text="42")
    for latex in (r"\phantom{hidden}", r"\color{white}{pale}", r"x \rlap{over}", "5 % comment"):
        formula = shown.get_by_text(latex, exact=True)
        expect(formula).to_be_visible()
        assert formula.evaluate("element => element.childElementCount") == 0
    boxed = shown.locator("menclose")
    assert style(boxed, "borderBottomStyle") == "solid"
    sizes = [
        float(style(sign, "fontSize").removesuffix("px"))
        for sign in page.locator(".tandem-text math mi").all()
    ]
    assert len(sizes) == 6
    assert min(sizes) > 0.45 * max(sizes)
