"""The wording of each page and section, on the sample study, as it was approved: tests/golden/pages/*.txt.

`python -m tests.document_pages --write` rewrites the files; read their diff before you commit it.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Block

from core import sample_study
from core.store import Store
from tests.document import update
from tests.figures import count_in_place
from tests.pages import drawn
from tests.paths import ROOT

APPROVED = ROOT / "tests" / "golden" / "pages"
PAGES = tuple(page for page in drawn.PAGES if page != "judges")  # it begins with a section
WORDS = ("title", "label", "value", "help", "placeholder", "body")


def name_snapshot(page: str) -> Path:
    """The file that holds the approved wording of a page or section."""
    return APPROVED / f"{page or 'overview'}.txt"


def load_study(path: Path) -> None:
    """Make a store of the sample study."""
    with Store(path) as store:
        sample_study.load(store)
        # What this machine took is no wording.
        store.connection.execute("UPDATE runs SET per_second = 1000.0 WHERE per_second > 0")


def read_wording(app: AppTest) -> str:
    """All words of a page, an element a line, in the order of the page."""
    lines = [line for block in (app.sidebar, app.main) for line in _read_block(block)]
    return "".join(f"{line}\n" for line in lines)


def _read_block(block: Block) -> Iterator[str]:
    if label := str(getattr(block, "label", "") or ""):
        yield f"{block.type}: {_flatten(label)}"
    for child in block.children.values():
        if isinstance(child, Block):
            yield from _read_block(child)
        elif words := list(_read_element(child)):
            yield f"{child.type}: {' | '.join(words)}"


def _read_element(element: object) -> Iterator[str]:
    """The words of an element, without what it draws and what a table holds."""
    proto = getattr(element, "proto", None)
    for name in WORDS:
        words = getattr(proto, name, None)
        if isinstance(words, str) and (flat := _flatten(words)):
            yield flat
    options = getattr(proto, "options", None)
    if options and all(isinstance(option, str) for option in options):
        # Their order may go by resampled figures, which are no wording.
        yield " / ".join(sorted(map(_flatten, options)))


def _flatten(words: str) -> str:
    """Words without tags and styles, in one line."""
    plain = re.sub(r"<(style|svg|script)\b.*?</\1>", " ", words, flags=re.DOTALL)
    return " ".join(re.sub(r"<[^>]*>", " ", plain).split())


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        os.environ["TANDEM_STORE"] = str(Path(place) / "store.sqlite3")
        load_study(Path(os.environ["TANDEM_STORE"]))
        count_in_place(pytest.MonkeyPatch())
        sys.exit(update({name_snapshot(page): read_wording(drawn.draw(page)) for page in PAGES}))
