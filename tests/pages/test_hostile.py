"""Whatever a file holds is shown as it stands: nothing is carried out or fetched."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import BrowserContext, Page, Request, expect

from core.importing import importer
from core.pairing import open_default
from core.records import Attribute, Dataset, TextFormat
from core.store import Store, dataset_decisions
from pages.components.shared.frame import PAGES
from tests import hostile
from tests.app_server import Server, serving
from tests.pages.annotating import Annotator
from tests.pages.waiting import wait_for_run_end

pytestmark = pytest.mark.browser

SHORT = (  # what goes into every name
    "![x](http://evil.test/{0}.png) <img src=x onerror=window.pwned=1> "
    "<script>window.pwned=1</script> "
    "$5 and $6 :red[r] :material/home: &amp;lt; <b>b</b>"
)
DATASET = SHORT.format("dataset")
SYSTEMS = (
    SHORT.format("system"),
    "\u202egnirts\u202c <style>body{display:none}</style> <http://evil.test/auto>",
)
TEXTS = (
    "![an image](http://evil.test/text.png) and [a link](javascript:window.pwned=1)",
    "<script>window.pwned = 1; alert(1)</script>",
    "<img src=x onerror=\"window.pwned=1;alert(2)\"><svg onload='window.pwned=1'></svg>",
    "<style>* { display: none !important; background: url(http://evil.test/style.png) }</style>",
    "</div></section></details><h1>out of the box</h1><iframe src=http://evil.test/frame></iframe>",
    "It costs $5 and $6, or $$x^2$$, or \\(y\\).",
    ":red[red] :material/home: :smile: **bold** _it_ `code` | a | b |",
    "&lt;b&gt; &amp;lt; &nbsp; &#13; &#x202e; &quot;&apos;",
    "before \u202eoverride\u202c after \u2066isolated\u2069 \u200bzero\u200dwidth\ufeff "
    "soft\u00adhyphen",
    "w" * 5000,
    "  \n\n  spaces   and \t tabs before and after  \n ",
    "one\r\ntwo\r\rthree\nfour",
    "\U0001f469\u200d\U0001f469\u200d\U0001f467 \U0001f1eb\U0001f1f7 e\u0301 \u00e9",
    "هذا نص عربي مع 123 و English في الوسط",
    "日本語と中文，没有空格的长句子" * 20,
    "{{template}} {0} %s ${HOME} {% raw %} <%= erb %>",
)


def rows() -> list[dict[str, object]]:
    """One item for each two texts, voted on by a judge with such a name, too."""
    return [
        {
            "item": f"{SHORT.format('item')} {place}",
            "context": f"{TEXTS[place]}\n{SHORT.format('context')}",
            "system_a": SYSTEMS[0],
            "system_b": SYSTEMS[1],
            "text_a": TEXTS[place],
            "text_b": TEXTS[place + 1],
            "winner": "a",
            "judge": SHORT.format("judge"),
            "attribute": SHORT.format("attribute"),
            SHORT.format("column"): SHORT.format("cell"),
        }
        for place in range(0, len(TEXTS), 2)
    ]


FILE = "hostile.jsonl"
CHART = ".stVegaLiteChart canvas, .stVegaLiteChart svg"


def begin(store: Store) -> None:
    """With the file beside it that it was imported from."""
    file, short = store.path.with_name(FILE), SHORT.format
    second = [{**row, "judge": short("second judge")} for row in rows()]
    file.write_text("".join(json.dumps(row) + "\n" for row in [*rows(), *second]), encoding="utf-8")
    about = {
        "context_noun": short("noun"), "candidate_noun": short("noun"),
        "instructions": TEXTS[2] + TEXTS[0], "source": short("source"), "licence": TEXTS[0],
    }  # fmt: skip
    asked = Attribute("second", TEXTS[0], short("question"), short("guideline"))
    for name in (DATASET, "verbatim"):
        importer.load(store, [file], Dataset(name, **about))
        store.datasets.add_attributes(name, [asked])
        open_default(store, name)
    dataset_decisions.set_text_format(store, "Eve", "verbatim", TextFormat.PLAIN)


@pytest.fixture
def page(page: Page, context: BrowserContext, server: Server) -> Iterator[Page]:
    """A page that must not leave the server, open a dialog or run what a text says."""
    said: list[str] = []

    def ask(request: Request) -> None:
        if _elsewhere(request.url):
            said.append(request.url)

    context.on("request", ask)
    heard: dict[Any, Callable[[Any], object]] = {
        "websocket": lambda socket: said.append(socket.url) if _elsewhere(socket.url) else None,
        "dialog": lambda dialog: (said.append(dialog.message), dialog.dismiss()),
        "pageerror": lambda error: said.append(str(error)),
        "console": lambda told: said.append(told.text) if REFUSED in told.text else None,
    }
    for event, hear in heard.items():
        page.on(event, hear)
    yield page
    assert page.evaluate("window.pwned") is None
    assert page.locator("iframe, img[src=x], [onerror]").count() == 0
    hostile_code = re.compile("pwned|display: ?none.*evil")
    assert page.locator("script, style").filter(has_text=hostile_code).count() == 0
    context.remove_listener("request", ask)
    for event, hear in heard.items():
        page.remove_listener(event, hear)
    assert said == []


REFUSED = "Content Security Policy"
"""What a browser says in its console of something that a page was not allowed."""


def _elsewhere(url: str) -> bool:
    """Whether an address is of another host, or the one an <img src=x> would ask for."""
    parts = urlsplit(url)
    own = parts.scheme in ("data", "blob", "about") or parts.hostname in ("localhost", "127.0.0.1")
    return not own or parts.path.endswith("/x")


def test_the_candidates_are_shown_verbatim(page: Page, server: Server) -> None:
    """Each of the texts on its side, to the character (CR and CRLF are shown as LF)."""
    page.goto(server.page("annotate", dataset="verbatim", annotator="Ada"))
    ada = Annotator(page)
    seen = set()
    for row in range(len(TEXTS)):  # of two attributes, so each pair twice
        shown = ada.see()
        seen |= {shown.text_a, shown.text_b}
        context = page.locator(".tandem-context .tandem-text").text_content()
        assert context in {_with_one_line_break(str(one["context"])) for one in rows()}
        assert page.locator(".tandem-pair .tandem-text *").count() == 0
        if row < len(TEXTS) - 1:
            ada.vote("2")
    assert seen == {_with_one_line_break(text) for text in TEXTS}


def test_as_markdown_they_lead_nowhere(page: Page, server: Server) -> None:
    """The same texts as their Markdown means them, which an import finds in them."""
    name = "![x](//evil.test/bob.png) $5 and $6"  # like all who vote here: a sentence names one
    page.goto(server.page("annotate", dataset=DATASET, annotator=name))
    bob, rich = Annotator(page), 0
    for row in range(len(TEXTS) // 2):
        bob.see()
        rich += page.locator(".tandem-rich").count()
        found = page.locator(".tandem-pair").evaluate(
            "pair => [...pair.querySelectorAll('a, img, svg, iframe, script, style, [href], [src],"
            " [style], [onerror], [onload], [id], [name]')].map((node) => node.outerHTML)"
        )
        assert found == []
        if row % 2:
            page.keyboard.press("d")
            page.keyboard.press("m")
        bob.vote("2")
    assert rich


def _with_one_line_break(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def test_overview_and_annotate(page: Page, server: Server) -> None:
    page.goto(server.page(dataset=DATASET))
    expect(page.get_by_text("8 items")).to_be_visible()
    expect(page.get_by_role("combobox", name="Data set")).to_have_value(DATASET)
    page.goto(server.page("annotate", dataset=DATASET))
    page.get_by_label("Your name").fill(SHORT.format("name")[:80])
    page.get_by_role("button", name="Start").click()
    expect(page.get_by_role("alert")).to_contain_text("![x](http://evil.test/name.png) <img")
    name = "![x](//evil.test/name.png) <img src=x onerror=window.pwned=1> $5 and $6 \u05d0"
    page.get_by_label("Your name").fill(name)
    page.get_by_role("button", name="Start").click()
    ada = Annotator(page)
    ada.vote("1")
    expect(page.locator(".tandem-heading")).not_to_contain_text(DATASET)
    ada.look()
    page.keyboard.press("g")
    expect(page.get_by_role("dialog")).to_contain_text(TEXTS[2] + TEXTS[0])
    page.keyboard.press("Escape")
    ada.vote("3")
    page.goto(server.page("leaderboard", dataset=DATASET))
    expect(page.get_by_text("named from")).to_be_visible()


def test_judge_and_the_prompt(page: Page, server: Server) -> None:
    page.goto(server.page("judge", dataset=DATASET))
    expect(page.get_by_text("no cost")).to_be_visible()
    page.get_by_label("Judge", exact=True).click()
    page.get_by_role("option", name="on this machine").click()
    # by its role, or the choice of a judge is another "model" for a moment
    model = page.get_by_role("textbox", name="Model")
    model.fill(SHORT.format("model"))
    model.press("Enter")
    expect(page.get_by_test_id("stText")).to_contain_text(SHORT.format("context"))


def test_leaderboard(page: Page, server: Server) -> None:
    page.goto(server.page("leaderboard", dataset=DATASET))
    expect(page.get_by_text("named from")).to_be_visible()
    page.get_by_label("Judges").click()
    page.get_by_role("option", name=SHORT.format("judge")).click()
    wait_for_run_end(page)
    page.get_by_role("button", name="Cite and export").first.click()
    expect(page.get_by_text("|judges:")).to_contain_text(SHORT.format("judge"))
    chart = page.locator(CHART).first
    expect(chart).to_be_visible()
    box = chart.bounding_box()
    assert box
    for share in range(1, 20):
        page.mouse.move(box["x"] + box["width"] * share / 20, box["y"] + 17)
    page.get_by_text("Read the comparisons of").click()
    page.get_by_label("Read the comparisons of").click()
    page.get_by_role("option", name=SYSTEMS[0]).click()
    expect(page.get_by_role("heading", name=SYSTEMS[1])).to_be_visible()


def test_whom_to_trust(page: Page, server: Server) -> None:
    """Two people and scores with such names: sentences, matrices, choices, tables and texts."""
    page.goto(server.page("agreement", dataset=DATASET))
    expect(page.locator(".tandem-lead").first).to_contain_text("people agree")
    told = page.get_by_text(re.compile("both answered|a row to"))
    expect(told).to_contain_text("![x](")
    page.locator(CHART).first.hover()
    page.goto(server.page("bias", dataset=DATASET))
    expect(page.get_by_text(re.compile(r"text in \d"))).to_contain_text("![x](")
    page.locator("summary").filter(has_text="by position").click()
    expect(page.get_by_role("region", name="Each system by position")).to_be_visible()
    page.goto(server.page("accuracy", dataset=DATASET))
    lead = page.locator(".tandem-lead", has_text="according to the majority of people")
    expect(lead).to_contain_text("![x](")
    page.goto(server.page("correlation", dataset=DATASET))
    expect(page.get_by_text("score:ATTRIBUTE")).to_be_visible()


def test_data_and_the_preview_of_an_upload(page: Page, server: Server) -> None:
    page.goto(server.page("data", dataset=DATASET))
    page.locator("summary").filter(has_text="guidelines").click()
    page.get_by_test_id("stFileUploaderDropzoneInput").set_input_files(server.store.with_name(FILE))
    expect(page.get_by_role("heading", name="Which column")).to_be_visible()
    page.get_by_label("Context", exact=True).click()
    page.keyboard.type("column.png")
    expect(page.get_by_role("option", name=SHORT.format("column"))).to_be_visible()
    page.keyboard.press("Escape")
    page.get_by_role("textbox", name="Name of the data set").fill(SHORT.format("another"))
    page.get_by_role("button", name="Import", exact=True).click()
    expect(page.get_by_text("Added to ")).to_contain_text(SHORT.format("another"))


@pytest.mark.slow
def test_every_page(page: Page, tmp_path: Path) -> None:
    """Down to its foot, folds open, the mouse over its charts, of which none is undrawn."""
    hostile.fill(tmp_path / "store.sqlite3")
    with serving(tmp_path / "store.sqlite3") as server:
        for path, name, _ in PAGES:
            short = "" if path == "app.py" else Path(path).stem
            page.goto(server.page(short, annotator="Ada"))
            expect(page).to_have_title(re.compile(name))
            busy = (
                "[data-testid=stStatusWidget], [data-testid=stProgress], [data-testid=stSkeleton]"
            )
            expect(page.locator(busy)).to_have_count(0, timeout=60_000)
            page.evaluate(
                "document.querySelectorAll('details:not([open]) > summary')"
                ".forEach(fold => fold.click())"
            )
            page.wait_for_timeout(500)
            for chart in page.locator(".stVegaLiteChart").all():
                chart.scroll_into_view_if_needed()
                chart.hover()
            expect(page.locator(busy)).to_have_count(0, timeout=60_000)
            assert page.get_by_text(re.compile(r"\(\w+Error\)")).count() == 0, path
