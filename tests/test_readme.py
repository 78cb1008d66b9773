"""Every command of the README, run."""

from __future__ import annotations

import os
import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path

from tests.app_server import free_port, wait_until_healthy
from tests.lock import list_named
from tests.paths import ROOT

BLOCKS = re.findall(r"```sh\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)
COMMANDS = [
    line.split("  #")[0].strip() for block in BLOCKS for line in block.splitlines() if line.strip()
]
TABLE = """item,context,system,text
q1,Say hello.,curt,Hi.
q1,Say hello.,kind,"Hello, good to see you!"
"""


def test_readme_has_the_two_commands_first() -> None:
    assert COMMANDS[:2] == ["./run app", "./run test"]


def test_headless_commands_run_in_order(tmp_path: Path) -> None:
    (tmp_path / "my_outputs.csv").write_text(TABLE, encoding="utf-8")
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
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "--dry-run",
        "--no-index",
    ]
    for words in (*(map(str, requirements) for requirements in named), ["-r", "requirements.txt"]):
        command = [sys.executable, *pip, *words]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr  # without an index


def test_app_opens_with_an_empty_home(tmp_path: Path) -> None:
    port, store = free_port(), tmp_path / "store.sqlite3"
    own = {"HOME": str(tmp_path), "TANDEM_STORE": str(store)}
    server = subprocess.Popen(
        ["./run", "app", "--server.port", str(port), "--server.headless", "true"],
        cwd=ROOT, env=os.environ | own, start_new_session=True,
    )  # fmt: skip
    try:
        assert wait_until_healthy(server, store, port)
    finally:
        os.killpg(server.pid, signal.SIGKILL)
        server.wait()
