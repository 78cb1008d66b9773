"""What a person has opened stays open when a press is refused: the sentence moves nothing."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from core.store import Store
from tests import study
from tests.app_server import Server
from tests.pages.beginning import filling
from tests.pages.waiting import wait_for_run_end

pytestmark = [pytest.mark.browser, pytest.mark.race]


@filling
def fill(store: Store) -> None:
    study.fill(store)


def test_a_refused_server_leaves_its_form_open(page: Page, server: Server) -> None:
    page.goto(server.page("judge"))
    expect(page.get_by_role("heading", name="Runs", exact=True)).to_be_visible()
    wait_for_run_end(page)
    page.locator("summary", has_text="Servers").click()
    address = page.get_by_label("Its address")
    address.fill("no-address")
    page.get_by_role("button", name="Add server").click()
    expect(page.get_by_role("alert")).to_contain_text("no-address")
    expect(address).to_be_visible()
    expect(address).to_have_value("no-address")
    address.fill("http://127.0.0.2:8000/v1")  # the next press takes the sentence away again
    page.get_by_role("button", name="Add server").click()
    expect(page.get_by_role("alert")).to_have_count(0)
    expect(page.get_by_text("http://127.0.0.2:8000/v1")).to_be_visible()
