"""Browsers that are kept from test to test: a new tab costs two seconds of computing before it has
drawn a page, one that stays at a server half a second, as it keeps the process that has compiled
the page's scripts.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urljoin

from playwright.sync_api import Browser, BrowserContext, Error, Page

LAPTOP = {"width": 1366, "height": 768}
WAIT = 60_000  # milliseconds until an expectation is given up: no test asserts a time, and a busy
# machine may take half a minute to start a command


class TabPool:
    """Lends tabs. Each is the only one of a browser context of its own, of a given device."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._free: defaultdict[str, list[BrowserContext]] = defaultdict(list)

    @contextmanager
    def lend(self, **device: Any) -> Iterator[Page]:
        """A tab that remembers nothing but fetched scripts; `device` as `new_context` takes it."""
        device = {"viewport": LAPTOP, **device}
        free = self._free[json.dumps(device, sort_keys=True)]
        context = free.pop() if free else self._browser.new_context(**device)
        page = context.pages[0] if context.pages else context.new_page()
        page.set_default_timeout(WAIT)
        try:
            yield page
        finally:
            try:
                forget(page, device["viewport"])
            except Error:  # its server is gone, or the test has closed it
                context.close()
            else:
                free.append(context)


def forget(page: Page, viewport: Any) -> None:
    """Leave the page and forget what it told. Raises Error where the tab is of no use any more."""
    page.context.set_offline(False)
    for other in page.context.pages:
        if other is not page:
            other.close()
    if not page.url.startswith("http"):
        raise Error(f"the tab is nowhere: {page.url}")
    page.goto(urljoin(page.url, "/_stcore/health"))
    page.evaluate("localStorage.clear(); sessionStorage.clear()")
    page.context.clear_cookies()
    page.set_viewport_size(viewport)
