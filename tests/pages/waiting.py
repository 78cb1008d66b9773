"""Waiting for what a browser says to be so. Playwright's own way evaluates text in the page, which
the pages' security policy forbids.
"""

from __future__ import annotations

import time

from playwright.sync_api import Page

PATIENCE = 30.0


def wait_until(page: Page, expression: str) -> None:
    """Raises TimeoutError when it is not so in time."""
    until = time.monotonic() + PATIENCE
    while not page.evaluate(expression):
        if time.monotonic() > until:
            raise TimeoutError(f"never so: {expression}")
        page.wait_for_timeout(50)
