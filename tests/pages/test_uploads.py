"""Files that are uploaded on the Data page, without a browser: of a broken one what can be used, or one
sentence; what is not certain is chosen before anything is written.
"""

from __future__ import annotations

import html
import json
import re

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from core.importing.preview import PREVIEWED
from core.store import Store
from tests.pages.sentences import find_sentence
from tests.pages.test_empty import Visit, words
from tests.pages.test_empty import visit as visit  # a fixture
from tests.pages.test_import_form import box, has_import, outcomes, take_in, upload

Row = dict[str, object]
FIRST, SECOND = "vicuna", "alp<b>a*ca"

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


def held(store: Store) -> dict[str, int]:
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
    return {
        table: store.connection.value(f"SELECT count(*) FROM {table}")
        for table in (*tables, "campaign_pairs")
    }


def numbered(winners: list[object]) -> list[Row]:
    return [
        {
            "item": f"i{n}",
            "model_a": FIRST,
            "model_b": SECOND,
            "winner": winner,
            "judge": "ann",
        }
        for n, winner in enumerate(winners)
    ]


def shown(app: AppTest) -> str:
    """All that a page says, as it is read: a paragraph a line."""
    said = re.sub("</(p|li|div)>", "\n", words(app))
    tables = [each.value.to_string() for each in app.dataframe]
    return "\n".join([html.unescape(re.sub("<[^>]+>", "", said)), *tables])


def problems(app: AppTest) -> list[str]:
    return [said for said in words(app).split("\n") if 'role="alert"' in said]


def table(rows: list[Row]) -> bytes:
    return pd.DataFrame(rows).to_csv(index=False).encode()


@pytest.fixture
def app(visit: Visit) -> AppTest:
    """The Data page of a store with the data set "tiny"."""
    return visit("pages/data.py")


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_file_is_one_sentence_or_its_good_rows(
    study: Store, app: AppTest, name: str
) -> None:
    content, usable, said = BROKEN[name]
    before = held(study)
    upload(app, name, content)
    if usable is None:
        if has_import(app):  # what is wrong is past the rows of the preview
            take_in(app)
        [sentence] = problems(app)
        assert said in sentence
        assert held(study) == before
        assert "Judgements" in [
            each.proto.label for each in app.get("download_button")
        ]  # the page goes on below
    else:
        take_in(app)
        assert said in words(app)
        dataset = name.partition(".")[0]
        assert len(study.datasets.generations(dataset, texts=False)) == usable


def test_an_encoding_is_chosen_by_the_words_it_makes(study: Store, app: AppTest) -> None:
    before = held(study)
    upload(app, "latin.csv", (TABLE + "i9,a,café\n").encode("latin-1"))
    assert "café" in shown(app)
    assert held(study) == before


@pytest.mark.parametrize("late", [False, True])
def test_what_numbers_mean_is_chosen_before_anything_is_written(
    study: Store, app: AppTest, *, late: bool
) -> None:
    """Rows as they would be read, for each reading; the first that is wrong may stand far down."""
    before = held(study)
    rows = numbered(["model_a"] * PREVIEWED * late + [0, 1, 1])
    upload(app, "numbers.csv", table(rows))
    if late:
        assert f"ann preferred {FIRST} to {SECOND}" in shown(app)
        take_in(app)
    assert re.search(r"\b0, 1 in column 'winner'.*not certain", shown(app))
    assert "If 0 = model_a, 1 = model_b:" in shown(app)
    if not late:
        one, other = [line for line in shown(app).splitlines() if "row 1: ann preferred" in line]
        assert f"ann preferred {FIRST} to {SECOND} (item i0)" in one
        assert f"ann preferred {SECOND} to {FIRST} (item i0)" in other
    assert not has_import(app)
    assert held(study) == before
    box(app, "What do the values mean?").set_value("1 = model_a, 0 = model_b").run()
    assert "So these" in shown(app)
    take_in(app)
    assert f"{len(rows):,} judgements" in words(app)
    assert study.judgement_frames.load_all("numbers")["outcome"].tolist()[-3:] == ["b", "a", "a"]


def test_whether_winners_are_systems_or_sides_is_chosen_on_the_page(
    study: Store, app: AppTest
) -> None:
    """`B` may be the first system of a row, or its second side: nobody but the reader knows."""
    before = held(study)
    rows: list[Row] = [
        {"item": str(n), "system_a": "B", "system_b": "A", "winner": "B"} for n in range(3)
    ]
    upload(app, "either.csv", table(rows))
    assert re.search(r"whether 'B' in column 'winner'.*\bsystems\b.*\bsides\b", shown(app))
    assert not has_import(app)
    assert held(study) == before
    box(app, "What do the values mean?").set_value("they name sides").run()
    take_in(app)
    assert outcomes(study, "either") == ["b"] * 3


def test_winners_and_losers_are_imported_as_they_are(study: Store, app: AppTest) -> None:
    rows: list[Row] = [
        {"judge": "ann", "winner": one, "loser": two} for one, two in ("AB", "BC", "BA", "AC")
    ]
    upload(app, "losers.csv", table(rows))
    take_in(app)
    assert "4 judgements" in words(app)
    frame = study.judgement_frames.load_all("losers")
    assert frame["system_a"].tolist() == ["A", "B", "B", "A"]
    assert frame["system_b"].tolist() == ["B", "C", "A", "C"]
    assert (set(frame["outcome"]), set(frame["order_known"])) == ({"a"}, {0})
    assert "prefers" not in shown(app)


def test_rows_skipped_by_who_won_are_said_first_on_the_page(study: Store, app: AppTest) -> None:
    rows: list[Row] = [
        {"item": str(n), "system_a": "B", "system_b": "C", "winner": "ab"[n % 2],
         "prob_a": "often" if n % 2 else "0.9"}
        for n in range(20)
    ]  # fmt: skip
    upload(app, "skewed.csv", table(rows))
    take_in(app)
    assert "10 judgements" in words(app)
    assert re.search(r"\bdiffer\b.* won 10 of 10 .* 0 of 10 ", problems(app)[0])


def test_a_side_that_never_wins_is_said_after_the_import(study: Store, app: AppTest) -> None:
    upload(app, "lopsided.csv", table(numbered(["model_a"] * 20)))
    take_in(app)
    assert "20 judgements" in words(app)
    assert "prefers model_b in 20 votes" in shown(app)


def test_whose_texts_they_are_can_be_said(study: Store, app: AppTest) -> None:
    rows: list[Row] = [
        {"id": n, "text1": f"One {n}.", "text2": f"Two {n}.", "choice": side}
        for n, side in enumerate(("left", "right", "right"))
    ]
    upload(app, "unnamed.csv", table(rows))
    assert re.search(r"unnamed\.csv.* no columns.*two systems", problems(app)[0])
    [systems] = [
        each
        for each in app.text_input
        if each.label == "Systems, where the file does not name them"
    ]
    systems.set_value("ours, theirs").run()
    assert find_sentence(shown(app), "preferred ours to theirs")
    take_in(app)
    assert "2 systems" in words(app)


def test_what_comes_first_in_dates_is_chosen_before_anything_is_written(
    study: Store, app: AppTest
) -> None:
    before = held(study)
    dates = ("03/04/2024 10:00", "01/05/2024 10:00")
    rows = [
        {**row, "date": date}
        for row, date in zip(numbered(["model_a", "model_b"]), dates, strict=True)
    ]
    upload(app, "dated.csv", table(rows))
    assert re.search(r"dated\.csv.*\bfirst\b.*\bdates\b.*not certain", shown(app))
    assert not has_import(app)
    assert held(study) == before
    box(app, "What comes first in dates?").set_value("the month").run()
    take_in(app)
    frame = study.judgement_frames.load_exported("dated")
    assert frame["created_at"].str[:16].tolist() == ["2024-03-04T10:00", "2024-01-05T10:00"]
