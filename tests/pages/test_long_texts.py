"""Texts that a browser takes long for are cut at first, and no formula hides a word."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from core.records import TextFormat
from core.store import Store, dataset_decisions
from tests.app_server import Server
from tests.pages.annotating import stored
from tests.pages.beginning import filling, sit_down
from tests.pages.test_reading import style
from tests.pages.texts import add

pytestmark = pytest.mark.browser
LONG = "The council met on Monday and put it off.\n" * 24_000 + "last"
ROW = "|" + "cell|" * 500 + "\n"
TABLE = f"{ROW}{ROW.replace('cell', '---')}{ROW * 8}\nlast"
FORMULAS = r"$\phantom{hidden}$ \(\color{white}{pale}\) $x \rlap{over}$ $5 % comment$ $\boxed{42}$"
SMALL = "$a_{b_{c_{d_{e_{f}}}}}$"


@filling
def fill(store: Store) -> None:
    for name, x, y in (
        ("plain", LONG, "short"),
        ("table", TABLE, "short"),
        ("formulas", FORMULAS, SMALL),
    ):
        add(store, name, "", {"x": x, "y": y}, "coherent")
    for name in ("table", "formulas"):
        dataset_decisions.set_text_format(store, "Eve", name, TextFormat.MARKDOWN)


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
    text = LONG if dataset == "plain" else TABLE
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
