"""Machines of a Ray cluster, as `ray start` makes them."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

from tests.app_server import free_port
from tests.processes import named


def start_machine(*arguments, cores=1, prefix=()):
    """`ray start` of a machine with so many cores."""
    words = ["start", *arguments, "--num-cpus", str(cores), "--object-store-memory", "100000000"]
    done = subprocess.run(
        [*prefix, sys.executable, "-m", "ray.scripts.scripts", *words],
        env=os.environ | {"RAY_USAGE_STATS_ENABLED": "0"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr


@contextmanager
def head(address: str, cores: int = 1) -> Iterator[tuple[int, int, str]]:
    """The first machine, at an address: two ports, and the folder that all processes name."""
    folder = tempfile.mkdtemp(prefix="ray")  # sockets lie in it: a short name
    gcs, client = free_port(), free_port()
    try:
        start_machine(
            "--head", "--node-ip-address", address, "--port", str(gcs),
            "--ray-client-server-port", str(client), "--include-dashboard", "false",
            "--temp-dir", folder, cores=cores,
        )  # fmt: skip
        yield gcs, client, folder
    finally:
        for process in named(folder):
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        shutil.rmtree(folder, ignore_errors=True)
