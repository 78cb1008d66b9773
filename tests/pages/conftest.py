"""The app as people meet it: a real server on a store of its own, and Chromium in front of it."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Error, Page, expect

from tests.app_server import Server, serving

CHROMIUM = next(
    filter(
        None,
        map(shutil.which, ("/usr/bin/chromium", "chromium", "chromium-browser", "google-chrome")),
    ),
    "",
)
WAIT = 20_000  # milliseconds until an expectation is given up; no test asserts a time

expect.set_options(timeout=WAIT)


@pytest.fixture(scope="module")
def fill() -> Callable[[Path], None]:
    """What a module puts into the store before the app starts: nothing, unless it says otherwise."""
    return lambda store: None


@pytest.fixture(scope="module")
def server(
    tmp_path_factory: pytest.TempPathFactory, fill: Callable[[Path], None]
) -> Iterator[Server]:
    store = tmp_path_factory.mktemp("app") / "store.sqlite3"
    fill(store)
    with serving(store) as running:
        yield running


@pytest.fixture(scope="session")
def browser_type_launch_args() -> dict[str, Any]:
    if not CHROMIUM:
        pytest.skip("no Chromium found: install Debian's chromium, or put one on the PATH")
    quiet = (
        "background-networking",
        "component-update",
        "default-apps",
        "sync",
        "domain-reliability",
        "breakpad",
    )
    switches = [f"--disable-{what}" for what in quiet]
    return {
        "executable_path": CHROMIUM,
        "args": ["--no-sandbox", "--no-first-run", "--no-pings", *switches],
    }


@pytest.fixture(scope="session")
def browser_context_args(browser_context_args: dict[str, Any]) -> dict[str, Any]:
    return {**browser_context_args, "viewport": {"width": 1366, "height": 768}}


@pytest.fixture(scope="module")
def kept(browser: Browser, browser_context_args: dict[str, Any]) -> Iterator[BrowserContext]:
    """The browser of a module: it fetches and compiles what draws the pages once."""
    context = browser.new_context(**browser_context_args)
    yield context
    context.close()


@pytest.fixture
def context(kept: BrowserContext) -> Iterator[BrowserContext]:
    """A browser as nobody has used it, but for what it has fetched."""
    yield kept
    for page in kept.pages:
        with suppress(Error):  # a page that was never opened remembers nothing
            page.evaluate("localStorage.clear()")
        page.close()
    kept.clear_cookies()
    kept.set_offline(False)


@pytest.fixture
def page(page: Page) -> Page:
    page.set_default_timeout(WAIT)
    return page


@pytest.fixture(autouse=True)
def unforeseen(monkeypatch: pytest.MonkeyPatch) -> None:
    """What nobody foresaw breaks a test, rather than being told on the page."""
    monkeypatch.setenv("TANDEM_TRACEBACK", "1")
