"""Writes docs/evidence.md."""

from __future__ import annotations

import tempfile
from pathlib import Path

from tests.evidence import PAGE, collect, page, parts

if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        facts = page(collect(Path(folder)))
        PAGE.write_text(facts + parts()[1], encoding="utf-8")
    print(f"{PAGE} is written")
