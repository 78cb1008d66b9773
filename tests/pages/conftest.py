"""The app as people meet it: a real server on a store of its own, and Chromium in front of it."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Page, expect

from tests.paths import ROOT

CHROMIUM = next(
    filter(
        None,
        map(shutil.which, ("/usr/bin/chromium", "chromium", "chromium-browser", "google-chrome")),
    ),
    "",
)
WAIT = 20_000  # milliseconds until an expectation is given up; no test asserts a time

expect.set_options(timeout=WAIT)


@dataclass(frozen=True)
class Server:
    """A running app and the store it works on."""

    url: str
    store: Path

    def page(self, name: str = "", **parameters: str) -> str:
        """The address of a page, such as page("annotate", annotator="Ada")."""
        return f"{self.url}/{name}" + (f"?{urlencode(parameters)}" if parameters else "")


@contextmanager
def serving(store: Path) -> Iterator[Server]:
    """`streamlit run app.py` on a free port until the block ends; its worker ends with it."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    url = f"http://localhost:{port}"
    log = store.with_suffix(".server.log").open("w+")
    command = [
        sys.executable,
        "-m",
        "streamlit",
        "run",
        "app.py",
        "--server.headless=true",
        f"--server.port={port}",
    ]
    environment = {
        **os.environ,
        "TANDEM_STORE": str(store),
        "HF_HUB_OFFLINE": "1",
        "TOKENIZERS_PARALLELISM": "false",
    }
    process = subprocess.Popen(
        command, cwd=ROOT, env=environment, stdout=log, stderr=log, start_new_session=True
    )
    try:
        _wait_until_healthy(process, url)
        yield Server(url, store)
    finally:
        process.kill()
        process.wait()
        for worker in _workers(store):
            os.kill(worker, signal.SIGKILL)
        log.close()


def _wait_until_healthy(process: subprocess.Popen[bytes], url: str) -> None:
    until = time.monotonic() + 60
    while time.monotonic() < until and process.poll() is None:
        try:
            with urllib.request.urlopen(f"{url}/_stcore/health", timeout=2):
                return
        except OSError:
            time.sleep(0.1)
    raise RuntimeError(f"the app did not start (exit status {process.poll()})")


def _workers(store: Path) -> list[int]:
    """The processes that were started for this store."""
    found = []
    for commandline in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            arguments = commandline.read_bytes().split(b"\0")
        except OSError:  # it has just ended
            continue
        if str(store).encode() in arguments and b"worker" in arguments:
            found.append(int(commandline.parent.name))
    return found


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


@pytest.fixture
def page(page: Page) -> Page:
    page.set_default_timeout(WAIT)
    return page
