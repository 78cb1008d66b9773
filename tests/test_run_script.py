"""The `run` script: POSIX sh, clear about what it needs."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.paths import ROOT


def run(*arguments: str, cwd: Path = ROOT, **environment: str) -> subprocess.CompletedProcess[str]:
    command, env = ["sh", "./run", *arguments], os.environ | environment
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, env=env)


def test_help_names_every_command() -> None:
    done = run()
    assert done.returncode == 0
    for command in ("app", "setup", "model", "test", "check", "bench"):
        assert f"./run {command}" in done.stdout


def test_unknown_command_is_refused() -> None:
    done = run("tset")
    assert done.returncode == 2
    assert "unknown command 'tset'" in done.stderr


def test_without_a_python_it_says_which_is_needed(tmp_path: Path) -> None:
    """A PATH with the script's own tools but no Python at all."""
    for tool in ("sh", "dirname", "rm", "cat", "cmp", "tr", "cp"):
        (tmp_path / tool).symlink_to(shutil.which(tool) or pytest.skip(f"no {tool} here"))
    (tmp_path / "clone").mkdir()
    shutil.copy(ROOT / "run", tmp_path / "clone/run")
    done = run("setup", cwd=tmp_path / "clone", PATH=str(tmp_path), PYTHON="no-such-python")
    assert done.returncode != 0
    assert "Python 3.11 or newer" in done.stderr


def test_setup_with_everything_there_installs_nothing() -> None:
    if not (ROOT / ".venv/requirements.txt.installed").exists():
        pytest.skip("this Python was not set up by ./run")
    done = run("setup")
    assert done.returncode == 0, done.stderr
    assert "Installing" not in done.stderr
