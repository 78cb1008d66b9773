"""All that is generated or approved: `python -m tests.document` checks it, `--write` updates it.

The programs of single documents are tests/document_*.py, and take the same word.
"""

from __future__ import annotations

import csv
import io
import re
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from tests.paths import ROOT

MODULES = (
    "document_cli", "document_types", "document_tables", "document_providers", "document_refusals",
    "document_pages", "golden_documents",
)  # fmt: skip


def write_table(rows: Iterable[Sequence[str]], *, numbers: bool = False) -> str:
    """A table in Markdown, its header first; `numbers` stand on the right of all columns but one."""
    head, *others = rows
    line = ["---", *["---:" if numbers else "---"] * (len(head) - 1)]
    return "".join(f"| {' | '.join(row)} |\n" for row in (head, line, *others))


def write_csv(rows: Sequence[Mapping[str, object]]) -> str:
    """A table in CSV, with the keys of its first row as header."""
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def fill(page: str, name: str, text: str) -> str:
    """The page with this text between the marker of this name and the next end."""
    marked = re.compile(rf"(<!-- {name} -->\n).*?(<!-- end -->)", re.DOTALL)
    return marked.sub(lambda found: f"{found[1]}{text}{found[2]}", page)


def update(made: Mapping[Path, str]) -> int:
    """Write files where `--write` is given; else name those that differ, for status 1."""
    status = 0
    for path, text in made.items():
        if "--write" in sys.argv[1:]:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        elif not path.is_file() or path.read_text(encoding="utf-8") != text:
            program = Path(sys.argv[0]).stem
            print(f"{path.relative_to(ROOT)} is not up to date: python -m tests.{program} --write")
            status = 1
    return status


def main() -> int:
    """Run each in a process of its own, as each has a store of its own."""
    done = [
        subprocess.run([sys.executable, "-m", f"tests.{name}", *sys.argv[1:]]) for name in MODULES
    ]
    return max(one.returncode for one in done)


if __name__ == "__main__":
    sys.exit(main())
