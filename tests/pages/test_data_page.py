"""The Data page in a browser: what fits, and what is drawn without a reload."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from core.store import Store
from tests import study
from tests.app_server import Server
from tests.pages.waiting import WORKER_WAIT
from tests.server import Server as Model
from tests.study import wait_for

pytestmark = pytest.mark.browser


def begin(store: Store) -> None:
    study.fill(store)


def test_the_settings_of_a_writer_are_whole_at_any_width(page: Page, server: Server) -> None:
    page.goto(server.page("data", dataset="tiny"))
    page.locator("summary").filter(has_text="write texts").click()
    labels = [
        page.get_by_text(name, exact=True)
        for name in ("Texts per item", "Temperature", "Most tokens")
    ]

    def are_whole(width: int) -> bool:
        boxes = [box for label in labels if (box := label.bounding_box())]
        one_line = all(box["height"] < 30 for box in boxes)
        return one_line and all(box["x"] + box["width"] < width for box in boxes)

    for width in (1366, 800):
        page.set_viewport_size({"width": width, "height": 900})
        wait_for(lambda width=width: are_whole(width))
        expect(labels[-1]).to_be_visible()


def test_what_a_model_writes_is_counted_without_a_reload(page: Page, server: Server) -> None:
    with Model(reply=lambda prompt: "A text.") as model:
        page.set_viewport_size({"width": 1366, "height": 1600})
        page.goto(server.page("data", dataset="tiny"))
        count = page.locator(".tandem-lead")
        expect(count).to_contain_text("texts")
        before = int(re.findall(r"([\d,]+) texts", count.inner_text())[0].replace(",", ""))
        page.locator("summary").filter(has_text="write texts").click()
        source = page.get_by_test_id("stSelectbox").filter(has_text="Model from").locator("input")
        source.click()
        page.get_by_role("option", name=re.compile("^a server")).click()
        expect(source).to_have_value(re.compile("^a server"))
        page.get_by_role("textbox", name="Model", exact=True).fill("fake")
        page.get_by_role("textbox", name="Model", exact=True).press("Enter")
        address = page.get_by_role("combobox", name="Server", exact=False).first
        address.fill(model.url)
        address.press("Enter")
        expect(page.get_by_text(re.compile(r"no key\.$"))).to_be_visible()
        page.get_by_role("button", name="Write").click()
        expect(page.get_by_text("done · 15 of 15")).to_be_visible(timeout=WORKER_WAIT)
        expect(count).to_contain_text(f"{before + 15:,} texts")
