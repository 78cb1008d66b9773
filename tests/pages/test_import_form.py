"""The import form without a browser: what a file is, and what is chosen before writing."""

from __future__ import annotations

import html
import json
import re

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from core.importing import Codes, parse_reading, render_reading
from core.importing.importer import PREVIEWED
from core.importing.layouts import LAYOUTS
from core.importing.reading import Reading
from core.store import Store
from tests.importing.test_known_rows import TABLE as RATED
from tests.pages.drawn import choose, draw, find, labels, press, run, words, write
from tests.pages.sentences import find_sentence
from tests.pages.shown_links import list_destinations
from tests.study import DATASET

Row = dict[str, object]
FIRST, SECOND = "vicuna", "alp<b>a*ca"
WORDS = ("links", "rechts", "links", "gleich", "weder noch", "keine Angabe")
MEANT = ("first", "second", "first", "tie", "both_bad", "no_answer")
OUTCOMES = ["a", "b", "a", "tie", "both_bad", None]

GOOD = [{"item": f"i{i}", "system": s, "text": f"text {s}{i}"} for i in range(3) for s in "ab"]
LINES = "".join(json.dumps(row) + "\n" for row in GOOD)
TABLE = "item,system,text\n" + "".join(",".join(map(str, row.values())) + "\n" for row in GOOD)
HALF_PARQUET = (whole := pd.DataFrame(GOOD * 50).to_parquet())[: len(whole) // 2]

# What cannot be read, and is called by its name.
UNREADABLE: dict[str, bytes] = {
    "truncated.json": json.dumps(GOOD)[:-30].encode(),
    "columns.csv": b"one,two\n1,2\n",
    "half.parquet": HALF_PARQUET,
    "empty.csv": b"",
    "unknown.docx": b"PK",
}
# What the file holds -> how many of its rows can be used, and what is said.
BROKEN: dict[str, tuple[str, int, str]] = {
    "truncated.jsonl": (LINES[:-30], 5, "1 of 6 rows were skipped"),
    "long.csv": (TABLE + f"i9,a,{'x' * 10_000_000}\n", 7, "7 generations"),
}  # fmt: skip


@pytest.fixture
def app(study: Store) -> AppTest:
    """The Data page, of the data set "tiny": the sample would be loaded into an empty store."""
    return draw("data")


def upload(app: AppTest, name: str, content: bytes | str, place: int = 0) -> None:
    content = content if isinstance(content, bytes) else content.encode()
    app.file_uploader[place].upload(name, content, "text/csv")
    run(app)


def votes(winners: tuple[str, ...], judge: str = "ann") -> str:
    rows = [f"i{n},x,y,{winner},{judge}" for n, winner in enumerate(winners)]
    return "\n".join(["item,model_a,model_b,winner,judge", *rows]) + "\n"


def numbered(winners: list[object]) -> list[Row]:
    sides = {"model_a": FIRST, "model_b": SECOND}
    return [
        {"item": f"i{n}", **sides, "winner": winner, "judge": "ann"}
        for n, winner in enumerate(winners)
    ]


def table(rows: list[Row]) -> bytes:
    return pd.DataFrame(rows).to_csv(index=False).encode()


def explain(app: AppTest, meanings: dict[str, str]) -> None:
    """Say what each value means, in the order in which they are asked about."""
    for value, meaning in meanings.items():
        asked = [each for each in app.selectbox if each.key and each.key.endswith(f"]-{value}")]
        asked[0].set_value(meaning)
        run(app)


def name_layout(app: AppTest) -> str:
    """As what a file is read, in the words of the page."""
    [title] = re.findall(r"Read as: ([^.]+)\.", html.unescape(words(app)))
    return title


def has_import(app: AppTest) -> bool:
    return "Import" in labels(app.button)


def shown(app: AppTest) -> str:
    """All that a page says, as it is read: a paragraph a line."""
    said = re.sub("</(p|li|div)>", "\n", words(app))
    tables = [each.value.to_string() for each in app.dataframe]
    return "\n".join([html.unescape(re.sub("<[^>]+>", "", said)), *tables])


def problems(app: AppTest) -> list[str]:
    return [said for said in words(app).split("\n") if 'role="alert"' in said]


def outcomes(store: Store, dataset: str) -> list[str | None]:
    frame = store.judgement_frames.load_all(dataset).sort_values("item")
    return [outcome if isinstance(outcome, str) else None for outcome in frame["outcome"]]


def held(store: Store) -> dict[str, int]:
    """How many rows of everything there are."""
    tables = (
        "datasets", "items", "systems", "generations", "attributes", "judges", "scores",
        "comparisons", "judgements", "campaign_pairs",
    )  # fmt: skip
    return {table: store.connection.value(f"SELECT count(*) FROM {table}") for table in tables}


def test_of_a_broken_file_the_good_rows_are_taken_or_one_sentence_is_said(
    study: Store, subtests: pytest.Subtests
) -> None:
    before = held(study)
    for name, content in UNREADABLE.items():
        with subtests.test(name):
            app = draw("data", dataset=DATASET)
            upload(app, name, content)
            if has_import(app):  # what is wrong is past the rows of the preview
                press(app, "Import")
            [sentence] = problems(app)
            assert name in sentence
            assert held(study) == before
            below = [each.proto.label for each in app.get("download_button")]
            assert "Judgements" in below, "the page goes on"
    for name, (text, usable, said) in BROKEN.items():
        with subtests.test(name):
            app = draw("data", dataset=DATASET)
            upload(app, name, text)
            press(app, "Import")
            assert said in words(app)
            dataset = name.partition(".")[0]
            assert len(study.texts.generations(dataset, texts=False)) == usable


def test_an_encoding_is_chosen_by_the_words_it_makes(study: Store, app: AppTest) -> None:
    before = held(study)
    upload(app, "latin.csv", (TABLE + "i9,a,café\n").encode("latin-1"))
    assert "café" in shown(app)
    assert held(study) == before


@pytest.mark.parametrize("late", [False, True])
def test_what_numbers_mean_is_chosen_before_anything_is_written(
    study: Store, app: AppTest, late: bool
) -> None:
    """Rows as they would be read, for each reading; the first that is wrong may stand far down."""
    before = held(study)
    rows = numbered(["model_a"] * PREVIEWED * late + [0, 1, 1])
    upload(app, "numbers.csv", table(rows))
    if late:
        assert f"ann preferred {FIRST} to {SECOND}" in shown(app)
        press(app, "Import")
    assert re.search(r"\b0, 1 in column 'winner'.*not certain", shown(app))
    assert "If 0 = model_a, 1 = model_b:" in shown(app)
    if not late:
        one, other = [line for line in shown(app).splitlines() if "row 1: ann preferred" in line]
        assert f"ann preferred {FIRST} to {SECOND} (item i0)" in one
        assert f"ann preferred {SECOND} to {FIRST} (item i0)" in other
    assert (has_import(app), held(study)) == (False, before)
    choose(app, "What do the values mean?", "1 = model_a, 0 = model_b")
    assert "So these" in shown(app)
    press(app, "Import")
    assert f"{len(rows):,} judgements" in words(app)
    assert study.judgement_frames.load_all("numbers")["outcome"].tolist()[-3:] == ["b", "a", "a"]


def test_sides_and_dates_are_chosen_before_anything_is_written(study: Store, app: AppTest) -> None:
    """`B` may be the first system of a row, or its second side: nobody but the reader knows."""
    before = held(study)
    rows: list[Row] = [
        {"item": str(n), "system_a": "B", "system_b": "A", "winner": "B"} for n in range(3)
    ]
    upload(app, "either.csv", table(rows))
    assert re.search(r"whether 'B' in column 'winner'.*\bsystems\b.*\bsides\b", shown(app))
    assert (has_import(app), held(study)) == (False, before)
    press(choose(app, "What do the values mean?", "they name sides"), "Import")
    assert outcomes(study, "either") == ["b"] * 3
    before, dates = held(study), ("03/04/2024 10:00", "01/05/2024 10:00")
    two = numbered(["model_a", "model_b"])
    upload(
        app,
        "dated.csv",
        table([{**row, "date": date} for row, date in zip(two, dates, strict=True)]),
    )
    assert re.search(r"dated\.csv.*\bfirst\b.*\bdates\b.*not certain", shown(app))
    assert (has_import(app), held(study)) == (False, before)
    press(choose(app, "What comes first in dates?", "the month"), "Import")
    frame = study.judgement_frames.load_exported("dated")
    assert frame["created_at"].str[:16].tolist() == ["2024-03-04T10:00", "2024-01-05T10:00"]


def test_winners_and_losers_are_imported_as_they_are(study: Store, app: AppTest) -> None:
    rows: list[Row] = [
        {"judge": "ann", "winner": one, "loser": two} for one, two in ("AB", "BC", "BA", "AC")
    ]
    upload(app, "losers.csv", table(rows))
    press(app, "Import")
    assert "4 judgements" in words(app)
    frame = study.judgement_frames.load_all("losers")
    assert ["".join(pair) for pair in frame[["system_a", "system_b"]].to_numpy()] == [
        "AB", "BC", "BA", "AC",
    ]  # fmt: skip
    assert (set(frame["outcome"]), set(frame["order_known"])) == ({"a"}, {0})
    assert "prefers" not in shown(app)


def test_a_winner_that_is_always_one_side_or_skipped_is_said(study: Store, app: AppTest) -> None:
    upload(app, "lopsided.csv", table(numbered(["model_a"] * 20)))
    press(app, "Import")
    assert "20 judgements" in words(app)
    assert "prefers model_b in 20 votes" in shown(app)
    rows: list[Row] = [
        {"item": str(n), "system_a": "B", "system_b": "C", "winner": "ab"[n % 2],
         "prob_a": "often" if n % 2 else "0.9"}
        for n in range(20)
    ]  # fmt: skip
    upload(app, "skewed.csv", table(rows))
    press(app, "Import")
    assert "10 judgements" in words(app)
    assert re.search(r"\bdiffer\b.* won 10 of 10 .* 0 of 10 ", problems(app)[0])


def test_whose_texts_they_are_can_be_said(study: Store, app: AppTest) -> None:
    """Of two unnamed systems, and of one, in a table that does not say which it is."""
    rows: list[Row] = [
        {"id": n, "text1": f"One {n}.", "text2": f"Two {n}.", "choice": side}
        for n, side in enumerate(("left", "right", "right"))
    ]
    upload(app, "unnamed.csv", table(rows))
    assert re.search(r"unnamed\.csv.* no columns.*two systems", problems(app)[0])
    write(app, "text_input", "Systems, where the file does not name them", "ours, theirs")
    assert find_sentence(shown(app), "preferred ours to theirs")
    press(app, "Import")
    assert "2 systems" in words(app)
    upload(app, "rag.csv", "question,answer\nQ1,A1\nQ2,A2\n")
    assert "system name" in words(app)
    write(app, "text_input", "System, where all texts are of one", "ours")
    press(app, "Import")
    assert study.datasets.systems("rag") == ["ours"]


def import_raters(app: AppTest, store: Store, name: str) -> dict[str, str]:
    """Of each rater who is then there, the kind."""
    press(app, "Import")
    scores = store.scores.load_all(name)
    return dict(zip(scores["rater"], scores["kind"], strict=True))


def test_metrics_beside_people_have_their_kinds_chosen(study: Store, app: AppTest) -> None:
    """A file of one rater has none to choose."""
    upload(app, "t.csv", RATED)
    names = [text.value for text in app.text if f":{text.value}:" in RATED]
    boxes = [box for box in app.selectbox if box.label == "Kind of rater"]
    kinds = dict(zip(names, (box.value for box in boxes), strict=True))
    assert kinds == {"ada": "human", "rouge1": "baseline", "judgelm": "human"}
    boxes[2].set_value("llm").run()
    assert import_raters(app, study, "t") == kinds | {"judgelm": "llm"}
    upload(app, "one.csv", "item,system,text,score:ada:fluency\ni1,s1,One.,4\ni1,s2,Two.,5\n")
    assert name_layout(app) == "generations"
    assert not [label for label in labels(app.selectbox) if "rater" in label]


def test_words_are_explained_one_by_one_and_for_their_file_alone(
    study: Store, app: AppTest
) -> None:
    """A known one is corrected: `a` was the second system, as its owner knows."""
    upload(app, "wahl.csv", votes(WORDS))
    assert re.search(r"unknown words.*\blinks\b", words(app))
    assert not has_import(app)
    explain(app, dict(zip(WORDS, MEANT, strict=True)))
    assert "left out" in words(app)
    press(app, "Import")
    assert outcomes(study, "wahl") == OUTCOMES
    upload(app, "one.csv", votes(("a", "b", "tie")))
    explain(app, {"a": "second", "b": "first"})
    press(app, "Import")
    upload(app, "two.csv", votes(("a", "b", "tie"), judge="ben"))
    press(app, "Import")
    assert outcomes(study, "two") == ["a", "b", "tie"]
    assert outcomes(study, "one") == ["b", "a", "tie"]
    assert app.query_params["dataset"] == "two"


def test_a_saved_reading_answers_what_would_be_asked(study: Store, app: AppTest) -> None:
    """A broken one is said and not used; what the page saves is read back as the same reading."""
    upload(app, "n.csv", votes(("1", "0", "1")))
    assert not has_import(app)
    upload(app, "r.toml", "[winner]\nfrist = ['1']\n", 1)
    assert "winner.frist" in words(app)
    saved = render_reading(Reading(codes=Codes(("1",), ("0",)), mapping={"item": "item"}))
    upload(app, "n.toml", saved, 1)
    press(app, "Import")
    assert outcomes(study, "n") == ["a", "b", "a"]
    reading = Reading(codes=Codes(("a b",), ("c",), both_bad=("neither",)))
    assert parse_reading(render_reading(reading).encode(), "r.toml") == reading


def test_what_is_left_out_is_said_before_and_a_new_data_set_is_taken_away_again(
    study: Store, app: AppTest
) -> None:
    upload(app, "v.csv", votes(("a", "b", "tie")) + "i9,x,x,a,ann\n")
    assert "1 of 4 rows" in words(app)
    assert "row 4: compares" in words(app)
    assert study.datasets.names() == [DATASET]
    press(app, "Import")
    assert set(study.datasets.names()) == {DATASET, "v"}
    find(app.text_input, "Type its name to delete it").set_value("v")
    press(app, "Back up and delete")
    assert study.datasets.names() == [DATASET]
    assert "Added to v" not in words(app)


def test_columns_can_be_named_that_were_not_found_or_are_others(study: Store, app: AppTest) -> None:
    content = votes(("a", "b", "tie")).replace("winner", "says").replace("judge", "wer")
    upload(app, "v.csv", content)
    assert "no winner" in words(app)
    find(app.selectbox, "Winner").set_value("says").run()
    find(app.selectbox, "Who judged").set_value("wer").run()
    press(app, "Import")
    assert set(study.judgement_frames.load_all("v")["judge"]) == {"ann"}
    assert outcomes(study, "v") == ["a", "b", "tie"]
    rows = [f"i{i},context {i},{s},old {s}{i},new {s}{i},r" for i in range(4) for s in "abc"]
    upload(app, "texts.csv", "\n".join(["item,context,system,text,new,ref", *rows]))
    assert name_layout(app) == LAYOUTS["generations"].title
    find(app.selectbox, "Text").set_value("new").run()
    find(app.selectbox, "Reference").set_value("(not there)").run()
    write(app, "text_input", "Name of the data set", "corrected")
    press(app, "Import")
    assert "corrected: 4 items, 3 systems, 12 generations" in words(app)
    assert "annotate" in list_destinations(app)
    assert find(app.selectbox, "Data set").value == "corrected"
    texts = study.texts.generations("corrected")["text"]
    assert set(texts) == {f"new {s}{i}" for i in range(4) for s in "abc"}
    items = study.datasets.items("corrected")
    assert items["context"].tolist() == [f"context {i}" for i in range(4)]
    assert [json.loads(references) for references in items["references"]] == [[]] * 4


def test_columns_named_for_one_file_are_not_those_of_the_next(study: Store, app: AppTest) -> None:
    """Of the same name, and the first one again."""
    rows = [f"q{i},x,y,judy,{winner},eve" for i, winner in enumerate(("left", "right", "tie", "x"))]
    first = "\n".join(["q,left,right,who,winner,judge_was", *rows])
    rows = [f"q{i},x,y,b,joe" for i in range(4)]
    second = "\n".join(["item,model_a,model_b,winner,judge", *rows])

    def begin(app: AppTest) -> None:
        upload(app, "votes.csv", first)
        assert name_layout(app) == LAYOUTS["votes"].title
        find(app.selectbox, "Item").set_value("q").run()
        find(app.selectbox, "Who judged").set_value("judge_was").run()

    begin(app)
    upload(app, "votes.csv", second)
    assert [each.value for each in app.selectbox if each.label == "System A"] == ["model_a"]
    assert [each.value for each in app.selectbox if each.label == "Who judged"] == ["judge"]
    write(app, "text_input", "Name of the data set", "other votes")
    press(app, "Import")
    assert "other votes: 4 items, 2 systems" in words(app)
    assert "leaderboard" in list_destinations(app)
    assert "annotate" not in list_destinations(app), "without texts"
    app = draw("data")
    begin(app)
    write(app, "text_input", "Name of the data set", "votes")
    press(app, "Import")
    assert "4 judgements" in words(app)
    assert outcomes(study, "votes") == ["a", "b", "tie", "a"]
    assert set(study.judgement_frames.load_all("votes")["judge"]) == {"eve"}
    assert outcomes(study, "other votes") == ["b"] * 4


def test_why_nothing_was_imported_stays_until_something_else_is_asked(app: AppTest) -> None:
    """A page is drawn anew by itself, as when a run ends meanwhile."""
    upload(app, "repeated.csv", "item,system,text\n" + "i,x,a\n" * 50)
    for _ in range(2):
        assert "49 of 50 rows" in words(app)
        assert "repeated.csv" in words(app)
        assert 'role="alert"' in words(app)
        assert not has_import(app)
        app.run()
    upload(app, "mended.csv", "item,system,text\n1,x,a\n1,y,b\n")
    assert "all 2 rows" in words(app)
    assert 'role="alert"' not in words(app)


def test_a_column_that_may_hold_answers_is_the_winner_or_left_out(
    study: Store, app: AppTest
) -> None:
    """Pairs whose column `w` was lost without a word: 3 of 4 votes are for the second text."""
    rows = [f"q{i}?,m1,m2,one {i},two {i},{'left' if i == 0 else 'right'}\n" for i in range(4)]
    table = "prompt,model_a,model_b,response_a,response_b,w\n" + "".join(rows)
    before = held(study)
    upload(app, "asked.csv", table)
    assert "'w'" in shown(app)
    assert not has_import(app)
    press(app, "Leave it out")
    assert has_import(app)
    assert "pairs" in name_layout(app)
    assert held(study) == before
    upload(app, "voted.csv", table)
    press(app, "Use it as: Winner")
    assert "votes" in name_layout(app)
    press(app, "Import")
    assert sorted(outcomes(study, "voted"), key=str) == ["a", "b", "b", "b"]
