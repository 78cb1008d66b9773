"""Writes tests/evidence/results.md."""

from __future__ import annotations

import tempfile
from pathlib import Path

from tests.evidence import PAGE, collect, page

if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        PAGE.write_text(page(collect(Path(folder))), encoding="utf-8")
    print(f"{PAGE} is written")
