"""A cluster of two machines that somebody else started, both of them this one, of which one dies."""

import contextlib
import importlib.util
import os
import shutil
import signal
import subprocess
import sys
import tempfile

import pytest

from core.store import Store
from tests.app_server import free_port
from tests.processes import Command, named
from tests.study import content, ends, fill, tandem, wait_for

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not importlib.util.find_spec("ray"), reason="ray is not installed: requirements-ray.txt"
    ),
]


def started(*arguments):
    """`ray start` of a machine with one core."""
    words = ["start", *arguments, "--num-cpus", "1", "--object-store-memory", "100000000"]
    done = subprocess.run(
        [sys.executable, "-m", "ray.scripts.scripts", *words],
        env=os.environ | {"RAY_USAGE_STATS_ENABLED": "0"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr


@pytest.fixture
def cluster():
    """Where it is reached, and the folder that all of its processes name."""
    folder = tempfile.mkdtemp(prefix="ray")  # sockets lie in it: a short name
    gcs, client = free_port(), free_port()
    try:
        started(
            "--head", "--node-ip-address", "127.0.0.1", "--port", str(gcs),
            "--ray-client-server-port", str(client), "--include-dashboard", "false",
            "--temp-dir", folder,
        )  # fmt: skip
        started("--address", f"127.0.0.1:{gcs}")
        yield f"ray://127.0.0.1:{client}", folder
    finally:
        for process in named(folder):
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        shutil.rmtree(folder, ignore_errors=True)


def test_a_machine_that_dies_costs_what_it_had_in_hand(cluster, tmp_path):
    address, folder = cluster
    judge = ("judge", "--judge", "baseline:random")
    paths = [tmp_path / "one.sqlite3", tmp_path / "spread.sqlite3"]
    for path in paths:
        with Store(path) as store:
            fill(store, items=600, attributes=("coherence", "fluency", "style", "depth"))
    ends(tandem(paths[0], *judge))

    run = Command("--store", str(paths[1]), *judge, "--on", address, "--workers", "2", apart=True)
    with Store(paths[1]) as store:
        wait_for(lambda: store.connection.value("SELECT count(*) FROM judgements") > 0)
        both = named("raylet/raylet", folder)
        [second] = set(both) - set(named("raylet/raylet", folder, "--head"))
        os.kill(second, signal.SIGKILL)
        _, errors = run.communicate(timeout=300)
        assert run.returncode == 0, errors
        assert "1 died and what they had in hand was asked again" in errors
        with Store(paths[0]) as alone:
            assert content(store) == content(alone)
