"""Each bench runs at its smallest size and prints its table and ratio; no speed is tested."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from tests.bench.__main__ import BENCHES
from tests.paths import ROOT

SHORT = {"arena", "importing", "pairing", "ratings"}
"""At most 5 s."""
LONG = sorted(set(BENCHES) - SHORT)


def bench(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tests.bench", *arguments], cwd=ROOT, capture_output=True, text=True
    )


def test_without_a_name_it_lists_them() -> None:
    assert [line.split()[0] for line in bench().stdout.splitlines()] == BENCHES
    assert {"importing", "pages", "ratings", "store"} <= set(BENCHES)


def test_an_unknown_name_is_refused() -> None:
    done = bench("tsore")
    assert done.returncode != 0
    assert done.stderr == f"unknown bench 'tsore'; there are: {', '.join(BENCHES)}\n"


@pytest.mark.parametrize(
    "name", [*sorted(SHORT), *(pytest.param(name, marks=pytest.mark.slow) for name in LONG)]
)
def test_the_smallest_size(name: str) -> None:
    said = read_table(name)
    assert name == "pages" or "ratio: " in said


@pytest.mark.slow
def test_annotators_beside_readers() -> None:
    read_table("annotate", "--readers", "2")


def read_table(*words: str) -> str:
    """What a bench says at its smallest size, with a table in it."""
    done = bench(*words, "--small")
    assert done.returncode == 0, done.stderr
    if done.stdout.startswith("skipped"):
        pytest.skip(done.stdout)
    assert re.search(r"^\| (way|page) ", done.stdout, re.MULTILINE)
    return done.stdout
