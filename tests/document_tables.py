"""The tables in docs/data-model.md, from `core/store/tables/`, and the rights in docs/security.md,
from `core/access/people.py`. `python -m tests.document_tables --write` puts them between the pages'
markers; without `--write` it says whether they are up to date.

A table is said by the first sentence of the comment above it.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from textwrap import wrap

from core.access import Right, has_right
from core.records import Role
from tests.document import update, write_table
from tests.paths import ROOT

SOURCES = ROOT / "core" / "store" / "tables"
MARKED = re.compile(r"(<!-- (?:tables|rights) -->\n).*?(<!-- end -->)", re.DOTALL)
COMMENTED = re.compile(r"((?:^--[^\n]*\n)+)CREATE TABLE (\w+)", re.MULTILINE)
HEADINGS = {
    "texts.sql": "Data sets and texts",
    "questions.sql": "What is asked",
    "answers.sql": "What was answered",
    "people.sql": "People",
}
WIDTH = 120


def documented(name: str, page: str) -> str:
    """The page with every table or right as its file says it now."""
    lines = "\n".join(PAGES[name]())
    return MARKED.sub(lambda found: f"{found[1]}{lines}\n{found[2]}", page)


def _list_rights() -> Iterator[str]:
    rows = [[right.words, *("yes" * has_right(role, right) for role in Role)] for right in Right]
    yield f"\n{write_table([['', *Role], *rows])}"


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


PAGES = {"data-model.md": _list_tables, "security.md": _list_rights}


if __name__ == "__main__":
    paths = [ROOT / "docs" / name for name in PAGES]
    sys.exit(update({path: documented(path.name, path.read_text("utf-8")) for path in paths}))
