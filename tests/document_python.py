"""The Python of the README and docs/python.md, run in order, with what it prints."""

from __future__ import annotations

import contextlib
import io
import re
import sys
import tempfile
from unittest.mock import patch

from core.similarity import METRICS
from tests.document import update
from tests.paths import ROOT

PAGES = (ROOT / "README.md", ROOT / "docs" / "python.md", ROOT / "docs" / "coding.md")
BLOCK = re.compile(r"(```python\n(?P<code>.*?)```\n)(?P<output>\n```text\n.*?```\n)?", re.DOTALL)


def run(page: str) -> str:
    """The page with what each block prints now, from an empty folder."""
    names: dict[str, object] = {}

    def printed(block: re.Match[str]) -> str:
        with contextlib.redirect_stdout(io.StringIO()) as output:
            exec(compile(block["code"], "page", "exec"), names)
        said = output.getvalue()
        return f"{block[1]}\n```text\n{said}```\n" if said else block[1]

    with (
        tempfile.TemporaryDirectory() as folder,
        contextlib.chdir(folder),
        patch.dict(METRICS),  # an example may add one
    ):
        return BLOCK.sub(printed, page)


if __name__ == "__main__":
    sys.exit(update({path: run(path.read_text(encoding="utf-8")) for path in PAGES}))
