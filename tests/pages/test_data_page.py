"""The Data page in a browser: what stays through reload and back, what is drawn without one, and what
fits. What needs no browser is in test_import_form.py.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from core.store import Store
from tests import study
from tests.app_server import Server
from tests.pages.test_import_form import Row, numbered
from tests.pages.waiting import WORKER_WAIT
from tests.server import Server as Model
from tests.study import wait_for

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def fill() -> Callable[[Path], None]:
    def fill(path: Path) -> None:
        with Store(path) as store:
            study.fill(store)

    return fill


def upload(page: Page, server: Server, path: Path) -> None:
    page.goto(server.page("data"))
    page.get_by_test_id("stFileUploaderDropzoneInput").set_input_files(path)


def choose(page: Page, field: str, column: str) -> None:
    """Correct which column a field is read from."""
    page.get_by_label(field, exact=True).click()
    page.keyboard.type(column)
    page.get_by_role("option", name=column, exact=True).click()
    expect(page.get_by_label(field, exact=True)).to_have_value(column)


def take_in(page: Page, said: str) -> None:
    page.get_by_role("button", name="Import", exact=True).click()
    expect(page.locator(".tandem-good")).to_contain_text(said)


def write(path: Path, rows: list[Row]) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


def test_the_settings_of_a_writer_are_whole_at_any_width(page: Page, server: Server) -> None:
    page.goto(server.page("data", dataset="tiny"))
    page.locator("summary").filter(has_text="write texts").click()
    labels = [
        page.get_by_text(name, exact=True)
        for name in ("Texts per item", "Temperature", "Most tokens")
    ]

    def are_whole(width: int) -> bool:
        boxes = [box for label in labels if (box := label.bounding_box())]
        one_line = all(box["height"] < 30 for box in boxes)
        return one_line and all(box["x"] + box["width"] < width for box in boxes)

    for width in (1366, 800):
        page.set_viewport_size({"width": width, "height": 900})
        wait_for(lambda width=width: are_whole(width))
        expect(labels[-1]).to_be_visible()


def test_what_a_model_writes_is_counted_without_a_reload(page: Page, server: Server) -> None:
    with Model(reply=lambda prompt: "A text.") as model:
        page.set_viewport_size({"width": 1366, "height": 1600})
        page.goto(server.page("data", dataset="tiny"))
        count = page.locator(".tandem-lead")
        expect(count).to_contain_text("texts")
        before = int(re.findall(r"([\d,]+) texts", count.inner_text())[0].replace(",", ""))
        page.locator("summary").filter(has_text="write texts").click()
        source = page.get_by_test_id("stSelectbox").filter(has_text="Model from").locator("input")
        source.click()
        page.get_by_role("option", name=re.compile("^a server")).click()
        expect(source).to_have_value(re.compile("^a server"))
        page.get_by_role("textbox", name="Model", exact=True).fill("fake")
        page.get_by_role("textbox", name="Model", exact=True).press("Enter")
        address = page.get_by_role("combobox", name="Server", exact=False).first
        address.fill(model.url)
        address.press("Enter")
        expect(page.get_by_text(re.compile(r"no key\.$"))).to_be_visible()
        page.get_by_role("button", name="Write").click()
        expect(page.get_by_text("done · 15 of 15")).to_be_visible(timeout=WORKER_WAIT)
        expect(count).to_contain_text(f"{before + 15:,} texts")


def test_an_import_stays_through_reload_and_back(
    page: Page, server: Server, tmp_path: Path
) -> None:
    """Votes in words that nobody knows are explained and imported, then another file; the address
    names the data set of the last one, and Back the one before.
    """
    words = ["links", "rechts", "links"]
    rows = [{**row, "winner": word} for row, word in zip(numbered(list(words)), words, strict=True)]
    upload(page, server, write(tmp_path / "wahl.csv", rows))
    expect(page.get_by_text("unknown words")).to_be_visible()
    expect(page.get_by_role("button", name="Import", exact=True)).to_have_count(0)
    choose(page, "Meaning of value 1", "model_a wins")
    choose(page, "Meaning of value 2", "model_b wins")
    take_in(page, "3 judgements")
    expect(page).to_have_url(re.compile("dataset=wahl"))
    page.get_by_test_id("stFileUploaderDropzoneInput").set_input_files(
        write(tmp_path / "second.csv", numbered(["model_b", "tie"]))
    )
    expect(page.get_by_text("all 2 rows")).to_be_visible()
    take_in(page, "Added to second")
    page.reload()
    expect(page.get_by_label("Data set", exact=True)).to_have_value("second")
    page.go_back()
    expect(page.get_by_label("Data set", exact=True)).to_have_value("wahl")
    with Store(server.store) as store:
        assert store.judgement_frames.load_all("wahl")["outcome"].tolist() == ["a", "b", "a"]
        assert store.judgement_frames.load_all("second")["outcome"].tolist() == ["b", "tie"]
