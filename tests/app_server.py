"""The app as it is started: a real server on a free port of this machine, on a store of its own."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import urlencode

from tests.paths import ROOT
from tests.processes import find_processes


class Server:
    """A running app, the store it works on and its process, or all of them behind one address."""

    def __init__(self, url: str, store: Path, *processes: int) -> None:
        self.url, self.store, self.processes = url, store, processes

    @property
    def process(self) -> int:
        """The only one of its processes."""
        [process] = self.processes
        return process

    def begin(self, fill: Callable[[Path], object]) -> None:
        """Put another store in the place of its own: starting a server takes longer."""
        kill_workers(self.store)
        for path in self.store.parent.glob(f"{self.store.stem}*.sqlite3*"):
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink(missing_ok=True)  # a page that is still drawn may have closed it
        fill(self.store)

    def page(self, name: str = "", **parameters: str) -> str:
        """The address of a page, such as page("annotate", annotator="Ada")."""
        return f"{self.url}/{name}" + (f"?{urlencode(parameters)}" if parameters else "")


@contextmanager
def serving(store: Path, *options: str, cwd: Path = ROOT, base: str = "") -> Iterator[Server]:
    """Serve the app (under the path `base`) until the block ends; its worker ends with it."""
    port = free_port()
    options = (*options, f"--server.baseUrlPath={base}") if base else options
    with _ended_by_sigterm():
        process = start(store, port, *options, cwd=cwd)
        try:
            yield wait_until_healthy(process, store, port, base)
        finally:
            process.kill()
            process.wait()
            kill_workers(store)


def free_port() -> int:
    """A port of this machine on which nobody listens."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def start(
    store: Path, port: int, *options: str, cwd: Path = ROOT, prefix: Sequence[str] = (),
    **environment: str,
) -> subprocess.Popen[bytes]:  # fmt: skip
    """A server that begins to start. `prefix` is a command that runs it."""
    app = str(ROOT / "app.py") if cwd != ROOT else "app.py"
    command = [*prefix, sys.executable, "-m", "streamlit", "run", app, "--server.headless=true",
               f"--server.port={port}", *options]  # fmt: skip
    temporary = (
        store.parent / "temporary"
    )  # what a killed server leaves goes with the test's folder
    temporary.mkdir(exist_ok=True)
    own = {"TANDEM_STORE": str(store), "TMPDIR": str(temporary), "HF_HUB_OFFLINE": "1",
           "TOKENIZERS_PARALLELISM": "false"}  # fmt: skip
    how = {"cwd": cwd, "env": os.environ | own | environment, "start_new_session": True}
    with store.with_suffix(".server.log").open("a") as log:
        return subprocess.Popen(command, stdout=log, stderr=log, **how)


@contextmanager
def _ended_by_sigterm() -> Iterator[None]:
    """SIGTERM ends this program as an exception does, so that nothing it started goes on."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def wait_until_healthy(
    process: subprocess.Popen[bytes], store: Path, port: int, base: str = ""
) -> Server:
    """The server, once it answers. Raises RuntimeError when it ended, or does not answer."""
    url = f"http://localhost:{port}/{base}".rstrip("/")
    until = time.monotonic() + 60
    while time.monotonic() < until and process.poll() is None:
        try:
            with urllib.request.urlopen(f"{url}/_stcore/health", timeout=2):
                return Server(url, store, process.pid)
        except OSError:
            time.sleep(0.1)
    raise RuntimeError(f"the app did not start (exit status {process.poll()})")


def kill_workers(store: Path) -> None:
    """End the processes that were started for this store, and wait until they have."""
    while found := workers(store):
        for worker in found:
            with suppress(ProcessLookupError):
                os.kill(worker, signal.SIGKILL)
        time.sleep(0.01)


def workers(store: Path) -> list[int]:
    """The processes that were started for this store."""
    return find_processes(lambda words: str(store) in words and "worker" in words)
