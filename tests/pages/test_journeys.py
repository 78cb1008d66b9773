"""Journeys through the app, over several pages and data sets: what people see, what is stored."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path
from typing import Literal

import pandas as pd
import pytest
from playwright.sync_api import Locator, Page, expect

from core.campaigns import Design, open_campaign
from core.pairing import Choice, open_default
from core.records import Answer, Outcome, Role
from core.store import Store
from pages.components.shared.frame import PAGES
from tests import inviting, study, votes
from tests.app_server import Server
from tests.cli.asked import called
from tests.pages.annotating import Annotator, Vote, stored
from tests.pages.waiting import wait_for_run_end, wait_until

pytestmark = pytest.mark.browser
INSTRUCTIONS = "Choose the **clearer** text."
DATASETS = ("first", "second", "third", "fourth")


def begin(store: Store) -> None:
    """Texts begin with the name of their data set; the third has a campaign that asks."""
    for name in DATASETS:
        study.fill(store, items=30, dataset=name, systems=(f"{name}x", f"{name}y"))
        open_default(store, name)
    open_campaign(store, "pilot", Choice(dataset="third"), Design())


def go(page: Page, name: str) -> None:
    page.get_by_test_id("stSidebar").get_by_role("link", name=name, exact=True).click()
    expect(page).to_have_url(re.compile(rf"/{name.lower()}\?"))
    expect(page.get_by_role("heading", name=name, exact=True)).to_be_visible()


def is_about(page: Page, dataset: str) -> None:
    """The address, every link of the page and the choice in the menu name this data set."""
    named = re.compile(rf"[?&]dataset={dataset}(&|$)")
    expect(page).to_have_url(named)
    expect(page.get_by_test_id("stSidebar").get_by_label("Data set")).to_have_value(dataset)
    links = page.get_by_test_id("stPageLink-NavLink")
    expect(links.first).to_have_attribute("href", named)
    every_link = "[...document.querySelectorAll('[data-testid=stPageLink-NavLink]')].every"
    wait_until(page, f"{every_link}(link => /{named.pattern}/.test(link.href))")


def check_votes(server: Server, who: str, given: list[Vote], *campaigns: tuple[str, str]) -> None:
    """The store holds what this person noted, in these campaigns, each after its data set."""
    assert stored(server.store, who) == given
    with Store(server.store) as store:
        asked = store.connection.rows(
            """SELECT m.dataset, m.name FROM judgements j JOIN judges w ON w.id = j.judge
            JOIN campaigns m ON m.id = j.campaign WHERE w.name = ?""",
            (who,),
        )
    assert set(asked) == set(campaigns)


def campaign_named(store: Path, dataset: str, name: str) -> int:
    with Store(store) as opened:
        campaign = opened.campaigns.find(dataset, name)
        assert campaign
        return campaign.id


def test_every_page_keeps_the_data_set(page: Page, server: Server) -> None:
    page.goto(server.page("campaigns", dataset="third"))
    names = [entry.name for entry in PAGES]
    for name in names:
        if name not in ("Overview", "Annotate"):
            go(page, name)
            is_about(page, "third")
    page.go_back()
    expect(page.get_by_role("heading", name="Campaigns", exact=True)).to_be_visible()
    is_about(page, "third")
    page.reload()
    is_about(page, "third")
    go(page, "Judges")
    page.get_by_test_id("stButtonGroup").get_by_text("Bias").click()
    expect(page).to_have_url(re.compile("section=bias"))
    expect(page.get_by_text("to see position bias")).to_be_visible()
    page.reload()
    expect(page.get_by_text("to see position bias")).to_be_visible()
    page.go_back()
    expect(page.get_by_text("to see agreement")).to_be_visible()
    page.goto(f"{server.url}/budget?dataset=third")
    expect(page.get_by_text("to see a budget")).to_be_visible()
    is_about(page, "third")


def test_a_newcomer_chooses_votes_and_goes_back(page: Page, server: Server) -> None:
    page.goto(server.page())
    is_about(page, "first")
    page.get_by_test_id("stSidebar").get_by_label("Data set").click()
    page.get_by_role("option", name="second", exact=True).click()
    is_about(page, "second")
    page.go_back()
    is_about(page, "first")
    page.go_forward()
    is_about(page, "second")
    page.get_by_test_id("stSidebar").get_by_role("link", name="Annotate").click()
    page.get_by_label("Your name").fill("Nia")
    nia = _start(page)
    assert nia.see().text_a.startswith("second")
    nia.vote("1")
    nia.vote("3")
    page.get_by_test_id("stExpandSidebarButton").click()
    go(page, "Leaderboard")
    is_about(page, "second")
    page.go_back()
    nia.vote("2")
    page.reload()
    nia.vote("1")
    check_votes(server, "Nia", nia.ledger, ("second", "all pairs"))


def _start(page: Page) -> Annotator:
    start = page.get_by_role("button", name="Start")
    start.click()
    expect(start).to_have_count(0)  # else it is taken for the card of a new question
    return Annotator(page)


class Hands:
    """Presses and fills in, and counts how often."""

    def __init__(self, page: Page) -> None:
        self.page, self.actions = page, 0

    def press(self, name: str, role: Literal["button", "link", "tab"] = "button") -> None:
        main = self.page.get_by_test_id("stMain")
        self.click(main.get_by_role(role, name=name, exact=True))

    def click(self, where: Locator) -> None:
        where.click()
        self.actions += 1

    def fill(self, name: str, text: str) -> None:
        """The last of that name: the form below, not the one folded above it."""
        field = self.page.get_by_role("textbox", name=name).or_(
            self.page.get_by_role("spinbutton", name=name, exact=True)
        )
        field.last.fill(text)
        field.last.press("Tab")
        self.actions += 1


def _reload_and_come_back(page: Page) -> None:
    """Leave a form that is half filled in by the menu, Back and reload: it goes on as a draft."""
    go(page, "People")
    page.go_back()
    expect(page.get_by_role("heading", name="Campaigns", exact=True)).to_be_visible()
    page.reload()
    expect(page.get_by_text("continued.")).to_be_visible()


def test_a_study_of_twenty_people_in_at_most_25_actions(
    page: Page, server: Server, guest: Callable[..., Page], tmp_path: Path
) -> None:
    """Four steps to a campaign, twenty links, one vote; going back loses nothing."""
    page.goto(server.page("campaigns", dataset="fourth"))
    hands = Hands(page)
    hands.click(page.get_by_text("Paid crowd", exact=True))
    hands.fill("Pairs per attribute", "30")
    hands.press("Next: people")
    hands.fill("People", "20")
    hands.fill("Questions per person", "10")
    day = page.get_by_test_id("stMain").get_by_role("spinbutton", name="year", exact=False).last
    hands.click(day)
    last = (date.today() + timedelta(days=200)).isoformat()
    page.keyboard.type(last.replace("-", ""))
    page.keyboard.press("Tab")
    expect(page.get_by_text(re.compile("20 people.* 2 min .* 110 votes"))).to_be_visible()
    hands.press("Next: what they read")
    hands.fill("Instructions", INSTRUCTIONS)
    _reload_and_come_back(page)
    hands.press("1 Goal", "tab")
    hands.press("4 Preview and open", "tab")
    example = page.get_by_test_id("stMain").get_by_text(INSTRUCTIONS.replace("*", ""))
    expect(example).to_be_visible()
    answers = ("A is better", "Tie", "B is better", "Both bad", "Skip")
    expect(page.get_by_text(f": {', '.join(answers)}.")).to_be_visible()
    hands.fill("Name", "twenty")
    hands.press("Open campaign")
    said = page.get_by_text(re.compile(" 30 pairs .*“twenty”"))
    expect(said).to_be_visible()
    is_about(page, "fourth")
    page.reload()
    expect(page.get_by_label("Campaign", exact=True)).to_have_value("twenty")
    hands.press("Invite people", "link")
    is_about(page, "fourth")
    expect(page.get_by_label("Campaign", exact=True)).to_have_value("fourth: twenty")
    people = [f"Guest {number}" for number in range(20)]
    hands.fill("Names, one per line", "\n".join(people))
    hands.press("Make links")
    with page.expect_download() as download:
        hands.press("Download as CSV")
    assert hands.actions <= 25
    download.value.save_as(tmp_path / "links.csv")
    written = pd.read_csv(tmp_path / "links.csv").set_index("person")
    assert all(link in text for link, text in zip(written["link"], written["text"], strict=True))
    links = written["link"].to_dict()
    assert list(links) == people
    opened = campaign_named(server.store, "fourth", "twenty")
    with Store(server.store) as store:
        asked = store.connection.rows("SELECT campaign, count(*) FROM invitations GROUP BY 1")
        design = Design.from_stored(store.campaigns.get(opened).design)
    assert (opened, 20) in asked
    assert (design.people, design.quota, design.overlap) == (20, 10, 3)
    assert design.deadline == last
    guest_page = guest(links["Guest 7"])
    expect(guest_page.get_by_text(INSTRUCTIONS.replace("*", ""))).to_be_visible()
    expect(guest_page.get_by_text(f"until {last} is over")).to_be_visible()
    annotator = _start(guest_page)
    assert annotator.see().text_a.startswith("fourth")
    annotator.vote("1")
    check_votes(server, "Guest 7", annotator.ledger, ("fourth", "twenty"))


def test_links_for_all_campaigns_open_at_the_data_set(
    page: Page, server: Server, guest: Callable[..., Page]
) -> None:
    page.goto(server.page("people", dataset="second"))
    page.get_by_role("textbox", name="Names, one per line").fill("Sol")
    page.get_by_role("button", name="Make links").click()
    link = page.get_by_test_id("stCode").first.inner_text().strip()
    sol = Annotator(guest(link))
    assert sol.see().text_a.startswith("second")
    sol.vote("3")
    check_votes(server, "Sol", sol.ledger, ("second", "all pairs"))


def test_an_annotator_on_a_phone(server: Server, guest: Callable[..., Page]) -> None:
    code = inviting.code(
        server.store, "Pia", campaign=campaign_named(server.store, "third", "pilot")
    )
    screen = {"width": 390, "height": 844}
    page = guest(
        server.page("annotate", invitation=code), viewport=screen, has_touch=True, is_mobile=True
    )
    pia = Annotator(page)
    _taps(pia)
    before = pia.see()
    page.reload()
    assert pia.see() == before
    _taps(pia)
    before = pia.see()
    page.go_back()
    assert pia.see() == before
    _taps(pia)
    check_votes(server, "Pia", pia.ledger, ("third", "pilot"))


def _taps(annotator: Annotator) -> None:
    """That A is better, with a finger."""
    seen = annotator.look()
    annotator.page.locator(f".st-key-vote-a-{seen.key} button").tap()
    annotator.ledger.append(Vote(seen.attribute, seen.text_a, seen.text_b, "a"))
    annotator.next_after(seen)


def test_a_researcher_with_data_of_their_own(
    page: Page, server: Server, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page.goto(server.page("leaderboard", dataset="second"))
    go(page, "Data")
    _imports(page, _votes(tmp_path / "owned.csv", winner="alpha", said="one"))
    is_about(page, "owned")
    go(page, "People")
    is_about(page, "owned")
    go(page, "Leaderboard")
    _leads(page, "alpha")
    page.reload()
    is_about(page, "owned")
    _leads(page, "alpha")
    page.go_back()
    expect(page.get_by_role("heading", name="People", exact=True)).to_be_visible()
    is_about(page, "owned")
    assert _first_by_rank(capsys, server.store, "owned") == "alpha"


def test_somebody_elses_link(server: Server, guest: Callable[..., Page]) -> None:
    """Whoever opens a link is the person it is for, and only there."""
    owner = inviting.code(server.store, "Olga", Role.OWNER)
    first = campaign_named(server.store, "first", "all pairs")
    here = inviting.code(server.store, "Ann", campaign=first)
    there = inviting.code(
        server.store, "Ann", campaign=campaign_named(server.store, "third", "pilot")
    )
    page = guest(server.page("", dataset="second", invitation=owner))
    is_about(page, "second")
    page.goto(server.page("annotate", dataset="second", campaign="all pairs", invitation=here))
    ann = Annotator(page)
    assert ann.see().text_a.startswith("first")
    expect(page.get_by_text("Ann, annotator.")).to_have_count(1)
    expect(page.get_by_role("link", name="People")).to_have_count(0)
    ann.vote("1")
    page.goto(server.page("annotate", invitation=there))
    assert ann.see().text_a.startswith("third")
    ann.vote("3")
    page.goto(server.page("people", dataset="first", invitation=owner))
    expect(page.get_by_text("Olga, owner.")).to_be_visible()
    page.go_back()
    assert ann.see().text_a.startswith("third")
    ann.vote("1")
    check_votes(server, "Ann", ann.ledger, ("first", "all pairs"), ("third", "pilot"))
    check_votes(server, "Olga", [])


def test_a_data_set_is_deleted_and_imported_again(
    page: Page,
    server: Server,
    guest: Callable[..., Page],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Another tab has it open: what is pressed there is no vote on texts that nobody saw."""
    page.goto(server.page("data", dataset="first"))
    file = tmp_path / "again.csv"
    _imports(page, _votes(file, winner="alpha", said="before"))
    go(page, "Leaderboard")
    _leads(page, "alpha")
    dora = Annotator(guest(server.page("annotate", dataset="again", annotator="Dora")))
    seen = dora.look()
    assert "before" in seen.text_a
    go(page, "Data")
    wait_for_run_end(page)  # a form that is drawn anew meanwhile loses what is pressed
    page.locator("summary").filter(has_text="Delete").click()
    page.get_by_label("Type its name to delete it").fill("again")
    page.get_by_role("button", name="Back up and delete").click()
    expect(page.get_by_text(re.compile(r"^again\b.* gone\b"))).to_be_visible()
    _imports(page, _votes(file, winner="beta", said="after"))
    dora.page.keyboard.press("1")
    after = dora.next_after(seen)
    assert "after" in after.text_a
    assert stored(server.store, "Dora") == []
    dora.vote("3")
    assert stored(server.store, "Dora") == dora.ledger
    go(page, "Leaderboard")
    is_about(page, "again")
    assert _first_by_rank(capsys, server.store, "again") == "beta"
    _leads(page, "beta")


def test_a_reader_goes_on_reading_while_others_vote(
    page: Page, server: Server, fill: Callable[[Path], None]
) -> None:
    """Figures follow the votes on their own data set, through reload and back."""
    server.begin(fill)  # the journeys before have voted
    for number in range(3):
        _vote(server.store, "first", number)
    page.goto(server.page("leaderboard", dataset="first"))
    _is_based_on(page, 3)
    _vote(server.store, "second", 3)
    page.reload()
    _is_based_on(page, 3)
    _vote(server.store, "first", 4)
    page.reload()
    _is_based_on(page, 4)
    go(page, "Judges")
    page.go_back()
    _is_based_on(page, 4)


def _vote(path: Path, dataset: str, number: int) -> None:
    sides = f"{dataset}x", f"{dataset}y"
    vote = votes.Vote(f"i{number}", *sides, "Rita", Answer(Outcome.A), attribute="coherence")
    with Store(path) as store:
        study.judge(store, "Rita")
        assert votes.add_votes(store, dataset, [vote])[1] == 1


def _is_based_on(page: Page, number: int) -> None:
    expect(page.get_by_text(f"Based on {number} judgements").first).to_be_visible(timeout=60_000)


def _votes(path: Path, *, winner: str, said: str) -> Path:
    """40 items, whose votes all have one winner."""
    side = {"alpha": "a", "beta": "b"}[winner]
    rows = [
        f"q{n},Question {n}?,alpha,beta,alpha {said} {n},beta {said} {n},Rita,{side}"
        for n in range(40)
    ]
    columns = "item,context,system_a,system_b,text_a,text_b,judge,winner"
    path.write_text("\n".join([columns, *rows]) + "\n")
    return path


def _imports(page: Page, file: Path) -> None:
    page.get_by_test_id("stFileUploaderDropzoneInput").set_input_files(file)
    page.get_by_role("button", name="Import", exact=True).click()
    expect(page.get_by_text(f"Added to {file.stem}")).to_be_visible()


def _leads(page: Page, system: str) -> None:
    expect(page.locator(".tandem-lead").first).to_contain_text(f"{system} leads")


def _first_by_rank(capsys: pytest.CaptureFixture[str], store: Path, dataset: str) -> str:
    rank = ("rank", "--json", "--dataset", dataset, "--judges", "human")
    status, said, _ = called(capsys, store, *rank)
    assert status == 0
    return str(json.loads(said)["rows"][0]["system"])
