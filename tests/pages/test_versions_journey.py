"""From two files to an answer on the page Judge, elsewhere and back."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from core.records import Answer, Kind, Outcome
from core.store import Store
from tests import study
from tests.app_server import Server
from tests.importing.test_versions import write
from tests.pages.beginning import filling
from tests.votes import Vote, add_votes

pytestmark = pytest.mark.browser
OLD = [{"prompt": f"Prompt {n}?", "response": f"old-{n}"} for n in range(14)]
NEW = [{"prompt": f"Prompt {n}?", "response": f"new-{n}"} for n in range(14)]


@filling
def fill(store: Store) -> None:
    study.fill(store, items=4, dataset="first")


def answer(path: Path) -> None:
    """A model prefers the new text of each pair but the first two, in both orders."""
    with Store(path) as store:
        study.judge(store, "gpt", Kind.LLM)
        votes = []
        for place, item in enumerate(store.datasets.keys("old vs new")):
            old, new = (Outcome.A, Outcome.B) if place < 2 else (Outcome.B, Outcome.A)
            votes.append(Vote(item, "old", "new", "gpt", Answer(old)))
            votes.append(Vote(item, "new", "old", "gpt", Answer(new)))
        add_votes(store, "old vs new", votes)


def test_from_two_files_to_what_to_read(server: Server, page: Page, tmp_path: Path) -> None:
    page.goto(server.page("judge", dataset="first", section="compare"))
    page.get_by_text(re.compile("two files")).click()
    for place, (name, rows) in enumerate((("old", OLD), ("new", NEW))):
        file = str(write(tmp_path / f"{name}.csv", rows))
        page.locator("input[type=file]").nth(place).set_input_files(file)
        expect(page.get_by_text(f"{name}.csv")).to_be_visible()
    page.get_by_role("button", name="Compare them").click()
    expect(page).to_have_url(re.compile("dataset=old\\+vs\\+new"))
    expect(page.get_by_role("link", name="Ask a judge")).to_be_visible()
    answer(server.store)
    page.reload()
    headline = page.locator(".tandem-lead").first
    expect(headline).to_contain_text(re.compile(r"\bnew\b.*\bold\b"))
    expect(page.get_by_role("heading", name="Read these first")).to_be_visible()
    expect(page.get_by_text("old-0", exact=True)).to_be_visible()
    page.goto(server.page("judge", dataset="first", section="compare"))
    expect(page.get_by_role("link", name="Ask a judge")).to_be_visible()
    page.go_back()
    expect(headline).to_contain_text(re.compile(r"\bnew\b.*\bold\b"))
    page.reload()
    expect(headline).to_contain_text(re.compile(r"\bnew\b.*\bold\b"))
