"""The tables in docs/data-model.md, from `core/store/tables/`. `python -m tests.document_tables
--write` puts them between the page's markers; without `--write` it says whether they are up to date.

A table is said by the first sentence of the comment above it.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from textwrap import wrap

from tests.paths import ROOT

PAGE = ROOT / "docs" / "data-model.md"
SOURCES = ROOT / "core" / "store" / "tables"
MARKED = re.compile(r"(<!-- tables -->\n).*?(<!-- end -->)", re.DOTALL)
COMMENTED = re.compile(r"((?:^--[^\n]*\n)+)CREATE TABLE (\w+)", re.MULTILINE)
HEADINGS = {
    "texts.sql": "Data sets and texts",
    "questions.sql": "What is asked",
    "answers.sql": "What was answered",
    "people.sql": "People",
}
WIDTH = 120


def documented(page: str) -> str:
    """The page with every table as its file says it now."""
    lines = "\n".join(_list_tables())
    return MARKED.sub(lambda found: f"{found[1]}{lines}\n{found[2]}", page)


def read_comments() -> dict[str, dict[str, str]]:
    """What each file of tables says above each of them."""
    return {
        name: {
            table: " ".join(re.sub(r"^-- ?", "", text, flags=re.MULTILINE).split())
            for text, table in COMMENTED.findall((SOURCES / name).read_text(encoding="utf-8"))
        }
        for name in HEADINGS
    }


def _list_tables() -> Iterator[str]:
    for name, tables in read_comments().items():
        yield f"\n### {HEADINGS[name]}\n"
        for table, said in tables.items():
            yield from wrap(
                f"- `{table}`: {said.partition('. ')[0].rstrip('.')}",
                WIDTH,
                subsequent_indent="  ",
                break_on_hyphens=False,
            )


if __name__ == "__main__":
    page = PAGE.read_text(encoding="utf-8")
    if sys.argv[1:] == ["--write"]:
        PAGE.write_text(documented(page), encoding="utf-8")
    elif documented(page) != page:
        sys.exit("docs/data-model.md is not up to date: python -m tests.document_tables --write")
