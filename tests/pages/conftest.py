"""The app as people meet it: a real server on a store of its own, and Chromium in front of it."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from core.runs import worker
from core.store import Store
from tests.app_server import Server, kill_workers, serving
from tests.pages.tabs import WAIT, TabPool
from tests.pages.waiting import wait_where_ambiguous

NAMES = ("/usr/bin/chromium", "chromium", "chromium-browser", "google-chrome")
CHROMIUM = next(filter(None, map(shutil.which, NAMES)), "")

expect.set_options(timeout=WAIT)

ENSURE_WORKER = worker.ensure


@pytest.fixture(scope="session")
def shared_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The app for all modules of a process: a tab keeps what it has fetched and compiled."""
    store = tmp_path_factory.mktemp("app") / "store.sqlite3"
    with serving(store) as running:
        yield running


@pytest.fixture(scope="module")
def fill(request: pytest.FixtureRequest) -> Callable[[Path], None]:
    """What a module's function `begin` puts into a store."""

    def fill_(path: Path) -> None:
        with Store(path) as store:
            request.module.begin(store)

    return fill_


@pytest.fixture(scope="module")
def server(shared_server: Server, fill: Callable[[Path], None]) -> Server:
    """The app on a module's own store, which `fill` begins."""
    shared_server.begin(fill)
    return shared_server


@pytest.fixture(autouse=True)
def begun_again(request: pytest.FixtureRequest) -> None:
    """What is tried again finds the store as its module begins it, not as the first try left it."""
    is_again = getattr(request.node, "execution_count", 1) > 1
    if is_again and {"server", "fill"} <= set(request.fixturenames):
        request.getfixturevalue("server").begin(request.getfixturevalue("fill"))


@pytest.fixture(scope="session")
def browser_type_launch_args() -> dict[str, Any]:
    if not CHROMIUM:
        pytest.skip("no Chromium found: install Debian's chromium, or put one on the PATH")
    quiet = "background-networking component-update default-apps sync domain-reliability breakpad"
    switches = [f"--disable-{what}" for what in quiet.split()]
    return {
        "executable_path": CHROMIUM,
        "args": ["--no-sandbox", "--no-first-run", "--no-pings", *switches],
    }


@pytest.fixture(scope="session", autouse=True)
def one_at_last() -> Iterator[None]:
    """What is twice on a page while it is drawn again is waited for; see waiting.py."""
    with pytest.MonkeyPatch.context() as patch:
        wait_where_ambiguous(patch)
        yield


@pytest.fixture(scope="session")
def tabs(browser: Browser) -> TabPool:
    return TabPool(browser)


@pytest.fixture
def page(tabs: TabPool) -> Iterator[Page]:
    with tabs.lend() as page:
        yield page


@pytest.fixture
def guest(tabs: TabPool) -> Iterator[Callable[..., Page]]:
    """Somebody's own browser at an address, on a device as `new_context` takes it."""
    with ExitStack() as lent:

        def come(address: str, **device: Any) -> Page:
            page = lent.enter_context(tabs.lend(**device))
            page.goto(address)
            return page

        yield come


@pytest.fixture
def context(page: Page) -> BrowserContext:
    """The browser of the page."""
    return page.context


@pytest.fixture(autouse=True)
def drawn_here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A page drawn in this process is of the test's own store; the unforeseen breaks the test."""
    monkeypatch.setenv("TANDEM_STORE", str(tmp_path / "store.sqlite3"))
    monkeypatch.setenv("TANDEM_TRACEBACK", "1")


@pytest.fixture(autouse=True)
def no_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    """A page drawn in this process starts no worker: it would outlive its test by minutes."""
    monkeypatch.setattr(worker, "ensure", lambda path: None)


@pytest.fixture
def real_worker(no_worker: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """Pages start the workers of stores in the test's folder, and these end with the test."""
    monkeypatch.setattr(worker, "ensure", ENSURE_WORKER)
    yield
    for store in tmp_path.glob("*.sqlite3"):
        kill_workers(store)
