"""A tab that is lent again is unused; a text that is twice on a page for a moment is waited for."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Error, expect

from tests.listener import listening
from tests.pages import waiting
from tests.pages.tabs import LAPTOP, TabPool

pytestmark = pytest.mark.browser


@pytest.fixture
def address() -> Iterator[str]:
    with listening() as heard:
        yield heard.url


REMEMBERED = "[localStorage.length, sessionStorage.length, document.cookie]"


def test_it_remembers_nothing_of_the_test_before(tabs: TabPool, address: str) -> None:
    with tabs.lend() as page:
        page.goto(address)
        page.evaluate("localStorage.a = sessionStorage.b = 1; document.cookie = 'c=1'")
        assert page.evaluate(REMEMBERED) == [1, 1, "c=1"]
        page.set_viewport_size({"width": 390, "height": 844})
        page.context.new_page().goto(address)
        page.context.set_offline(True)
    with tabs.lend() as again:
        assert again is page
        assert again.context.pages == [again]
        again.goto(address)
        assert again.evaluate(REMEMBERED) == [0, 0, ""]
        assert again.viewport_size == LAPTOP


def test_people_at_once_have_browsers_of_their_own(tabs: TabPool, address: str) -> None:
    with tabs.lend() as one, tabs.lend() as other, tabs.lend(color_scheme="dark") as dark:
        assert len({one.context, other.context, dark.context}) == 3
        assert dark.evaluate("matchMedia('(prefers-color-scheme: dark)').matches")
        for page in (one, other, dark):
            page.goto(address)
        one.evaluate("localStorage.a = 1")
        assert other.evaluate(REMEMBERED) == [0, 0, ""]


def test_one_that_cannot_forget_is_not_lent_again(tabs: TabPool, address: str) -> None:
    """It was closed, or never at a server."""
    german = {"locale": "de-DE"}  # a device that no other test has
    with tabs.lend(**german) as unused:
        assert unused.url == "about:blank"
    with tabs.lend(**german) as closed:
        assert closed is not unused
        closed.goto(address)
        closed.close()
    with tabs.lend(**german) as page:
        assert page not in (closed, unused)
        page.goto(address)


TWICE = "<p>said</p><p class=stale>said</p>"
GONE_SOON = "setTimeout(() => document.querySelector('.stale').remove(), 300)"


def test_what_is_twice_for_a_moment_is_waited_for(tabs: TabPool) -> None:
    with tabs.lend() as page:
        said = page.get_by_text("said")
        for look in (lambda: expect(said).to_be_visible(), said.click):
            page.set_content(TWICE)
            page.evaluate(GONE_SOON)
            look()
            assert page.locator(".stale").count() == 0


def test_what_stays_twice_is_refused(tabs: TabPool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting, "PATIENCE", 0.2)
    with tabs.lend() as page:
        page.set_content(TWICE)
        said = page.get_by_text("said")
        with pytest.raises(AssertionError, match="resolved to 2 elements"):
            expect(said).to_be_visible()
        with pytest.raises(Error, match="resolved to 2 elements"):
            said.click()
