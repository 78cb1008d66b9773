"""Documents name what exists: links lead somewhere, and paths are those of today."""

from __future__ import annotations

import re
import sqlite3
from pathlib import Path

from core.store import Store
from tests import document_tables
from tests.paths import ROOT

DOCUMENTS = sorted(
    [
        *ROOT.glob("*.md"),
        *ROOT.glob("docs/**/*.md"),
        *ROOT.glob("tests/**/results.md"),
        ROOT / "data" / "README.md",
    ]
)
LINK = re.compile(r"\]\((?!https?:|#)([^)#\s]+)")
MENTIONED = re.compile(r"`((?:core|pages|tests|docs|data)/[\w./-]+)`")
CITED = re.compile(r"\bdocs/[\w/-]+\.md")
CITED_HEADINGS = re.compile(r'\b(docs/[\w/-]+\.md)((?:,?\s+(?:and\s+)?"[^"]+")+)')
ANCHORED = re.compile(r"\]\((?!https?:)([^)#\s]*)#([^)\s]+)\)")
MADE_LATER = ("data/tandem.sqlite3", "pages/NAME.py", "pages/components/NAME/")


PAGES = {path: path.read_text(encoding="utf-8") for path in DOCUMENTS}


def test_links_and_paths_lead_somewhere() -> None:
    links = [
        (str(path), link)
        for path, page in PAGES.items()
        for link in LINK.findall(page)
        if not (path.parent / link).exists()
    ]
    assert links == []
    paths = [
        (str(path), name)
        for path, page in PAGES.items()
        for name in MENTIONED.findall(page)
        if name not in MADE_LATER and not (ROOT / name).exists()
    ]
    assert paths == []


def test_code_cites_documents_that_are_there() -> None:
    files = [*ROOT.glob("core/**/*.py"), *ROOT.glob("pages/**/*.py"), *ROOT.glob("tests/**/*.py")]
    gone = [
        (str(path.relative_to(ROOT)), name)
        for path in files
        for name in CITED.findall(path.read_text(encoding="utf-8"))
        if not (ROOT / name).exists()
    ]
    assert gone == []


def test_headings_that_code_cites_exist() -> None:
    cited = {
        (page, name)
        for path in ROOT.glob("core/**/*.py")
        for page, names in CITED_HEADINGS.findall(path.read_text(encoding="utf-8"))
        for name in re.findall(r'"([^"]+)"', names)
    }
    assert len(cited) > 10
    assert [(page, name) for page, name in cited if name not in find_headings(ROOT / page)] == []


def test_anchors_are_headings() -> None:
    """As GitHub makes them: small letters, dashes for blanks, no other signs."""
    missing = [
        f"{path}: {link}#{anchor}"
        for path, page in PAGES.items()
        for link, anchor in ANCHORED.findall(page)
        if anchor not in map(make_anchor, find_headings(path.parent / link if link else path))
    ]
    assert missing == []


def find_headings(path: Path) -> list[str]:
    return re.findall(r"^#{1,5} (.+)$", path.read_text(encoding="utf-8"), re.MULTILINE)


def make_anchor(heading: str) -> str:
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def test_the_readme_links_to_the_start_page_and_the_architecture_first() -> None:
    page = (ROOT / "README.md").read_text(encoding="utf-8")
    links = LINK.findall(page.partition("## More")[2])
    assert links[:2] == ["docs/index.md", "docs/ARCHITECTURE.md"]


WIDTH = 120


def test_the_manual_is_no_longer_than_somebody_reads() -> None:
    """Decisions are for those who change the program."""
    pages = [*ROOT.glob("docs/*.md"), *ROOT.glob("docs/statistics/*.md")]
    assert sum(page.stat().st_size for page in pages) <= 280_000


def test_no_line_is_long() -> None:
    """Scripts write the results."""
    long = [
        (str(path), line)
        for path, page in PAGES.items()
        for line in page.splitlines()
        if path.name != "results.md" and len(line) > WIDTH
    ]
    assert long == []


def test_tables_of_the_data_model_are_those_of_the_store() -> None:
    page = document_tables.PAGE.read_text(encoding="utf-8")
    assert document_tables.documented(page) == page, "run `python -m tests.document_tables --write`"


def test_every_table_of_a_new_store_is_in_the_data_model(tmp_path: Path) -> None:
    with Store(tmp_path / "new.sqlite3"):
        pass
    database = sqlite3.connect(tmp_path / "new.sqlite3")
    query = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
    tables = {name for (name,) in database.execute(query)}
    database.close()
    assert tables == {name for each in document_tables.read_comments().values() for name in each}
