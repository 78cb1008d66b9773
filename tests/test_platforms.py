"""Other systems than Linux: macOS keeps no set of cores for a process, Windows has no file locks."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.paths import ROOT

VOTES = "item,system_a,system_b,winner\nq1,x,y,x\nq2,x,y,y\nq3,x,y,x\n"


def run_as(system: str, *words: str) -> subprocess.CompletedProcess[str]:
    """Run `python -m core` with what another system does not have taken away."""
    code = f"""
import os, runpy, sys
if hasattr(os, "sched_getaffinity"):
    del os.sched_getaffinity
if {system!r} == "Windows":
    sys.modules["fcntl"] = None
    sys.platform = "win32"
sys.argv = ["core", *{words!r}]
runpy.run_module("core", run_name="__main__", alter_sys=True)
"""
    return subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
    )


def test_votes_in_files_are_ranked_where_a_process_has_no_set_of_cores(tmp_path: Path) -> None:
    (tmp_path / "votes.csv").write_text(VOTES)
    done = run_as("macOS", "rank", "--votes", str(tmp_path / "votes.csv"))
    assert done.returncode == 0, done.stderr
    assert "x" in done.stdout


def test_windows_is_told_where_tandem_runs_instead_of_a_traceback() -> None:
    done = run_as("Windows", "rank", "--votes", "votes.csv")
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    (sentence,) = done.stderr.splitlines()
    assert "Windows" in sentence
    assert "WSL" in sentence
