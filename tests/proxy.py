"""Several app processes on one store behind Caddy, as compose.yaml has them, without https."""

from __future__ import annotations

import re
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from tests.app_server import Server, serving
from tests.paths import ROOT

CADDY = shutil.which("caddy")
WITHOUT = "Caddy is not installed; on Debian: apt install caddy"


@contextmanager
def team(store: Path, processes: int) -> Iterator[Server]:
    """So many app processes at one address, until the block ends."""
    with ExitStack() as running:
        apps = [running.enter_context(serving(store)) for _ in range(processes)]
        url = running.enter_context(balanced(store.parent, [app.url for app in apps]))
        yield Server(url, store, *[app.process for app in apps])


@contextmanager
def balanced(folder: Path, urls: Sequence[str]) -> Iterator[str]:
    """The address of a proxy before these, until the block ends."""
    assert CADDY, WITHOUT
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://localhost:{free.getsockname()[1]}"
    file = folder / "Caddyfile"
    file.write_text(_configured(url, [address.removeprefix("http://") for address in urls]))
    with (folder / "caddy.log").open("w") as log:
        command = [CADDY, "run", "--config", str(file)]
        process = subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True)
    try:
        _wait_until_open(process, int(url.rpartition(":")[2]))
        yield url
    finally:
        process.kill()
        process.wait()


def _configured(url: str, addresses: Sequence[str]) -> str:
    text = (ROOT / "deploy" / "Caddyfile").read_text(encoding="utf-8")
    text = re.sub(r"dynamic a .*?\n\t\t\}", f"to {' '.join(addresses)}", text, flags=re.DOTALL)
    text = text.replace("{$TANDEM_ADDRESS:localhost}", url)
    return text.replace("{\n", "{\n\tadmin off\n", 1)


def _wait_until_open(process: subprocess.Popen[bytes], port: int) -> None:
    until = time.monotonic() + 20
    while time.monotonic() < until and process.poll() is None:
        try:
            with socket.create_connection(("localhost", port), timeout=2):
                return
        except OSError:
            time.sleep(0.05)
    raise RuntimeError(f"the proxy did not start (exit status {process.poll()})")
