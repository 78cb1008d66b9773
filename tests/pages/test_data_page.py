"""The Data page: a file in, its columns corrected, and what a person reads when the file is broken."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pandas as pd
import pytest
from playwright.sync_api import Page, expect

from core.importing.preview import PREVIEWED
from core.store import Store
from tests import study
from tests.app_server import Server
from tests.server import Server as Model

pytestmark = pytest.mark.browser

Row = dict[str, object]


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


def held(store: Path) -> dict[str, int]:
    """How many rows of everything there are."""
    tables = (
        "datasets",
        "items",
        "systems",
        "generations",
        "attributes",
        "judges",
        "scores",
        "comparisons",
        "judgements",
    )
    with closing(Store(store)) as opened:
        return {
            table: opened.connection.value(f"SELECT count(*) FROM {table}")
            for table in (*tables, "campaign_pairs")
        }


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


def numbered(winners: list[object]) -> list[Row]:
    return [
        {
            "item": f"i{n}",
            "model_a": "vicuna",
            "model_b": "alp<b>a*ca",
            "winner": winner,
            "judge": "ann",
        }
        for n, winner in enumerate(winners)
    ]


@pytest.mark.parametrize("late", [False, True])
def test_what_numbers_mean_is_chosen_before_anything_is_written(
    page: Page, server: Server, tmp_path: Path, *, late: bool
) -> None:
    """Rows as they would be read, for each reading; the first that is wrong may stand far down."""
    before = held(server.store)
    rows = numbered(["model_a"] * PREVIEWED * late + [0, 1, 1])
    upload(page, server, write(tmp_path / f"numbers{late}.csv", rows))
    if late:
        expect(page.get_by_text("ann preferred vicuna to alp<b>a*ca").first).to_be_visible()
        page.get_by_role("button", name="Import", exact=True).click()
    expect(page.get_by_text("what 0, 1 in column 'winner' mean is not certain")).to_be_visible()
    expect(page.get_by_text("If 0 = model_a, 1 = model_b:")).to_be_visible()
    if not late:
        said = page.get_by_text("row 1: ann preferred")
        expect(said.nth(0)).to_contain_text("ann preferred vicuna to alp<b>a*ca (item i0)")
        expect(said.nth(1)).to_contain_text("ann preferred alp<b>a*ca to vicuna (item i0)")
    expect(page.get_by_role("button", name="Import", exact=True)).to_have_count(0)
    assert held(server.store) == before
    choose(page, "What do the values mean?", "1 = model_a, 0 = model_b")
    expect(page.get_by_text("So these rows say:")).to_be_visible()
    take_in(page, f"{len(rows):,} judgements")
    with Store(server.store) as store:
        outcomes = store.judgement_frames.all(f"numbers{late}")["outcome"].tolist()
    assert outcomes[-3:] == ["b", "a", "a"]


def test_whether_winners_are_systems_or_sides_is_chosen_on_the_page(
    page: Page, server: Server, tmp_path: Path
) -> None:
    """`B` may be the first system of a row, or its second side: nobody but the reader knows."""
    before = held(server.store)
    rows = [{"item": str(n), "system_a": "B", "system_b": "A", "winner": "B"} for n in range(3)]
    upload(page, server, write(tmp_path / "either.csv", rows))
    expect(page.get_by_text("whether 'B' in column 'winner' mean systems or sides")).to_be_visible()
    expect(page.get_by_role("button", name="Import", exact=True)).to_have_count(0)
    assert held(server.store) == before
    choose(page, "What do the values mean?", "they name sides")
    take_in(page, "3 judgements")
    with Store(server.store) as store:
        assert store.judgement_frames.all("either")["outcome"].tolist() == ["b"] * 3


def test_winners_and_losers_are_imported_as_they_are(
    page: Page, server: Server, tmp_path: Path
) -> None:
    rows = [{"judge": "ann", "winner": one, "loser": two} for one, two in ("AB", "BC", "BA", "AC")]
    upload(page, server, write(tmp_path / "losers.csv", rows))
    take_in(page, "4 judgements")
    with Store(server.store) as store:
        frame = store.judgement_frames.all("losers")
    assert frame["system_a"].tolist() == ["A", "B", "B", "A"]
    assert frame["system_b"].tolist() == ["B", "C", "A", "C"]
    assert (set(frame["outcome"]), set(frame["order_known"])) == ({"a"}, {0})
    expect(page.get_by_text("nobody ever prefers")).to_have_count(0)


def test_rows_skipped_by_who_won_are_said_first_on_the_page(
    page: Page, server: Server, tmp_path: Path
) -> None:
    rows: list[Row] = [
        {"item": str(n), "system_a": "B", "system_b": "C", "winner": "ab"[n % 2],
         "prob_a": "often" if n % 2 else "0.9"}
        for n in range(20)
    ]  # fmt: skip
    upload(page, server, write(tmp_path / "skewed.csv", rows))
    take_in(page, "10 judgements")
    expect(page.get_by_role("alert").first).to_contain_text("differ from the others in who wins")


def test_a_side_that_never_wins_is_said_after_the_import(
    page: Page, server: Server, tmp_path: Path
) -> None:
    upload(page, server, write(tmp_path / "lopsided.csv", numbered(["model_a"] * 20)))
    take_in(page, "20 judgements")
    expect(page.get_by_text("nobody ever prefers model_b in 20 votes")).to_be_visible()


def test_whose_texts_they_are_can_be_said(page: Page, server: Server, tmp_path: Path) -> None:
    rows: list[Row] = [
        {"id": n, "text1": f"One {n}.", "text2": f"Two {n}.", "choice": side}
        for n, side in enumerate(("left", "right", "right"))
    ]
    upload(page, server, write(tmp_path / "unnamed.csv", rows))
    expect(page.get_by_role("alert")).to_contain_text("has no columns that name the two systems")
    systems = page.get_by_role("textbox", name="Systems, where the file does not name them")
    systems.fill("ours, theirs")
    systems.press("Enter")
    expect(page.get_by_text("voters preferred ours to theirs").first).to_be_visible()
    take_in(page, "2 systems")


GOOD = [{"item": f"i{i}", "system": s, "text": f"text {s}{i}"} for i in range(3) for s in "ab"]
LINES = "".join(json.dumps(row) + "\n" for row in GOOD)
TABLE = "item,system,text\n" + "".join(",".join(map(str, row.values())) + "\n" for row in GOOD)
EMPTY_PARQUET = b"PAR1" + b"\0" * 200


def _half_a_parquet() -> bytes:
    whole = pd.DataFrame(GOOD * 50).to_parquet()
    assert whole is not None
    return whole[: len(whole) // 2]


# What the file holds -> how many of its rows can be used, or None when it cannot be read; and what
# is said.
BROKEN: dict[str, tuple[bytes, int | None, str]] = {
    "truncated.json": (json.dumps(GOOD)[:-30].encode(), None, "truncated.json"),
    "truncated.jsonl": (LINES[:-30].encode(), 5, "1 of 6 rows were skipped"),
    "semicolon.csv": (TABLE.replace(",", "^").encode(), None, "semicolon.csv"),
    "columns.csv": (b"one,two\n1,2\n", None, "columns.csv"),
    "header.csv": (b"item,item,system,text\n1,1,a,b\n", None, "header.csv"),
    "duplicate.jsonl": (
        (LINES + '{"item": "i9", "item": "i8", "system": "a", "text": "t"}\n').encode(),
        6,
        "1 of 7 rows",
    ),
    "repeated.csv": ((TABLE + "i0,a,another text\n").encode(), 6, "1 of 7 rows were skipped"),
    "long.csv": ((TABLE + f"i9,a,{'x' * 10_000_000}\n").encode(), 7, "7 generations"),
    "nul.csv": ((TABLE + "i9,a,te\0xt\n").encode(), 6, "1 of 7 rows were skipped"),
    "bom.csv": (b"\xef\xbb\xbf" + TABLE.encode(), 6, "6 generations"),
    "nested.json": (b"[" * 100_000, None, "nested.json"),
    "nested.jsonl": (
        LINES.encode() + b'{"item": ' + b"[" * 100_000 + b"\n",
        6,
        "1 of 7 rows were skipped",
    ),
    "half.parquet": (_half_a_parquet(), None, "half.parquet"),
    "zeros.parquet": (EMPTY_PARQUET, None, "zeros.parquet"),
    "packed.csv.gz": (b"\x1f\x8b not really", None, "packed.csv.gz"),
    "empty.csv": (b"", None, "empty.csv"),
    "unknown.docx": (b"PK", None, "unknown.docx"),
}


def test_an_encoding_is_chosen_by_the_words_it_makes(
    page: Page, server: Server, tmp_path: Path
) -> None:
    path = tmp_path / "latin.csv"
    path.write_bytes((TABLE + "i9,a,café\n").encode("latin-1"))
    before = held(server.store)
    upload(page, server, path)
    expect(page.get_by_text("café").first).to_be_visible()
    assert held(server.store) == before


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_file_is_one_sentence_or_its_good_rows(
    page: Page, server: Server, tmp_path: Path, name: str
) -> None:
    content, usable, said = BROKEN[name]
    path = tmp_path / name
    path.write_bytes(content)
    before = held(server.store)
    upload(page, server, path)
    if usable is None:
        sentence = page.get_by_role("alert")
        ready = page.get_by_role("button", name="Import", exact=True)
        expect(sentence.or_(ready)).to_be_visible()
        if ready.is_visible():  # what is wrong is past the rows of the preview
            ready.click()
        expect(sentence).to_contain_text(said)
        assert held(server.store) == before
        expect(
            page.get_by_role("button", name="Judgements")
        ).to_be_visible()  # the page goes on below
    else:
        take_in(page, said)
        with Store(server.store) as store:
            dataset = (
                name.partition(".")[0] if name.endswith("csv") else name.removesuffix(".jsonl")
            )
            assert len(store.datasets.generations(dataset, texts=False)) == usable
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


def test_what_comes_first_in_dates_is_chosen_before_anything_is_written(
    page: Page, server: Server, tmp_path: Path
) -> None:
    before = held(server.store)
    rows = numbered(["model_a", "model_b"])
    dates = ["03/04/2024 10:00", "01/05/2024 10:00"]
    rows = [{**row, "date": date} for row, date in zip(rows, dates, strict=True)]
    upload(page, server, write(tmp_path / "dated.csv", rows))
    expect(page.get_by_text("what comes first in its dates is not certain")).to_be_visible()
    expect(page.get_by_role("button", name="Import", exact=True)).to_have_count(0)
    assert held(server.store) == before
    choose(page, "What comes first in dates?", "the month")
    take_in(page, "2 judgements")
    with Store(server.store) as store:
        frame = store.judgement_frames.exported("dated")
    assert frame["created_at"].str[:16].tolist() == ["2024-03-04T10:00", "2024-01-05T10:00"]


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
