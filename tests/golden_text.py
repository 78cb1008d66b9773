"""Approved wording: one text file below `tests/golden/sentences` a test, changed on purpose only.

`TANDEM_APPROVE=1 ./run test tests/…` writes what the program says now; read the diff before you
commit it.
"""

from __future__ import annotations

import os

from tests.paths import ROOT

SENTENCES = ROOT / "tests" / "golden" / "sentences"


def approve(name: str, text: str) -> None:
    """Compare `text` with the approved file of that name.

    Raises:
        AssertionError: the text differs, or nobody has approved one yet.
    """
    path = SENTENCES / f"{name}.txt"
    if os.environ.get("TANDEM_APPROVE") == "1":
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text + "\n", encoding="utf-8")
    approved = path.read_text(encoding="utf-8") if path.exists() else ""
    assert text + "\n" == approved
