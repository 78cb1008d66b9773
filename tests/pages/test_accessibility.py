"""What axe-core finds on every page, in light and dark, on a laptop and on a phone: nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Literal

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Locator, Page, expect

from core import sample_study
from core.campaigns import Design
from core.rendering.charts import PALETTES
from core.store import Store
from pages.components.shared.frame import SECTIONS
from tests.app_server import Server
from tests.pages.annotating import LOOK
from tests.pages.tabs import TabPool
from tests.pages.texts import add
from tests.pages.waiting import wait_until
from tests.paths import ROOT

pytestmark = pytest.mark.browser

SIZES = ((1366, 768), (390, 844))
EVERY_RULE = {"resultTypes": ["violations"]}
COLOURS = {**EVERY_RULE, "runOnly": ["color-contrast", "link-in-text-block"]}
"""Of axe-core's rules, those of colours: nothing else of a page is another in the dark."""
INK = "getComputedStyle(document.documentElement).getPropertyValue('--ink').trim()"
PAGES = ("", *sorted(path.stem for path in (ROOT / "pages").glob("*.py")))
PLACES = (
    *((name, "") for name in PAGES),
    *((page, section) for section, page in SECTIONS.items() if section != "agreement"),
)
"""Every page, and every section of one but its first."""
MOST_CONTROLS = 8
CONTROLS = """() => {
    const parts = ['ButtonGroup', 'Radio', 'Selectbox', 'MultiSelect', 'NumberInput', 'Slider',
        'FileUploader']
        .map(part => `[data-testid=st${part}]`).join();
    const kinds = 'button, input, select, textarea, summary, [role=radio], [role=checkbox]';
    const seen = new Set();
    for (const control of document.querySelectorAll(`[data-testid=stMain] :is(${kinds})`)) {
        const whole = control.closest(parts) || control;
        const box = whole.getBoundingClientRect();
        const isFurniture = control.closest('[data-testid=stElementToolbar], .stTooltipIcon');
        if (!isFurniture && whole.checkVisibility() && box.width > 1 && box.top < innerHeight)
            seen.add(whole);
    }
    return [...seen].map(each => each.innerText || each.ariaLabel || each.value);
}"""
DRAWN = '.stApp[data-test-script-state="notRunning"]'
LOOKS = 5
# The page is at rest as long as no run of it begins or ends.
WATCH = """() => {
    window.rested = true;
    new MutationObserver(() => { window.rested = false; }).observe(
        document.querySelector('.stApp'),
        { attributes: true, attributeFilter: ['data-test-script-state'] },
    );
}"""
WORDS = "The council met on Monday and put the matter off until the rain had stopped. "

# What the framework makes by itself, and nobody outside it can name: (rule, part of the element).
NOT_OURS = {
    # The place where files are dropped: the button in it is named and can be focused.
    ("presentation-role-conflict", 'data-testid="stFileUploaderDropzone"'),
    # What can be brushed in a chart, which is for the mouse: the table below has the same rows.
    ("svg-img-alt", "role-mark brush_brush"),
    ("svg-img-alt", "role-mark area_brush"),
}

DESIGN = Design(
    overlap=9,
    quota=3,
    strength=True,
    reasons=("more faithful", "better written"),
    consent=WORDS,
    instructions=f"Read **both**.\n\n| good | bad |\n|---|---|\n| {WORDS} | {WORDS} |",
)

Open = Callable[..., Page]
Scheme = Literal["light", "dark"]
Rules = dict[str, Any]


def begin(store: Store) -> None:
    sample_study.load(store)
    for name, context, systems in (
        ("two", "", "xy"),
        ("long", WORDS * 40, "xy"),
        ("alone", "", "x"),
        ("designed", "", "xy"),
    ):
        noun = "dialogue" if name == "long" else "context"
        asked = ("coherence", "fluency")[: 1 + (name == "designed")]
        texts = {one: f"{one} of {{item}}: {WORDS * 30}" for one in systems}
        about = {"context_noun": noun, "instructions": WORDS}
        add(store, name, context, texts, *asked, items="ij", **about)
    campaign = store.campaigns.default("designed")
    store.campaigns.edit(
        campaign.id, name=campaign.name, design=DESIGN.to_stored(), overlap=DESIGN.overlap
    )
    store.messages.send(campaign.id, WORDS, by="Grace")


@pytest.fixture
def visit(tabs: TabPool, server: Server) -> Iterator[Open]:
    """Open a page in light or dark, and wait until all of it is there."""
    with tabs.lend(reduced_motion="reduce") as page:

        def visit(name: str, scheme: Scheme = "light", **parameters: str) -> Page:
            page.set_viewport_size({"width": SIZES[0][0], "height": SIZES[0][1]})
            page.emulate_media(color_scheme=scheme)
            page.goto(server.page(name, **parameters))
            drawn(page)
            return page

        yield visit


def drawn(page: Page) -> None:
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    page.wait_for_selector(DRAWN)
    expect(page.get_by_test_id("stSkeleton")).to_have_count(0)
    page.wait_for_timeout(LOOK)


def darken(page: Page) -> None:
    """Dark from now on, and loaded again: charts take their colours from the server."""
    page.emulate_media(color_scheme="dark")
    page.reload()
    wait_until(page, f"{INK} === '{PALETTES['dark'].ink}'")
    drawn(page)


def violations(page: Page, rules: Rules = EVERY_RULE) -> list[str]:
    """What axe finds on the page as it stands on either size of screen."""
    said = []
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        found = run_axe(page, rules)
        said += [
            f"{width}: {rule['id']} ({rule['impact']}) at {node['target']}: {node['html'][:200]}"
            for rule in found["violations"]
            for node in rule["nodes"]
            if not any(rule["id"] == named and part in node["html"] for named, part in NOT_OURS)
        ]
    return said


def run_axe(page: Page, rules: Rules) -> dict[str, Any]:
    """What axe says of a page at rest; it looks again when a run was in the way."""
    for _ in range(LOOKS):
        page.wait_for_selector(DRAWN)
        page.wait_for_timeout(LOOK)
        page.evaluate(WATCH)
        found: dict[str, Any] = Axe().run(page, options=rules).response
        if page.evaluate("drawn => window.rested && !!document.querySelector(drawn)", DRAWN):
            return found
    raise AssertionError(f"The page ran again each of {LOOKS} times that axe looked.")


def list_controls(page: Page) -> list[str]:
    """Name the controls that are seen before anything is scrolled; a group of buttons is one."""
    page.set_viewport_size({"width": SIZES[0][0], "height": SIZES[0][1]})
    return list(page.evaluate(CONTROLS))


@pytest.mark.parametrize(("name", "section"), PLACES)
def test_a_page_of_a_study_in_light_and_dark(visit: Open, name: str, section: str) -> None:
    page = visit(name, dataset="sample-news", section=section)
    controls = list_controls(page)
    assert len(controls) <= MOST_CONTROLS, controls
    assert violations(page) == []
    levels = page.locator("h1, h2, h3, h4").evaluate_all(
        "all => all.map(h => Number(h.tagName[1]))"
    )
    assert levels.count(1) == 1
    charts = page.locator("[data-testid=stVegaLiteChart] [role=graphics-document]")
    assert all(charts.evaluate_all("all => all.map(chart => chart.ariaLabel)"))
    darken(page)
    assert violations(page, COLOURS) == []


SCHEMES: tuple[tuple[Scheme, Rules], ...] = (("light", EVERY_RULE), ("dark", COLOURS))


def test_the_steps_of_a_campaign_and_found_items(visit: Open) -> None:
    for scheme, rules in SCHEMES:
        page = visit("data", scheme, dataset="sample-news", split="true")
        expect(page.get_by_role("heading", name="Texts", level=2)).to_be_visible()
        assert violations(page, rules) == []
        page = visit("campaigns", scheme, dataset="sample-news")
        for step in ("Next: people", "Next: what they read", "Next: preview and open"):
            page.get_by_role("button", name=step).click()
            drawn(page)
            assert violations(page, rules) == []
        expect(page.get_by_role("button", name="Open campaign")).to_be_visible()


@pytest.mark.slow  # two minutes, for what the same parts show with figures above
def test_every_page_of_a_data_set_that_nobody_has_judged(visit: Open) -> None:
    for name in PAGES:
        page = visit(name, dataset="alone", annotator="Ada")
        assert violations(page) == [], name
        darken(page)
        assert violations(page, COLOURS) == [], name


def test_a_question_and_what_opens_over_it(visit: Open) -> None:
    def check(shown: Locator, rules: Rules) -> None:
        expect(shown).to_be_visible()
        assert violations(shown.page, rules) == []

    for scheme, rules in SCHEMES:
        for dataset in ("two", "long"):
            page = visit("annotate", scheme, dataset=dataset, annotator=f"Bea {scheme}")
            check(page.get_by_role("button", name="A is better"), rules)
            page.keyboard.press("g")
            check(page.get_by_role("dialog"), rules)
            page.keyboard.press("Escape")
        for key, over in (
            ("f", page.get_by_role("searchbox")),
            ("v", page.get_by_role("dialog", name="Reading")),
            ("?", page.get_by_role("dialog", name="Keys")),
        ):
            page.keyboard.press(key)
            check(over, rules)
            page.keyboard.press("Escape")


def test_consent_five_steps_a_card_and_the_end(visit: Open) -> None:
    for scheme, rules in SCHEMES:
        page = visit("annotate", scheme, dataset="designed", annotator=f"Cleo {scheme}")
        for button in ("I agree", "Start"):
            assert violations(page, rules) == []
            page.get_by_role("button", name=button).click()
            expect(page.get_by_role("button", name=button)).to_have_count(0)
        assert violations(page, rules) == []
        _vote(page)
        _vote(page)
        card = page.get_by_role("button", name="Continue")
        expect(card).to_be_visible()
        assert violations(page, rules) == []
        card.click()
        expect(card).to_have_count(0)
        _vote(page)
        expect(page.get_by_text("your share")).to_be_visible()
        assert violations(page, rules) == []
        page.get_by_role("button", name="Your answers").click()
        page.get_by_role("dialog").get_by_role("button", name="Open").first.click()
        expect(page.get_by_role("dialog").get_by_role("button", name="Tie")).to_be_visible()
        assert violations(page, rules) == []


def _vote(page: Page) -> None:
    button = page.locator('[class*="st-key-vote-a_much-"]')
    key = (button.get_attribute("class") or "").partition("st-key-vote-a_much-")[2].split()[0]
    page.wait_for_timeout(LOOK)
    page.locator(".tandem-sides > section").last.evaluate("side => side.scrollIntoView()")
    button.get_by_role("button").click()
    expect(page.locator(f".st-key-vote-a_much-{key}")).to_have_count(0)
