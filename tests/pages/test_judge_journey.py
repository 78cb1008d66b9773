"""A researcher's way through the page Judge, from a server to failures, and back."""

from __future__ import annotations

import re
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

import pytest
from playwright.sync_api import Page, TimeoutError, expect

from core.judging import ServerList
from core.records import Answer, Kind, Outcome
from core.runs import execution
from core.store import Store
from tests import study
from tests.app_server import Server
from tests.importing.test_versions import write
from tests.pages.beginning import filling
from tests.server import Server as ModelServer
from tests.votes import Vote, add_votes

pytestmark = pytest.mark.browser
TRIES = 5
TURNED = "I would rather not say."
OLD = [{"prompt": f"Prompt {n}?", "response": f"old-{n}"} for n in range(14)]
NEW = [{"prompt": f"Prompt {n}?", "response": f"new-{n}"} for n in range(14)]


@filling
def fill(store: Store) -> None:
    study.fill(store, items=4, dataset="first")
    study.fill(store, items=2, dataset="second")


def is_undecided(prompt: str) -> bool:
    """Whether the model has no verdict on a prompt, as on every third."""
    return int(sha256(prompt.encode()).hexdigest(), 16) % 3 == 0


def reply(prompt: str) -> str:
    if "Summary" not in prompt or is_undecided(prompt):
        return TURNED
    return "<b>Both</b> are short.\n[[B]]"


def choose(page: Page, label: str, option: str) -> None:
    field = page.get_by_role("combobox", name=label, exact=True)
    for _ in range(TRIES):  # a list closes when the page is drawn again while it is open
        with suppress(TimeoutError):
            field.fill(option)  # which narrows a long list
            page.get_by_role("option", name=option, exact=True).click(timeout=4000)
            return
        field.press("Escape")
    raise AssertionError(f"{label!r} offers no {option!r}")


def choose_how_it_answers(page: Page) -> None:
    page.get_by_role("textbox", name="Model", exact=True).fill("fake")
    page.keyboard.press("Tab")
    choose(page, "How it answers", "generate")
    choose(page, "Prompt", "verdict")
    choose(page, "Form of the verdict", "brackets")
    expect(page.get_by_text("openai:fake|verdict@2|generate")).to_be_visible()


def count_questions(model: ModelServer) -> int:
    """How many comparisons the model was asked for, trials of the server apart."""
    return sum("Summary" in one["messages"][-1]["content"] for one in model.seen)


def test_from_a_provider_to_answers_and_their_failures(server: Server, page: Page) -> None:
    with ModelServer(reply=reply, logprobs=False) as model:
        page.goto(server.page("judge", dataset="first"))
        choose(page, "Judge", "Language model behind a server")
        choose(page, "Provider", "vLLM")
        expect(page.get_by_text(re.compile(r"vLLM .*http://localhost:8000/v1\."))).to_be_visible()
        field = page.get_by_role("combobox", name="Server", exact=True)
        field.fill(model.url)
        field.press("Enter")
        expect(page.get_by_text(re.compile(r"no key\.$")).first).to_be_visible()
        study.wait_for(ServerList(server.store).servers)  # its address: see `start`
        choose_how_it_answers(page)
        try_five(page)
        elsewhere_and_back(page)
        page.reload()
        expect(page.get_by_role("heading", name="Judge", exact=True)).to_be_visible()
        with Store(server.store) as store:
            assert store.runs.list_all(kind="run").empty
        start(page, model.url)
        undecided = see_failures(server, page)
        page.get_by_role("button", name=f"Ask {undecided} questions again").click()
        study.wait_for(lambda: count_questions(model) == 5 + 24 + undecided)
        expect(page.get_by_text(f"{undecided} unparsed:")).to_be_visible()


def try_five(page: Page) -> None:
    """Each answer has its reply; what was read is marked, and a failure says what to do."""
    page.get_by_role("button", name="Try five").click()
    expect(page.get_by_text("not kept")).to_be_visible()
    answers = page.get_by_role("radiogroup", name="Answer")
    answers.get_by_text(re.compile("· B$")).first.click()
    expect(page.locator(".tandem-replies mark")).to_have_text("B")
    expect(page.locator(".tandem-replies")).to_contain_text("<b>Both</b> are short.")
    answers.get_by_text(re.compile("· none$")).first.click()
    expect(page.locator(".tandem-replies")).to_contain_text(TURNED)
    expect(page.locator(".tandem-replies mark")).to_have_count(0)
    expect(page.locator(".tandem-trial")).to_contain_text("verdict")


def elsewhere_and_back(page: Page) -> None:
    """Another data set has other questions; the judge that was chosen stays."""
    for dataset, comparisons in (("second", "12"), ("first", "24")):
        choose(page, "Data set", dataset)
        expect(page).to_have_url(re.compile(rf"dataset={dataset}"))
        expect(page.get_by_text(f"{comparisons} comparisons")).to_be_visible()
        expect(page.get_by_role("textbox", name="Model", exact=True)).to_have_value("fake")


def start(page: Page, url: str) -> None:
    """After a reload the listed server stands there; the run goes to its end."""
    choose(page, "Judge", "Language model behind a server")
    expect(page.get_by_role("combobox", name="Server", exact=True)).to_have_value(re.compile(url))
    choose_how_it_answers(page)
    expect(page.get_by_test_id("stStatusWidget")).to_have_count(0)
    page.get_by_role("button", name="Start", exact=True).click()
    expect(page.get_by_text("done · 24 of 24")).to_be_visible()


def see_failures(server: Server, page: Page) -> int:
    with Store(server.store) as store:
        failures = execution.failures(store, 1)
        answered = store.judgement_frames.load_all("first")["outcome"].dropna()
    assert set(failures) == {"unparsed"}
    assert set(answered) == {"b"}
    page.locator("[class*=st-key-open-] button").first.click()
    expect(page.get_by_text(f"{failures['unparsed']} unparsed:")).to_be_visible()
    return failures["unparsed"]


def answer_versions(path: Path) -> None:
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
    page.goto(server.page("judge", dataset="second", section="compare"))
    page.get_by_text(re.compile("two files")).click()
    for place, (name, rows) in enumerate((("old", OLD), ("new", NEW))):
        file = str(write(tmp_path / f"{name}.csv", rows))
        page.locator("input[type=file]").nth(place).set_input_files(file)
        expect(page.get_by_text(f"{name}.csv")).to_be_visible()
    page.get_by_role("button", name="Compare them").click()
    expect(page).to_have_url(re.compile("dataset=old\\+vs\\+new"))
    expect(page.get_by_role("link", name="Ask a judge")).to_be_visible()
    answer_versions(server.store)
    page.reload()
    headline = page.locator(".tandem-lead").first
    expect(headline).to_contain_text(re.compile(r"\bnew\b.*\bold\b"))
    expect(page.get_by_role("heading", name="Read these first")).to_be_visible()
    expect(page.get_by_text("old-0", exact=True)).to_be_visible()
    page.goto(server.page("judge", dataset="second", section="compare"))
    expect(page.get_by_role("link", name="Ask a judge")).to_be_visible()
    page.go_back()
    expect(headline).to_contain_text(re.compile(r"\bnew\b.*\bold\b"))
    page.reload()
    expect(headline).to_contain_text(re.compile(r"\bnew\b.*\bold\b"))
