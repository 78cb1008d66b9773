"""Waiting for what a page will be: for a moment Streamlit has the same text there twice."""

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
    """Raises TimeoutError. Playwright's own way evaluates text, which the pages forbid."""
    until = time.monotonic() + PATIENCE
    while not page.evaluate(expression):
        if time.monotonic() > until:
            raise TimeoutError(f"never so: {expression}")
        page.wait_for_timeout(50)


def wait_for_run_end(page: Page) -> None:
    """A popover that is opened before closes when the run draws it in another place."""
    expect(page.get_by_test_id("stApp")).to_have_attribute("data-test-script-state", "notRunning")


def wait_where_ambiguous(patch: pytest.MonkeyPatch) -> None:
    """Wait where a locator finds two elements for a moment: Playwright fails at once."""
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
