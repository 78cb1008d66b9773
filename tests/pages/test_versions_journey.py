"""From two files to an answer on the page Judge, elsewhere and back."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from core.records import Kind
from core.store import Store
from tests import study
from tests.app_server import Server
from tests.importing.test_versions import write

pytestmark = pytest.mark.browser
OLD = [{"prompt": f"Prompt {n}?", "response": f"old-{n}"} for n in range(14)]
NEW = [{"prompt": f"Prompt {n}?", "response": f"new-{n}"} for n in range(14)]


@pytest.fixture(scope="module")
def fill() -> Callable[[Path], None]:
    def fill_(path: Path) -> None:
        with Store(path) as store:
            study.fill(store, items=4, dataset="first", systems=("alpha", "beta", "gamma"))

    return fill_


def answer(path: Path) -> None:
    """A model prefers the new text of each pair but the first two, in both orders."""
    with Store(path) as store, store.transaction():
        study.judge(store, "gpt", Kind.LLM)
        attribute = store.datasets.attribute_id("old vs new", "overall")
        texts = store.texts.generations("old vs new")
        for place, (_, pair) in enumerate(texts.groupby("item", sort=False)):
            ids = dict(zip(pair["system"], pair["generation"], strict=True))
            better = "old" if place < 2 else "new"
            for first, second in (("old", "new"), ("new", "old")):
                shown = int(ids[first]), int(ids[second])
                store.judgements.add_comparisons(attribute, [shown])
                store.connection.execute(
                    """INSERT INTO judgements (comparison, judge, trial, outcome, failure, created_at)
                    VALUES (?, ?, 0, ?, '', '2026-05-01T10:00:00')""",
                    (
                        store.judgements.comparison_id(attribute, *shown),
                        store.judges.id_of("gpt"),
                        "a" if first == better else "b",
                    ),
                )


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
