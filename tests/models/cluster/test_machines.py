"""A cluster of two machines that somebody else started, of which one dies."""

from __future__ import annotations

import importlib.util
import os
import re
import secrets
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from core.store import Store
from tests.hosts import second_host
from tests.models.cluster.machines import head, start_machine
from tests.paths import ROOT
from tests.processes import Command, named
from tests.study import content, ends, fill, tandem, wait_for

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not importlib.util.find_spec("ray"), reason="ray is not installed: requirements-ray.txt"
    ),
]


def killing(folder: str) -> Callable[[], None]:
    def kill() -> None:
        both = named("raylet/raylet", folder)
        [second] = set(both) - set(named("raylet/raylet", folder, "--head"))
        os.kill(second, signal.SIGKILL)

    return kill


@pytest.fixture(params=["a process here is killed", "a host is killed", "a host is cut off"])
def cluster(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch):
    """Where it is reached, and what ends its second machine. Ray wants a token since 2.60."""
    monkeypatch.setenv("RAY_AUTH_MODE", "token")
    monkeypatch.setenv("RAY_AUTH_TOKEN", secrets.token_hex(32))
    if "host" not in request.param:
        with head("127.0.0.1") as (gcs, client, folder):
            start_machine("--address", f"127.0.0.1:{gcs}")
            yield f"ray://127.0.0.1:{client}", killing(folder)
        return
    with second_host(without=ROOT / "core") as host, head(host.here) as (gcs, client, folder):
        at = ("--address", f"{host.here}:{gcs}", "--node-ip-address", host.there)
        start_machine(*at, prefix=host.prefix)
        end = host.cut if "cut" in request.param else killing(folder)
        yield f"ray://{host.here}:{client}", end


def test_a_machine_that_dies_costs_what_it_had_in_hand(cluster, tmp_path: Path) -> None:
    (address, end), judge = cluster, ("judge", "--judge", "baseline:random")
    paths = [tmp_path / "one.sqlite3", tmp_path / "spread.sqlite3"]
    for path in paths:
        with Store(path) as store:
            fill(store, items=600, attributes=("coherence", "fluency", "style", "depth"))
    ends(tandem(paths[0], *judge))

    run = Command("--store", str(paths[1]), *judge, "--on", address, "--workers", "2", apart=True)
    with Store(paths[1]) as store:
        wait_for(lambda: store.connection.value("SELECT count(*) FROM judgements") > 0, seconds=240)
        end()
        _, errors = run.communicate(timeout=300)
        assert run.returncode == 0, errors
        assert re.search(r"\b1 died\b.*asked again", errors)
        with Store(paths[0]) as alone:
            assert content(store) == content(alone)
