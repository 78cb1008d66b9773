"""The six pages of the tour in Chromium: seconds to the first true sentence, and to the figure.

Server, store and browser are new, as a newcomer has them: Overview, which is opened by its address,
also loads the sample study. The others follow by the menu. A second browser then does the same.
`--rounds 3` starts a new server that many times, and medians are printed.
"""

from __future__ import annotations

from argparse import ArgumentParser
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import monotonic

from playwright.sync_api import Browser, Page, sync_playwright

from pages.components.shared.tour import STOPS, Stop
from tests.app_server import Server, serving
from tests.bench.measure import number, ratios, table
from tests.pages.conftest import CHROMIUM

SIZE = {"width": 1366, "height": 768}
GOAL = 3.0  # seconds in which each page is to say something true
# Under this page's own title there is something of this kind, and not of the page before.
SHOWN = """([title, kind]) => {
    const heading = document.querySelector('[data-testid="stMain"] h1');
    return heading && heading.innerText.trim() === title
        && [...document.querySelectorAll(`[data-testid="stMain"] ${kind}`)].some(
            one => !one.closest('[data-stale="true"]') && one.getBoundingClientRect().height > 0);
}"""
SENTENCE = ".tandem-lead"
FIGURE = '[data-testid="stVegaLiteChart"] :is(svg, canvas)'

Seconds = dict[str, list[tuple[float, float]]]
"""For each page the seconds to its sentence, and to its figure."""


def see(page: Page, stop: Stop, begin: float) -> tuple[float, float]:
    """Seconds since `begin` until a page has its first sentence, and its first figure."""
    took = []
    for kind in (SENTENCE, FIGURE):
        page.wait_for_function(SHOWN, arg=[stop.title, kind], polling="raf", timeout=120_000)
        took.append(monotonic() - begin)
    return took[0], took[1]


def follow_tour(browser: Browser, server: Server) -> Seconds:
    """Overview by its address, in a browser that has fetched nothing yet; the others by the menu."""
    page = browser.new_page(viewport=SIZE)
    begin = monotonic()
    page.goto(server.page(), wait_until="commit")
    first, *others = STOPS
    found = {first.title: [see(page, first, begin)]}
    for stop in others:
        page.wait_for_selector('.stApp[data-test-script-state="notRunning"]')
        begin = monotonic()
        link = page.get_by_test_id("stSidebar").get_by_role("link", name=stop.title, exact=True)
        link.click()
        found[stop.title] = [see(page, stop, begin)]
    page.close()
    return found


def medians(took: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """Of the seconds to the sentence, and to the figure."""
    return median(sentence for sentence, _ in took), median(figure for _, figure in took)


def main() -> None:
    parser = ArgumentParser()
    parser.add_argument("--small", action="store_true", help="one round")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    if not CHROMIUM:
        print("skipped: no Chromium found")
        return
    first: Seconds = defaultdict(list)
    again: Seconds = defaultdict(list)
    for _ in range(1 if options.small else options.rounds):
        with (
            TemporaryDirectory() as folder,
            serving(Path(folder) / "store.sqlite3") as server,
            sync_playwright() as playwright,
        ):
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
            for seen in (first, again):
                for title, took in follow_tour(browser, server).items():
                    seen[title] += took
            browser.close()
    rows = [
        [title, *(number(value) for of in (first, again) for value in medians(of[title]))]
        for title in first
    ]
    columns = ["way", "first visit: sentence, s", "figure, s", "again: sentence, s", "figure, s"]
    table("A newcomer's six pages", columns, rows)
    slowest = max(medians(took)[0] for took in first.values())
    ratios("a goal of 3 s", GOAL, {"the slowest sentence": slowest})


if __name__ == "__main__":
    main()
