"""Documents name what exists: links lead somewhere, and paths are those of today."""

from __future__ import annotations

import re
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
WIDTH = 120
MADE_LATER = ("data/tandem.sqlite3", "pages/NAME.py", "pages/components/NAME/")


PAGES = {path: path.read_text(encoding="utf-8") for path in DOCUMENTS}


def test_what_documents_and_code_cite_is_there() -> None:
    """Links, paths, documents, their headings, and anchors as GitHub makes them."""
    files = [*ROOT.glob("core/**/*.py"), *ROOT.glob("pages/**/*.py"), *ROOT.glob("tests/**/*.py")]
    sources = {file: file.read_text(encoding="utf-8") for file in files}
    core = [code for file, code in sources.items() if file.is_relative_to(ROOT / "core")]
    cited = {
        (page, heading)
        for code in core
        for page, names in CITED_HEADINGS.findall(code)
        for heading in re.findall(r'"([^"]+)"', names)
    }
    assert len(cited) > 10
    missing = [(page, name) for page, name in cited if name not in find_headings(ROOT / page)]
    for file, code in sources.items():
        missing += [(str(file), name) for name in CITED.findall(code) if not (ROOT / name).exists()]
    for path, page in PAGES.items():
        links = [link for link in LINK.findall(page) if not (path.parent / link).exists()]
        names = [name for name in MENTIONED.findall(page) if name not in MADE_LATER]
        anchors = [
            f"{link}#{anchor}"
            for link, anchor in ANCHORED.findall(page)
            if anchor not in map(make_anchor, find_headings(path.parent / link if link else path))
        ]
        gone = [name for name in names if not (ROOT / name).exists()]
        missing += [(str(path), each) for each in (*links, *gone, *anchors)]
    assert missing == []


def find_headings(path: Path) -> list[str]:
    return re.findall(r"^#{1,5} (.+)$", path.read_text(encoding="utf-8"), re.MULTILINE)


def make_anchor(heading: str) -> str:
    """Small letters, dashes for blanks, no other signs."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def test_the_readme_links_to_the_start_page_and_the_architecture_first() -> None:
    page = (ROOT / "README.md").read_text(encoding="utf-8")
    links = LINK.findall(page.partition("## More")[2])
    assert links[:2] == ["docs/index.md", "docs/ARCHITECTURE.md"]


def test_the_manual_is_no_longer_than_somebody_reads() -> None:
    """Decisions are for those who change the program; scripts write the results. Recipes are copied,
    not read.
    """
    pages = [*ROOT.glob("docs/*.md"), *ROOT.glob("docs/statistics/*.md")]
    size = sum(len(page.read_bytes().partition(b"\n## Recipes\n")[0]) for page in pages)
    assert size <= 220_000, f"the manual has {size:,} bytes: say something shorter, or leave it out"
    written = {path: page for path, page in PAGES.items() if path.name != "results.md"}
    long = [(str(path), line) for path, page in written.items()
            for line in page.splitlines() if len(line) > WIDTH]  # fmt: skip
    assert long == []


def test_tables_of_the_data_model_are_those_of_the_store(store: Store) -> None:
    for name in document_tables.PAGES:
        page = (ROOT / "docs" / name).read_text(encoding="utf-8")
        made = document_tables.documented(name, page)
        assert made == page, "run `python -m tests.document_tables --write`"
    query = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
    tables = {name for (name,) in store.connection.rows(query)}
    assert tables == {name for each in document_tables.read_comments().values() for name in each}
