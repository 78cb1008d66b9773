"""Every pattern and reader of strangers' texts is linear, so that no text stops everybody."""

from __future__ import annotations

import json
import subprocess
import sys

from tests.attacks.repeated_characters import ROOT


def test_no_text_takes_the_square_of_its_length() -> None:
    """A process of its own, as a pattern that has begun cannot be ended from outside."""
    ran = subprocess.run(
        [sys.executable, "-m", "tests.attacks.repeated_characters"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    outcome = json.loads(ran.stdout.splitlines()[-1])
    assert outcome["patterns"] > 150
    assert outcome["slow"] == []
    assert (
        outcome["unread"] == []
    )  # made while they run: a reader here must come by, or OURS says why not
