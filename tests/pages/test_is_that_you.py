"""Bob and bob: the page asks once whether they are one person, and keeps to what it hears."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from core.pairing import open_default
from core.store import Store
from tests import study
from tests.app_server import Server

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def fill() -> Callable[[Path], None]:
    def fill_(path: Path) -> None:
        with Store(path) as store:
            study.fill(store, items=9)
            open_default(store, study.DATASET)
            study.judge(store, "Bob")

    return fill_


def come_as(page: Page, server: Server, name: str) -> None:
    page.goto(server.page("annotate", dataset=study.DATASET))
    page.get_by_label("Your name").fill(name)
    page.get_by_role("button", name="Start").click()


def names(server: Server) -> list[str]:
    with Store(server.store) as store:
        return sorted(store.judges.all()["judge"])


def test_who_says_yes_goes_on_under_the_name_there_is(page: Page, server: Server) -> None:
    come_as(page, server, "bob")
    expect(page.get_by_text("There is a Bob already: is that you?")).to_be_visible()
    assert names(server) == ["Bob"]
    page.get_by_role("button", name="Yes, that is me").click()
    expect(page.get_by_role("button", name="A is better")).to_be_visible()
    expect(page).to_have_url(server.page("annotate", dataset=study.DATASET, annotator="Bob"))
    assert names(server) == ["Bob"]


def test_who_says_no_is_somebody_else(page: Page, server: Server) -> None:
    come_as(page, server, "BOB")
    page.get_by_role("button", name="No, I am somebody else").click()
    expect(page.get_by_role("button", name="A is better")).to_be_visible()
    assert names(server) == ["BOB", "Bob"]
    come_as(page, server, "BOB")  # whom the page knows by now
    expect(page.get_by_role("button", name="A is better")).to_be_visible()
