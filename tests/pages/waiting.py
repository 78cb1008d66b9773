"""Waiting for what a page will be. Streamlit keeps what the run before has drawn until the new run
is over, so that for a moment the same text is there twice.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import wraps
from types import FunctionType
from typing import Any

import pytest
from playwright.sync_api import Error, Locator, LocatorAssertions, Page, expect

PATIENCE = 60.0
WORKER_WAIT = 600_000
"""Milliseconds until a worker is given up. Its priority is lowered, as people vote beside it: of a
machine that is busy with other tests it gets a twentieth, and a model takes it ten seconds to load.
"""
AMBIGUOUS = "strict mode violation"  # how Playwright begins to say that it found more than one


def wait_until(page: Page, expression: str) -> None:
    """Raises TimeoutError when it is not so in time. Playwright's own way evaluates text in the
    page, which the pages' security policy forbids.
    """
    until = time.monotonic() + PATIENCE
    while not page.evaluate(expression):
        if time.monotonic() > until:
            raise TimeoutError(f"never so: {expression}")
        page.wait_for_timeout(50)


def wait_for_run_end(page: Page) -> None:
    """A popover that is opened before closes when the run draws it in another place."""
    expect(page.get_by_test_id("stApp")).to_have_attribute("data-test-script-state", "notRunning")


def wait_where_ambiguous(patch: pytest.MonkeyPatch) -> None:
    """Whatever is done with a locator, or expected of it, waits until it finds one element alone.
    Playwright waits for everything else, but fails at once where it finds two.
    """
    for kind in (Locator, LocatorAssertions):
        for name, method in vars(kind).items():
            if isinstance(method, FunctionType) and not name.startswith("_"):
                patch.setattr(kind, name, _patient(method))


def _patient(method: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(method)
    def wait(*given: Any, **named: Any) -> Any:
        until = time.monotonic() + PATIENCE
        while True:
            try:
                return method(*given, **named)
            except (AssertionError, Error) as error:
                if AMBIGUOUS not in str(error) or time.monotonic() > until:
                    raise
            time.sleep(0.05)

    return wait
