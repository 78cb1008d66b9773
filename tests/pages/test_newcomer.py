"""A newcomer's first half hour: votes by keyboard, an embedding judge, the leaderboard and its
files.

Everything they do to the app that could lose or double a vote happens once: a key pressed six times
or held down, undo, reload, a second tab, the back button. At the end the store holds what their own
notes say, and nothing else.
"""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest
from playwright.sync_api import Page, expect

from core.store import Store
from tests.app_server import Server, serving
from tests.cli.asked import called
from tests.pages.annotating import Annotator, Vote, stored
from tests.pages.waiting import WORKER_WAIT, wait_for_run_end

pytestmark = pytest.mark.browser


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    """An app that nobody has opened yet, and no store."""
    with serving(tmp_path / "store.sqlite3") as running:
        yield running


def test_a_newcomer_loses_no_vote_and_doubles_none(
    page: Page, server: Server, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page.goto(server.page())
    expect(page.get_by_text("24 items, 4 systems")).to_be_visible()
    menu = page.get_by_test_id("stSidebar")
    menu.get_by_role("link", name="Annotate").click()
    page.get_by_label("Your name").fill("  Ada   Lovelace ")
    page.get_by_role("button", name="Start").click()
    ada = Annotator(page)

    for key in "1234s13412":
        ada.vote(key)
    expect(page.locator(".tandem-heading")).to_contain_text("11 of 432")

    six = ada.vote("3", times=6)
    expect(page.locator(".tandem-heading")).to_contain_text("12 of 432")
    taken_back = ada.undo()
    assert (taken_back.text_a, taken_back.text_b) == (ada.ledger[-1].text_a, ada.ledger[-1].text_b)
    assert taken_back.attribute == ada.ledger[-1].attribute
    assert ada.vote("1").text_a == six.text_a

    _reloads(ada)
    _opens_a_second_tab(ada)
    _goes_back(ada)
    _holds_a_key_down(ada)
    _reads_the_guidelines(ada)
    assert stored(server.store, "Ada Lovelace") == ada.ledger

    _runs_a_judge(page, server)
    _takes_the_leaderboard_home(page, server, tmp_path, capsys)
    with Store(server.store) as store:
        assert store.connection.check()["ok"]
        people = store.judges.load_all().query("kind == 'human'")["judge"].tolist()
    assert people == ["Ada Lovelace"]
    assert stored(server.store, "Ada Lovelace") == ada.ledger


def _reloads(ada: Annotator) -> None:
    before = ada.see()
    ada.page.reload()
    assert ada.see() == before
    ada.vote("2")


def _opens_a_second_tab(ada: Annotator) -> None:
    """The first answer stands; the other tab's press on that pair counts nowhere."""
    other = Annotator(ada.page.context.new_page())
    other.page.goto(ada.page.url)
    stale = other.look()
    assert stale == ada.see()
    ada.vote("3")
    other.page.keyboard.press("1")
    assert other.next_after(stale) == ada.see()
    expect(other.page.locator(".tandem-said")).to_contain_text("Not counted")
    other.page.close()
    ada.vote("4")


def _goes_back(ada: Annotator) -> None:
    """To the address before the name was in it, to the page before, and forward again."""
    before, address = ada.see(), ada.page.url
    ada.page.go_back()
    expect(ada.page).to_have_url(address)
    assert ada.see() == before
    ada.page.go_back()
    expect(ada.page.get_by_role("link", name="Your own data")).to_be_visible()
    ada.page.go_forward()
    assert ada.see() == before
    ada.vote("1")


def _holds_a_key_down(ada: Annotator) -> None:
    """The keyboard repeats the key for as long as it is down; only the press is an answer."""
    seen = ada.look()
    ada.page.keyboard.down("1")
    ada.ledger.append(Vote(seen.attribute, seen.text_a, seen.text_b, "a"))
    for _ in range(20):
        ada.page.wait_for_timeout(50)
        ada.page.keyboard.down("1")
    ada.page.keyboard.up("1")
    ada.next_after(seen)
    ada.vote("3")


def _reads_the_guidelines(ada: Annotator) -> None:
    """While they hide the pair, a key is no answer to it."""
    before = ada.look()
    ada.page.keyboard.press("g")
    expect(ada.page.get_by_role("dialog")).to_contain_text("no trick")
    ada.page.keyboard.press("1")
    ada.page.keyboard.press("Escape")
    expect(ada.page.get_by_role("dialog")).to_have_count(0)
    assert ada.see() == before
    ada.vote("2")


def _runs_a_judge(page: Page, server: Server) -> None:
    page.goto(server.page("judge", dataset="sample-news"))
    expect(page.get_by_text("864 comparisons", exact=True)).to_be_visible()
    page.get_by_role("button", name="Start").click()
    expect(page.get_by_text("of 864")).to_be_visible()  # other runs have a bar, too
    page.reload()
    expect(page.get_by_text("done · 864 of 864")).to_be_visible(timeout=WORKER_WAIT)
    with Store(server.store) as store:
        answers = store.judgement_frames.load_all("sample-news").query(
            "judge == 'baseline:embedding'"
        )
    assert answers["outcome"].isin(["a", "b", "tie"]).all()
    assert Counter(answers["comparison"]).most_common(1)[0][1] == 1
    assert len(answers) == 864


def _takes_the_leaderboard_home(
    page: Page, server: Server, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page.goto(server.page("leaderboard", dataset="sample-news"))
    expect(page.get_by_text("human votes and ")).to_be_visible()
    whose = page.get_by_role("radiogroup", name="Whose answers")
    whose.get_by_role("radio", name="People", exact=True).click()
    cite = page.get_by_role("button", name="Cite and export")
    expect(cite).to_have_count(1)  # people's board alone
    wait_for_run_end(page)
    cite.click()
    expect(page.get_by_text("|judges:human|")).to_have_count(1)
    cite.click()
    files = {}
    page.locator(".st-key-leaderboard-files button").click()
    for form in ("CSV", "PNG", "SVG"):
        with page.expect_download() as download:
            page.locator(f".st-key-leaderboard-{form.lower()} button").click()
        assert download.value.suggested_filename == f"sample-news_leaderboard.{form.lower()}"
        download.value.save_as(folder / form)
        files[form] = (folder / form).read_bytes()
    rank = ("rank", "--json", "--dataset", "sample-news", "--judges", "human")
    status, said, _ = called(capsys, server.store, *rank)
    assert status == 0
    ranked = json.loads(said)
    rows = list(csv.DictReader(io.StringIO(files["CSV"].decode())))
    assert [_told(row) for row in rows] == [_told(row) for row in ranked["rows"]]
    assert {row["system"] for row in rows} == {"heron", "magpie", "sparrow", "wren"}
    assert files["PNG"].startswith(b"\x89PNG\r\n\x1a\n")
    assert ElementTree.fromstring(files["SVG"]).tag == "{http://www.w3.org/2000/svg}svg"


def _told(row: dict[str, object]) -> dict[str, object]:
    """A row with its numbers as numbers, whether it was read from CSV or from JSON."""
    return {
        name: float(str(value))
        if str(value).lstrip("-").replace(".", "", 1).isdigit()
        else value or None
        for name, value in row.items()
    }
