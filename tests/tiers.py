"""The two tiers of tests. The first is `./run test`, before every commit; `--all` adds the second.

CI runs the first tier, what of the second a change touches, and the journeys in a browser.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.mutants.near import count_steps
from tests.paths import ROOT

THOROUGH = (
    *("attacks", "bench", "coverage", "evidence", "faults", "fuzz", "models/cluster"),
    "models/local/test_loading.py",
    "judging/judges/test_every_way.py",
    "judging/judges/test_marks_headless.py",
    "runs/test_killed_runs.py",
    "runs/test_sorted_runs.py",
    "similarity/test_metrics_of_models.py",
    "importing/test_wild_files.py",
    "importing/test_cases.py",
    "pages/test_every_way.py",
    "pages/test_import_form.py",
    "pages/test_attacks.py",
    "test_deployment.py",
    "test_doors_agree.py",
    "test_package.py",
)
"""Folders and files of the second tier, below `tests`."""

MARKS = ("browser", "weights", "shared", "slow")
"""What tests of the second tier need: a browser, real weights, published data sets, or time."""

JOURNEYS = ("pages/test_journeys.py", "pages/test_newcomer.py", "pages/test_two_people.py")
"""Journeys in a browser, which CI takes whatever has changed."""

CLOSE = 2
"""Imports from a test file to what has changed, at most: itself, or a helper, imports it."""


def is_thorough(item: pytest.Item) -> bool:
    """Return whether a test is of the second tier."""
    path = item.path.relative_to(ROOT / "tests")
    return any(item.get_closest_marker(mark) for mark in MARKS) or any(
        path.is_relative_to(part) for part in THOROUGH
    )


def list_changes(root: Path = ROOT) -> list[str]:
    """List the files changed since $TANDEM_BASE: by default since this branch left origin/main,
    else since the last tag, else in the last twenty commits.
    """
    for base in (
        os.environ.get("TANDEM_BASE"),
        _ask_git(root, "merge-base", "origin/main", "HEAD"),
        _ask_git(root, "describe", "--tags", "--abbrev=0"),
        "HEAD~20",
    ):
        if base and (changed := _ask_git(root, "diff", "--name-only", base)):
            return changed.splitlines()
    return []


def find_touched_tests(changed: Iterable[str], root: Path = ROOT) -> set[str]:
    """Find the journeys, and the test files that have changed or import by few steps what has."""
    found: set[str] = set()
    for path in changed:
        if path.endswith(".py"):
            found |= {file for file, steps in count_steps(root, path).items() if steps <= CLOSE}
    touched = {name for name in found if Path(name).name.startswith("test_")}
    return touched | {f"tests/{name}" for name in JOURNEYS}


def _ask_git(root: Path, *words: str) -> str:
    done = subprocess.run(["git", *words], cwd=root, capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else ""
