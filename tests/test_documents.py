"""Documents name what exists: links lead somewhere, and paths are those of today."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

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
MADE_LATER = ("data/tandem.sqlite3", "pages/NAME.py", "pages/components/NAME/")


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_and_paths_lead_somewhere(path: Path) -> None:
    page = path.read_text(encoding="utf-8")
    links = [link for link in LINK.findall(page) if not (path.parent / link).exists()]
    assert links == []
    paths = [name for name in MENTIONED.findall(page) if name not in MADE_LATER]
    assert [name for name in paths if not (ROOT / name).exists()] == []


def test_code_cites_documents_that_are_there() -> None:
    files = [*ROOT.glob("core/**/*.py"), *ROOT.glob("pages/**/*.py"), *ROOT.glob("tests/**/*.py")]
    gone = [
        (str(path.relative_to(ROOT)), name)
        for path in files
        for name in CITED.findall(path.read_text(encoding="utf-8"))
        if not (ROOT / name).exists()
    ]
    assert gone == []


def test_definitions_that_are_cited_exist() -> None:
    headings = re.findall(
        r"^## (.+)$", (ROOT / "docs/definitions.md").read_text(encoding="utf-8"), re.MULTILINE
    )
    cited = {
        name
        for path in ROOT.glob("core/**/*.py")
        for sentence in re.findall(
            r'docs/definitions\.md((?:,?\s+(?:and\s+)?"[^"]+")+)', path.read_text(encoding="utf-8")
        )
        for name in re.findall(r'"([^"]+)"', sentence)
    }
    assert cited
    assert [name for name in cited if not any(h.startswith(name) for h in headings)] == []


def test_the_readme_links_to_the_architecture_first() -> None:
    page = (ROOT / "README.md").read_text(encoding="utf-8")
    assert LINK.findall(page.partition("## More")[2])[0] == "docs/ARCHITECTURE.md"
