"""Every command of the README, run."""

from __future__ import annotations

import io
import os
import re
import shlex
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

from tests.lock import list_named
from tests.paths import ROOT

BLOCKS = re.findall(r"```sh\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)
COMMANDS = [
    line.split("  #")[0].strip() for block in BLOCKS for line in block.splitlines() if line.strip()
]
ROWS = [
    ("q1", "Say hello.", "curt", "Hi."),
    ("q1", "Say hello.", "kind", "Hello, good to see you!"),
]


def test_readme_has_the_two_commands_first() -> None:
    assert COMMANDS[:2] == ["./run app", "./run test"]


def test_headless_commands_run_in_order(tmp_path: Path) -> None:
    table = "item,context,system,text\n" + "\n".join(
        ",".join(f'"{cell}"' for cell in row) for row in ROWS
    )
    (tmp_path / "my_outputs.csv").write_text(table, encoding="utf-8")
    commands = [command for command in COMMANDS if command.startswith("python -m core")]
    for name, text in (("old", "Hi."), ("new", "Hello and welcome!")):
        answers = "".join(f"Greet guest {n}.,{text}\n" for n in range(20))
        (tmp_path / f"{name}.csv").write_text(f"prompt,response\n{answers}", encoding="utf-8")
    assert len(commands) == 4
    store = {"TANDEM_STORE": str(tmp_path / "store.sqlite3"), "PYTHONPATH": str(ROOT)}
    said = [
        subprocess.run(
            [sys.executable, *shlex.split(command, comments=True)[1:]],
            cwd=tmp_path, env=os.environ | store, capture_output=True, text=True,
        )
        for command in commands
    ]  # fmt: skip
    assert [done.returncode for done in said] == [0, 0, 0, 0], [done.stderr for done in said]
    # Two systems, one pair, both orders: the board has both.
    assert "curt" in said[2].stdout
    assert "kind" in said[2].stdout
    assert "new is better than old" in said[3].stdout


def test_run_test_runs_tests() -> None:
    done = subprocess.run(
        ["./run", "test", "tests/test_prices.py"], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"\b[1-9]\d* passed", done.stdout)


def test_pip_finds_everything_the_readme_installs() -> None:
    """What an installation takes is here, in a version within its bounds."""
    lines = [command for command in COMMANDS if command.startswith("pip install")]
    extras = [re.findall(r"\[(\w+)\]", line) for line in lines]
    assert extras == [[], ["all"]]
    named = [list_named(["", *one]).values() for one in extras]
    pip = [
        sys.executable,
        *["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--dry-run"],
    ]
    for words in (*(map(str, requirements) for requirements in named), ["-r", "requirements.txt"]):
        done = subprocess.run(
            [*pip, "--no-index", *words], cwd=ROOT, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr  # without an index


def test_app_opens_with_an_empty_home(tmp_path: Path) -> None:
    port = _free_port()
    own = {"HOME": str(tmp_path), "TANDEM_STORE": str(tmp_path / "store.sqlite3")}
    server = subprocess.Popen(
        ["./run", "app", "--server.port", str(port), "--server.headless", "true"],
        cwd=ROOT, env=os.environ | own, start_new_session=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    try:
        assert _answers(f"http://localhost:{port}/_stcore/health", server) == b"ok"
    finally:
        os.killpg(server.pid, signal.SIGKILL)
        server.wait()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("localhost", 0))
        return int(probe.getsockname()[1])


def _answers(url: str, server: subprocess.Popen[bytes], patience: float = 60) -> bytes:
    until = time.monotonic() + patience
    while time.monotonic() < until and server.poll() is None:
        try:
            with urllib.request.urlopen(url, timeout=2) as page:
                return bytes(page.read())
        except OSError:
            time.sleep(0.2)
    assert isinstance(server.stdout, io.BufferedReader)
    raise AssertionError(
        f"nothing answers at {url}: "
        f"{server.stdout.read1().decode() if server.poll() is None else ''}"
    )
