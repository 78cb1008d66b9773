"""Whatever is fed in: no crash, endless loop, partial import or unreadable message."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys

import pytest

from core.importing import LAYOUTS
from tests.fuzz.targets import CORPUS
from tests.paths import ROOT

SEED = int(os.environ.get("FUZZ_SEED", "16"))
CASES = int(os.environ.get("FUZZ_CASES", "1000000"))
SHOWN = 5


def findings(*words: str) -> tuple[int, list[str]]:
    """How many cases a process went through, and what it found, of which the first are shown."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.fuzz", *words],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"the process itself ended with {done.returncode}"
    *told, last = [json.loads(line) for line in done.stdout.splitlines()]
    return last["cases"], [
        f"--seed {words[1]} --case {each['case']}: {each['target']}: {each['trace']}"
        for each in told
    ]


def test_every_layout_has_files_to_start_from() -> None:
    without = [name for name in LAYOUTS if not any((CORPUS / name).glob("*"))]
    assert not without, "put an example into tests/fuzz/corpus/NAME/"


def test_a_thousand_inputs_break_nothing() -> None:
    cases, found = findings("--seed", str(SEED), "--cases", "1000")
    assert cases == 1000
    assert not found, "\n".join(found[:SHOWN])


@pytest.mark.slow
@pytest.mark.parametrize("share", [0, 1])
def test_a_million_inputs_break_nothing(share: int, capsys: pytest.CaptureFixture[str]) -> None:
    """Half of them a process. FUZZ_SEED=0 takes others each time, and prints the seed."""
    seed = SEED or random.randrange(10**9)
    with capsys.disabled():
        print(f"\nfuzz: seed {seed}, share {share + 1} of 2")
        half = CASES // 2
        words = ("--seed", str(seed), "--cases", str(half), "--first", str(share * half))
        cases, found = findings(*words)
    assert cases == half
    assert not found, "\n".join(found[:SHOWN])
