"""The Data page in a browser: a file in, its columns corrected, and what a person reads when the file
is broken. What needs no browser is in test_uploads.py and test_import_form.py.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from core.store import Store
from tests import study
from tests.app_server import Server
from tests.pages.test_uploads import BROKEN, Row, numbered
from tests.server import Server as Model

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


def texts_of(store: Path, dataset: str) -> set[str]:
    with Store(store) as opened:
        return set(opened.datasets.generations(dataset)["text"])


def test_texts_with_a_column_corrected(page: Page, server: Server, tmp_path: Path) -> None:
    rows: list[Row] = [
        {
            "item": f"i{i}",
            "context": f"context {i}",
            "system": s,
            "text": f"old {s}{i}",
            "new": f"new {s}{i}",
            "ref": "r",
        }
        for i in range(4)
        for s in "abc"
    ]
    upload(page, server, write(tmp_path / "texts.csv", rows))
    expect(page.get_by_text("Read as: generations")).to_be_visible()
    choose(page, "Text", "new")
    choose(page, "Reference", "(not there)")
    page.get_by_role("textbox", name="Name of the data set").fill("corrected")
    take_in(page, "Added to corrected: 4 items, 3 systems, 12 generations")
    expect(page.get_by_role("link", name="Annotate it")).to_be_visible()
    assert texts_of(server.store, "corrected") == {f"new {s}{i}" for i in range(4) for s in "abc"}
    with Store(server.store) as store:
        assert store.datasets.items("corrected")["context"].tolist() == [
            f"context {i}" for i in range(4)
        ]
        assert [
            json.loads(str(one)) if isinstance(one, str) else list(one)
            for one in store.datasets.items("corrected")["references"]
        ] == [[]] * 4
    expect(page.get_by_label("Data set", exact=True)).to_have_value("corrected")


def test_votes_and_another_file_of_the_same_name(
    page: Page, server: Server, tmp_path: Path
) -> None:
    """The choices made for one file are not carried to the next."""
    votes: list[Row] = [
        {
            "q": f"q{i}",
            "left": "x",
            "right": "y",
            "who": "judy",
            "winner": winner,
            "judge_was": "eve",
        }
        for i, winner in enumerate(("left", "right", "tie", "x"))
    ]
    (tmp_path / "first").mkdir()
    upload(page, server, write(tmp_path / "first" / "votes.csv", votes))
    expect(page.get_by_text("Read as: votes")).to_be_visible()
    choose(page, "Item", "q")
    choose(page, "Who judged", "judge_was")
    other: list[Row] = [
        {"item": row["q"], "model_a": "x", "model_b": "y", "winner": "b", "judge": "joe"}
        for row in votes
    ]
    page.get_by_test_id("stFileUploaderDropzoneInput").set_input_files(
        write(tmp_path / "votes.csv", other)
    )
    expect(page.locator("input[aria-label='System A'][value=model_a]")).to_be_visible()
    for field in ("System A", "Who judged"):  # the former file's are gone
        expect(page.get_by_label(field, exact=True)).to_have_count(1)
    expect(page.get_by_label("Who judged", exact=True)).to_have_value("judge")
    page.get_by_role("textbox", name="Name of the data set").fill("other votes")
    take_in(page, "Added to other votes: 4 items, 2 systems")
    expect(page.get_by_role("link", name="See the leaderboard")).to_be_visible()
    expect(page.get_by_role("link", name="Annotate it")).to_have_count(0)  # without texts
    upload(page, server, tmp_path / "first" / "votes.csv")
    choose(page, "Item", "q")
    choose(page, "Who judged", "judge_was")
    page.get_by_role("textbox", name="Name of the data set").fill("votes")
    take_in(page, "4 judgements")
    with Store(server.store) as store:
        given = store.judgement_frames.all("votes")
        assert given[["item", "judge", "outcome"]].values.tolist() == [
            ["q0", "eve", "a"],
            ["q1", "eve", "b"],
            ["q2", "eve", "tie"],
            ["q3", "eve", "a"],
        ]
        assert store.judgement_frames.all("other votes")["outcome"].tolist() == ["b"] * 4


@pytest.mark.parametrize("name", ["long.csv", "unknown.docx"])
def test_a_broken_file_is_one_sentence_or_its_good_rows(
    page: Page, server: Server, tmp_path: Path, name: str
) -> None:
    """Of `test_uploads.py`, the file that is long to draw, and the one that no reader takes."""
    content, usable, said = BROKEN[name]
    path = tmp_path / name
    path.write_bytes(content)
    upload(page, server, path)
    if usable is None:
        expect(page.get_by_role("alert")).to_contain_text(said)
        expect(page.get_by_role("button", name="Judgements")).to_be_visible()  # the page goes on
    else:
        take_in(page, said)
    expect(page.locator(".stException, .stAlert, .stDialog")).to_have_count(0)
    expect(page.get_by_text("Traceback")).to_have_count(0)
    expect(page.get_by_text("Oh no")).to_have_count(0)


def test_why_nothing_was_imported_stays_until_something_else_is_asked(
    page: Page, server: Server, tmp_path: Path
) -> None:
    """A page is drawn anew by itself, as when a run ends meanwhile."""
    path = tmp_path / "repeated.csv"
    path.write_text("item,system,text\n" + "i,x,a\n" * 50)
    upload(page, server, path)
    sentence = page.get_by_role("alert")
    expect(sentence).to_contain_text("49 of 50 rows of repeated.csv cannot be used")
    expect(page.get_by_role("button", name="Import", exact=True)).to_have_count(0)
    page.get_by_text("Texts exactly as they are").click()
    expect(page.get_by_role("checkbox", name="Texts exactly")).to_be_checked()
    expect(sentence).to_contain_text("49 of 50 rows of repeated.csv cannot be used")
    path.write_text("item,system,text\n1,x,a\n1,y,b\n")
    upload(page, server, path)
    expect(page.get_by_text("all 2 rows are used")).to_be_visible()
    expect(sentence).to_have_count(0)


@pytest.mark.parametrize("width", [1366, 800])
def test_the_settings_of_a_writer_are_whole_at_any_width(
    page: Page, server: Server, width: int
) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(server.page("data", dataset="tiny"))
    page.get_by_text("Let a model write texts").click()
    labels = [
        page.get_by_text(name, exact=True)
        for name in ("Texts per item", "Temperature", "Most tokens")
    ]
    expect(labels[-1]).to_be_visible()
    boxes = [box for label in labels if (box := label.bounding_box())]
    assert max(box["height"] for box in boxes) < 30, "one line of words"
    assert max(box["x"] + box["width"] for box in boxes) < width


def test_what_a_model_writes_is_counted_without_a_reload(page: Page, server: Server) -> None:
    with Model(reply=lambda prompt: "A text.") as model:
        page.set_viewport_size({"width": 1366, "height": 1600})
        page.goto(server.page("data", dataset="tiny"))
        count = page.locator(".tandem-lead")
        expect(count).to_contain_text("texts")
        before = int(re.findall(r"([\d,]+) texts", count.inner_text())[0].replace(",", ""))
        page.get_by_text("Let a model write texts").click()
        source = page.get_by_test_id("stSelectbox").filter(has_text="Model from").locator("input")
        source.click()
        page.get_by_role("option", name=re.compile("^a server")).click()
        expect(source).to_have_value(re.compile("^a server"))
        page.get_by_role("textbox", name="Model", exact=True).fill("fake")
        page.get_by_role("textbox", name="Model", exact=True).press("Enter")
        address = page.get_by_role("combobox", name="Server", exact=False).first
        address.fill(model.url)
        address.press("Enter")
        expect(page.get_by_text("It is sent no key.")).to_be_visible()
        page.get_by_role("button", name="Write").click()
        expect(page.get_by_text("done · 15 of 15")).to_be_visible(timeout=90_000)
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
    expect(page.get_by_text("in words that are not known")).to_be_visible()
    expect(page.get_by_role("button", name="Import", exact=True)).to_have_count(0)
    choose(page, "Meaning of value 1", "model_a wins")
    choose(page, "Meaning of value 2", "model_b wins")
    take_in(page, "3 judgements")
    expect(page).to_have_url(re.compile("dataset=wahl"))
    page.get_by_test_id("stFileUploaderDropzoneInput").set_input_files(
        write(tmp_path / "second.csv", numbered(["model_b", "tie"]))
    )
    expect(page.get_by_text("all 2 rows are used")).to_be_visible()
    take_in(page, "Added to second")
    page.reload()
    expect(page.get_by_label("Data set", exact=True)).to_have_value("second")
    page.go_back()
    expect(page.get_by_label("Data set", exact=True)).to_have_value("wahl")
    with Store(server.store) as store:
        assert store.judgement_frames.all("wahl")["outcome"].tolist() == ["a", "b", "a"]
        assert store.judgement_frames.all("second")["outcome"].tolist() == ["b", "tie"]
