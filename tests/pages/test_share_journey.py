"""From a judge's answers to a campaign of the rest, its votes, the result and back."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from core import campaigns
from core.campaigns import Presentation, enrol
from core.findings.judgements import Selection
from core.findings.share import ShareSettings, share
from core.records import Answer, Outcome
from core.store import Store
from tests import study
from tests.app_server import Server
from tests.findings.share.studies import ITEMS, begin, drawn, voted
from tests.pages.beginning import filling
from tests.study import DATASET

pytestmark = pytest.mark.browser
OTHER = "nothing to share"
RESTS = re.compile("rest of model")


@filling
def fill(store: Store) -> None:
    begin(store, votes=30)
    study.fill(store, items=4, dataset=OTHER)


def answer_rest(path: Path, most: int) -> None:
    """A person answers so many questions of the newest campaign."""
    with Store(path) as store:
        newest = max(store.campaigns.list_all(DATASET), key=lambda one: one.id)
        enrol(store, "Eve")
        for _ in range(most):
            shown = campaigns.present(store, newest, "Eve")
            if isinstance(shown, Presentation):
                campaigns.answer(store, "Eve", shown, Answer(Outcome.A))


def test_from_too_few_votes_to_one_result(server: Server, page: Page) -> None:
    url = server.page("together", dataset=DATASET, section="share", accept_error="0.15")
    page.goto(url)
    headline = page.locator(".tandem-lead").first
    expect(headline).to_contain_text("30 pairs")
    with Store(server.store) as store:
        voted(store, drawn(120)[30:])
        facts = share(store, Selection(DATASET), ShareSettings(0.15)).facts
    page.reload()
    expect(headline).to_contain_text(re.compile(rf"\bmodel\b.* {facts['accepted']} "))
    page.get_by_role("button", name=re.compile(f"the other {facts['left']} pairs")).click()
    expect(page.get_by_text(RESTS)).to_be_visible()
    expect(page.get_by_role("button", name=re.compile("the other"))).to_have_count(0)
    page.get_by_role("link", name="See its progress").click()
    expect(page.get_by_text(RESTS).first).to_be_visible()

    answer_rest(server.store, 5)
    page.goto(server.page("", dataset=DATASET))
    left = page.get_by_text(re.compile(rf"\b{facts['left'] - 5}\b.*\bwait\b"))
    expect(left).to_be_visible()
    page.goto(server.page("together", dataset=OTHER, section="share"))
    expect(page.get_by_role("link", name="Run a judge")).to_be_visible()
    page.go_back()
    expect(left).to_be_visible()

    answer_rest(server.store, ITEMS)
    page.get_by_role("link", name="See who answers").click()
    expect(page.get_by_text(re.compile(r"\bpair\b.*\banswered\b")).first).to_be_visible()
    page.reload()
    expect(page.get_by_text(re.compile(r"\bpair\b.*\banswered\b")).first).to_be_visible()
    page.goto(server.page("together", dataset=DATASET))
    expect(headline).to_contain_text(f"{120 + facts['left']} human")
