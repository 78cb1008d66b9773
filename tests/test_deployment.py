"""A team's server: Dockerfile, compose.yaml and deploy/ hold, and app processes share a store."""

from __future__ import annotations

import asyncio
import errno
import json
import os
import re
import subprocess
import urllib.request
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.error import HTTPError

import pytest
import yaml

from core.cli import parser
from core.store import Store
from tests import inviting
from tests.app_server import Server, free_port, serving
from tests.bench.annotate import DATASET, READING, study
from tests.browserless import visit
from tests.container import Container, unable
from tests.paths import ROOT
from tests.proxy import CADDY, WITHOUT, balanced
from tests.study import wait_for

COMPOSE = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")


@pytest.mark.parametrize("service", ["worker", "backup"])
def test_what_a_service_runs_is_a_command(service) -> None:
    run = " ".join(COMPOSE["services"][service]["command"])
    [arguments] = re.findall(r"python -m core (.*)", run)
    assert parser().parse_args(arguments.split()).command == service


def test_services_share_the_store_of_the_image_and_may_do_nothing_else() -> None:
    assert "TANDEM_STORE=/store/tandem.sqlite3" in DOCKERFILE
    for name in ("app", "worker", "backup"):
        service = COMPOSE["services"][name]
        assert "store:/store" in service["volumes"]
        assert service["read_only"]
        assert service["cap_drop"] == ["ALL"]
        assert "ports" not in service  # the proxy is the only way in
    assert re.search(r"^USER (?!root)", DOCKERFILE, re.MULTILINE)
    volumes = [volume for each in COMPOSE["services"].values() for volume in each["volumes"]]
    named = {volume.partition(":")[0] for volume in volumes}
    assert {name for name in named if not name.startswith(".")} == set(COMPOSE["volumes"])


def test_everything_is_pinned() -> None:
    images = [COMPOSE["services"]["proxy"]["image"], *re.findall(r"^FROM (\S+)", DOCKERFILE, re.M)]
    assert all(re.search(r":\d+\.\d+\.\d+", image) for image in images)
    [pattern] = re.findall(r"sed -n '(s.+?)' requirements.txt", DOCKERFILE)
    words = ["sed", "-n", pattern, "requirements.txt"]
    torch = subprocess.check_output(words, cwd=ROOT, text=True)
    assert re.fullmatch(r"torch==[\d.]+\n", torch)


def test_what_is_copied_into_the_image_is_in_the_repository() -> None:
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    kept = [line.removeprefix("!") for line in ignored if line.startswith("!")]
    assert "*" in ignored
    assert all((ROOT / name).exists() for name in kept)
    assert not {".git", "data", "tests", ".streamlit"} & set(kept)  # nor a study, nor a secret


@pytest.mark.skipif(not CADDY, reason=WITHOUT)
def test_the_proxy_understands_its_file_and_keeps_codes_out_of_its_log() -> None:
    words = [str(CADDY), "adapt", "--config", str(ROOT / "deploy" / "Caddyfile")]
    adapted = json.loads(subprocess.check_output(words, text=True))
    fields = adapted["logging"]["logs"]["default"]["encoder"]["fields"]
    assert fields["request>uri"]["actions"][0]["parameter"] == "invitation"
    assert json.dumps(adapted).count('"policy": "cookie"') == 1


@pytest.mark.skipif(not CADDY, reason=WITHOUT)
def test_people_read_a_sentence_where_no_app_process_is_there(tmp_path: Path) -> None:
    with balanced(tmp_path, [f"http://localhost:{free_port()}"]) as url:
        with pytest.raises(HTTPError) as refused:
            urllib.request.urlopen(f"{url}/annotate?invitation=x", timeout=60)
        with refused.value as answer:
            assert answer.code == 502
            assert answer.headers["Content-Type"] == "text/html; charset=utf-8"
            page = answer.read().decode()
    assert "Tandem is not running just now" in page
    assert 'http-equiv="refresh"' in page


@pytest.fixture
def container(tmp_path: Path):
    if reason := unable():
        pytest.skip(reason)
    container = Container(tmp_path)
    yield container
    container.stop()


def test_the_services_work_with_what_is_left_to_them(container) -> None:
    """Without an engine: a read-only root, no capability, and nothing of ours but the image."""
    port, store = free_port(), container.folder / "store" / "tandem.sqlite3"
    [app] = re.findall(r"^CMD (\[.*\])$", DOCKERFILE, re.MULTILINE)
    for name in ("worker", "backup"):
        container.start(COMPOSE["services"][name]["command"])
    container.start([*json.loads(app), "--server.address=127.0.0.1", f"--server.port={port}"])
    wait_for(lambda: answers(f"http://127.0.0.1:{port}/_stcore/health"))
    ran(_vote(f"http://127.0.0.1:{port}/annotate?annotator=Ada"))
    judge = ["judge", "--judge", "baseline:random", "--dataset", "sample-news"]
    container.runs(["python", "-m", "core", *judge])
    wait_for(lambda: any((container.folder / "backups").iterdir()))
    assert "is whole" in container.runs(["python", "-m", "core", "check"])
    with Store(store) as opened:
        rows = "SELECT count(*) FROM judgements j JOIN judges w ON w.id = j.judge WHERE w.name = ?"
        assert opened.connection.value(rows, ("Ada",)) == 1
        assert opened.connection.value(rows, ("baseline:random",)) > 0
    refused = container.start(["sh", "-c", "touch /app/x /usr/x /x; id -u"])
    said, _ = refused.communicate(timeout=60)
    assert said.count(os.strerror(errno.EROFS)) == 3
    assert said.split()[-1] == str(container.user)


def answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=5) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


def ran(visits: Coroutine[object, object, None]) -> None:
    """In a thread: a browser of another test has a loop in this one."""
    with ThreadPoolExecutor(1) as pool:
        pool.submit(asyncio.run, visits).result()


async def _vote(address: str) -> None:
    async with visit(address) as tab:
        await tab.open()
        await asyncio.sleep(READING)
        assert await tab.press("A is better") is not None


@pytest.mark.slow
@pytest.mark.skipif(not CADDY, reason=WITHOUT)
def test_when_a_process_dies_its_people_go_on_with_another(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite3"
    with Store(path) as store:
        study(store, 60)
    link = inviting.code(path, "Ada")
    with serving(path) as first, serving(path) as second:
        apps = {app.process: app for app in (first, second)}
        with balanced(tmp_path, [app.url for app in apps.values()]) as url:
            address = Server(url, path).page("annotate", dataset=DATASET, invitation=link)
            ran(_vote_on(address, path, apps))


async def _vote_on(address: str, path: Path, apps: dict[int, Server]) -> None:
    """Vote, come back to the same process, lose it, and vote on."""
    async with visit(address) as tab:
        cookie = tab.socket.response.headers["Set-Cookie"].partition(";")[0]
        await tab.open()
        await asyncio.sleep(READING)
        assert await tab.press("A is better") is not None
    async with visit(address, Cookie=cookie) as tab:
        assert "Set-Cookie" not in tab.socket.response.headers  # the same process again
        await tab.open()
        lost = next(app for app in apps.values() if _serves(app))
        subprocess.run(["kill", "-9", str(lost.process)], check=True)
    async with visit(address, Cookie=cookie) as tab:
        assert "Set-Cookie" in tab.socket.response.headers  # another one
        await tab.open()
        await asyncio.sleep(READING)
        assert await tab.press("B is better") is not None
    with Store(path) as store:
        rows = store.connection.rows("SELECT outcome FROM judgements ORDER BY id")
        assert rows == [("a",), ("b",)]


def _serves(app: Server) -> bool:
    """Whether anybody is connected to this process."""
    port = int(app.url.rpartition(":")[2])
    tables = (Path(f"/proc/net/{name}").read_text() for name in ("tcp", "tcp6"))
    lines = [line for table in tables for line in table.splitlines()[1:]]
    return any(
        local.endswith(f":{port:04X}") and state == "01"
        for _, local, _, state, *_ in map(str.split, lines)
    )
