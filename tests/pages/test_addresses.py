"""Every address that the app shows opens what it is for: at `/`, under a path, and behind https."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from typing import Any
from urllib.parse import urlsplit

import pandas as pd
import pytest
from playwright.sync_api import Page, expect

from core import access
from core.access import CrowdTerms
from core.campaigns import Design, open_campaign
from core.pairing import Choice
from core.store import Store
from pages.components.shared.frame import PAGE_NAMES, SECTIONS
from tests.app_server import Server, serving
from tests.cli.asked import called
from tests.https_proxy import OPENSSL, WITHOUT, behind_https
from tests.pages.annotating import Annotator
from tests.pages.test_blinding import imported

WAYS = {"at the root": "", "under a path": "lab/people", "behind https": ""}
"""The path of the app, in each way that it is served. The last folder is called as a page is."""


@pytest.fixture(scope="module", params=WAYS)
def served(request: pytest.FixtureRequest, tmp_path_factory: Any) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("addresses")
    imported(folder / "store.sqlite3")
    with Store(folder / "store.sqlite3") as store:
        choice = Choice(dataset=store.datasets.names()[0])
        campaign = open_campaign(store, "panel", choice, Design(quota=2))
        access.open_crowd(store, "test", campaign, CrowdTerms(platform="other"))
    with ExitStack() as running:
        server = running.enter_context(serving(folder / "store.sqlite3", base=WAYS[request.param]))
        if request.param == "behind https":
            if not OPENSSL:
                pytest.skip(WITHOUT)
            server.url = running.enter_context(behind_https(server.url, folder))
        yield server


@pytest.fixture
def open_tab(guest: Callable[..., Page]) -> Callable[[str], Page]:
    """A browser of its own at an address. It takes the certificate of the proxy."""
    return partial(guest, ignore_https_errors=True)


def see(page: Page, heading: str) -> None:
    expect(page.get_by_role("heading", name=heading, exact=True)).to_be_visible()


def go(page: Page, name: str) -> None:
    """Go to a page by the menu."""
    page.get_by_test_id("stSidebar").get_by_role("link", name=name).click()
    see(page, name)


@pytest.mark.browser
def test_what_is_shown_opens_and_an_address_without_a_page_leads_on(
    served: Server, open_tab: Callable[[str], Page], capsys: pytest.CaptureFixture[str]
) -> None:
    def ask(*words: str) -> Any:
        status, out, _ = called(capsys, served.store, *words, "--address", served.url, "--json")
        assert status == 0
        return json.loads(out)

    [row] = ask("people", "invite", "Eva", "--role", "owner")
    owner = open_tab(row["link"])
    see(owner, "Overview")
    for link in owner.get_by_test_id("stSidebar").get_by_role("link").all():
        address = link.evaluate("link => link.href")
        assert owner.request.get(address).status == 200, address

    go(owner, "Campaigns")
    owner.get_by_text(re.compile("^Crowd:")).click()
    crowd = owner.get_by_test_id("stCode").first.inner_text().strip()
    assert crowd == ask("crowd", "show", "panel")["link"]
    assert crowd.endswith("&participant={participant}")
    see(open_tab(crowd), "Please open this from your panel")
    see(open_tab(crowd.replace("{participant}", "p1")), "Welcome")

    go(owner, "People")
    expect(owner.get_by_label("Address that they open")).to_have_value(served.url)
    owner.get_by_role("textbox", name="Names, one per line").fill("Ada, ada@example.org")
    owner.get_by_role("button", name="Make links").click()
    link = owner.get_by_test_id("stCode").first.inner_text().strip()
    assert link in owner.get_by_label(re.compile("^Text for the")).input_value()
    with owner.expect_download() as download:
        owner.get_by_role("button", name="Download as CSV").click()
    assert pd.read_csv(download.value.path())["link"].tolist() == [link]
    Annotator(open_tab(link)).see()
    check_addresses_without_a_page(served, open_tab)


def check_addresses_without_a_page(served: Server, open_tab: Callable[[str], Page]) -> None:
    """Also one in a folder, as links of Campaigns once were: it keeps what it says after the `?`."""
    with Store(served.store) as store:
        campaign = store.campaigns.find(store.datasets.names()[0], "panel")
        assert campaign
        crowd = store.crowds.find_by_campaign(campaign.id)
    assert crowd
    ways = {name: f"Open {PAGE_NAMES[name]}" for name in ("annotate", "people")}
    for name, label in {**ways, "nope": "Open its first page"}.items():
        query = f"?crowd={crowd.code}&participant=p2"
        page = open_tab(f"{served.url}/campaigns/{name}{query}")
        see(page, "There is no such page")
        way = page.get_by_role("link", name=label)
        target = urlsplit(way.evaluate("link => link.href"))
        assert target.path.removeprefix(urlsplit(served.url).path) == f"/{name}".replace(
            "/nope", "/"
        )
        if name == "annotate":
            way.click()
            see(page, "Welcome")
    for path in ("nope", "Annotate", "campaigns/<b>x</b>", "static/nope.js"):
        answer = page.request.get(f"{served.url}/{path}", headers={"Accept": "text/html"})
        assert (answer.status, "<b>" in answer.text()) == (404, False)
    for section, target in SECTIONS.items():
        answer = page.request.get(f"{served.url}/{section}?dataset=x", max_redirects=0)
        location = answer.headers["location"]
        assert location.endswith(f"{target}?section={section}&dataset=x")
    for path in ("", "annotate", "_stcore/health"):
        assert page.request.get(f"{served.url}/{path}").status == 200
