"""A text that is twice on a page for a moment is waited for; one that stays so is refused."""

from __future__ import annotations

import pytest
from playwright.sync_api import Error, expect

from tests.pages import waiting
from tests.pages.tabs import TabPool

pytestmark = pytest.mark.browser

TWICE = "<p>said</p><p class=stale>said</p>"
GONE_SOON = "setTimeout(() => document.querySelector('.stale').remove(), 300)"


def test_what_is_twice_for_a_moment_is_waited_for(tabs: TabPool) -> None:
    with tabs.lend() as page:
        for look in (
            lambda: expect(page.get_by_text("said")).to_be_visible(),
            lambda: page.get_by_text("said").click(),
        ):
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
