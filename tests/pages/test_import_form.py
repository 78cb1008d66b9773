"""The import form without a browser: what a file is, and what is chosen before writing."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Sequence

import pytest
from streamlit.testing.v1 import AppTest

from core.importing import Codes, render_reading
from core.importing.importer import PREVIEWED
from core.importing.layouts import LAYOUTS
from core.importing.reading import Reading
from core.store import Store
from tests.importing.test_known_rows import TABLE as RATED
from tests.pages.drawn import choose, draw, find, labels, press, run, words, write
from tests.pages.sentences import find_sentence
from tests.pages.shown_links import list_destinations
from tests.study import DATASET

FIRST, SECOND = "vicuna", "alp<b>a*ca"
WORDS = ("links", "rechts", "links", "gleich", "weder noch", "keine Angabe")
MEANT = ("first", "second", "first", "tie", "both_bad", "no_answer")
OUTCOMES = ["a", "b", "a", "tie", "both_bad", None]

GOOD = [{"item": f"i{i}", "system": s, "text": f"text {s}{i}"} for i in range(3) for s in "ab"]
TEXTS = "item,system,text\n" + "".join(",".join(row.values()) + "\n" for row in GOOD)


@pytest.fixture
def app(study: Store) -> AppTest:
    """The Data page, of the data set "tiny": the sample would be loaded into an empty store."""
    return draw("data")


def upload(app: AppTest, name: str, content: bytes | str, place: int = 0) -> None:
    content = content if isinstance(content, bytes) else content.encode()
    app.file_uploader[place].upload(name, content, "text/csv")
    run(app)


def upload_and_import(app: AppTest, name: str, content: str) -> None:
    upload(app, name, content)
    press(app, "Import")


def votes(winners: Sequence[object], judge: str = "ann", sides: Sequence[str] = "xy") -> str:
    rows = [f"i{n},{','.join(sides)},{winner},{judge}" for n, winner in enumerate(winners)]
    return "\n".join(["item,model_a,model_b,winner,judge", *rows]) + "\n"


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


@pytest.mark.parametrize(
    ("name", "content"),
    [("truncated.json", json.dumps(GOOD)[:-30]), ("columns.csv", "one,two\n1,2\n")],
)
def test_a_file_that_cannot_be_read_is_one_sentence(
    study: Store, app: AppTest, name: str, content: str
) -> None:
    before = held(study)
    upload(app, name, content)
    if has_import(app):  # what is wrong is past the rows of the preview
        press(app, "Import")
    [sentence] = problems(app)
    assert name in sentence
    assert held(study) == before
    below = [each.proto.label for each in app.get("download_button")]
    assert "Judgements" in below, "the page goes on"


def test_an_encoding_is_chosen_by_the_words_it_makes(study: Store, app: AppTest) -> None:
    before = held(study)
    upload(app, "latin.csv", (TEXTS + "i9,a,café\n").encode("latin-1"))
    assert "café" in shown(app)
    assert held(study) == before


@pytest.mark.parametrize("late", [False, True])
def test_what_numbers_mean_is_chosen_before_anything_is_written(
    study: Store, app: AppTest, late: bool
) -> None:
    """Rows as they would be read, for each reading; the first that is wrong may stand far down."""
    before = held(study)
    winners = ["model_a"] * PREVIEWED * late + [0, 1, 1]
    upload(app, "numbers.csv", votes(winners, sides=(FIRST, SECOND)))
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
    assert f"{len(winners):,} judgements" in words(app)
    assert study.judgement_frames.load_all("numbers")["outcome"].tolist()[-3:] == ["b", "a", "a"]


def test_sides_and_dates_are_chosen_before_anything_is_written(study: Store, app: AppTest) -> None:
    """`B` may be the first system of a row, or its second side: nobody but the reader knows."""
    before = held(study)
    rows = "".join(f"{n},B,A,B\n" for n in range(3))
    upload(app, "either.csv", f"item,system_a,system_b,winner\n{rows}")
    assert re.search(r"whether 'B' in column 'winner'.*\bsystems\b.*\bsides\b", shown(app))
    assert (has_import(app), held(study)) == (False, before)
    press(choose(app, "What do the values mean?", "they name sides"), "Import")
    assert outcomes(study, "either") == ["b"] * 3
    before, dates = held(study), ("date", "03/04/2024 10:00", "01/05/2024 10:00")
    lines = votes(("model_a", "model_b")).splitlines()
    upload(app, "dated.csv", "\n".join(map(",".join, zip(lines, dates, strict=True))))
    assert re.search(r"dated\.csv.*\bfirst\b.*\bdates\b.*not certain", shown(app))
    assert (has_import(app), held(study)) == (False, before)
    press(choose(app, "What comes first in dates?", "the month"), "Import")
    frame = study.judgement_frames.load_exported("dated")
    assert frame["created_at"].str[:16].tolist() == ["2024-03-04T10:00", "2024-01-05T10:00"]


def test_a_winner_that_is_always_one_side_or_skipped_is_said(app: AppTest) -> None:
    upload_and_import(app, "lopsided.csv", votes(["model_a"] * 20, sides=(FIRST, SECOND)))
    assert "20 judgements" in words(app)
    assert "prefers model_b in 20 votes" in shown(app)
    rows = "".join(f"{n},old,new,{('old,0.9', 'new,often')[n % 2]}\n" for n in range(20))
    upload_and_import(app, "skewed.csv", f"item,system_a,system_b,winner,prob_a\n{rows}")
    assert "10 judgements" in words(app)
    assert re.search(r"\bdiffer\b.* won 10 of 10 .* 0 of 10 ", problems(app)[0])


def test_whose_texts_they_are_can_be_said(study: Store, app: AppTest) -> None:
    """Of two unnamed systems, and of one, in a table that does not say which it is."""
    sides = enumerate(("left", "right", "right"))
    rows = "".join(f"{n},One {n}.,Two {n}.,{side}\n" for n, side in sides)
    upload(app, "unnamed.csv", f"id,text1,text2,choice\n{rows}")
    assert re.search(r"unnamed\.csv.* no columns.*two systems", problems(app)[0])
    write(app, "text_input", "Systems, where the file does not name them", "ours, theirs")
    assert find_sentence(shown(app), "preferred ours to theirs")
    press(app, "Import")
    assert "2 systems" in words(app)
    upload(app, "rag.csv", b"question,answer\nQ1,A1\nQ2,A2\n")
    assert re.search(r"rag\.csv needs a system.* choose", problems(app)[0])
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
    upload_and_import(app, "two.csv", votes(("a", "b", "tie"), judge="ben"))
    assert outcomes(study, "two") == ["a", "b", "tie"]
    assert outcomes(study, "one") == ["b", "a", "tie"]
    assert app.query_params["dataset"] == "two"


def test_a_saved_reading_answers_what_would_be_asked(study: Store, app: AppTest) -> None:
    """A broken one is said and not used."""
    upload(app, "n.csv", votes(("1", "0", "1")))
    assert not has_import(app)
    upload(app, "r.toml", "[winner]\nfrist = ['1']\n", 1)
    assert "winner.frist" in words(app)
    saved = render_reading(Reading(codes=Codes(("1",), ("0",)), mapping={"item": "item"}))
    upload(app, "n.toml", saved, 1)
    press(app, "Import")
    assert outcomes(study, "n") == ["a", "b", "a"]


def test_what_is_left_out_is_said_before_and_a_new_data_set_is_taken_away_again(
    study: Store, app: AppTest
) -> None:
    upload(app, "v.csv", votes(("a", "b", "tie")) + "i9,x,x,a,ann\n")
    assert "1 of 4 rows" in words(app)
    assert "row 4: compares" in words(app)
    assert study.datasets.names() == [DATASET]
    press(app, "Import")
    assert set(study.datasets.names()) == {DATASET, "v"}
    assert "1 of 4 rows" in words(app)
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
    texts = study.texts.generations("corrected")["text"]
    assert set(texts) == {f"new {s}{i}" for i in range(4) for s in "abc"}
    assert set(study.datasets.items("corrected")["references"]) == {"[]"}


def test_columns_named_for_one_file_are_not_those_of_the_next(study: Store, app: AppTest) -> None:
    """Of the same name."""
    rows = [f"q{i},x,y,judy,{winner},eve" for i, winner in enumerate(("left", "right", "tie", "x"))]
    first = "\n".join(["q,left,right,who,winner,judge_was", *rows])
    upload(app, "votes.csv", first)
    assert name_layout(app) == LAYOUTS["votes"].title
    find(app.selectbox, "Item").set_value("q").run()
    find(app.selectbox, "Who judged").set_value("judge_was").run()
    upload(app, "votes.csv", votes("bbbb", judge="joe"))
    assert [each.value for each in app.selectbox if each.label == "System A"] == ["model_a"]
    assert [each.value for each in app.selectbox if each.label == "Who judged"] == ["judge"]
    write(app, "text_input", "Name of the data set", "other votes")
    press(app, "Import")
    assert "other votes: 4 items, 2 systems" in words(app)
    assert "leaderboard" in list_destinations(app)
    assert "annotate" not in list_destinations(app), "without texts"
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


def test_a_second_column_of_answers_is_asked_about_before_it_is_written(
    study: Store, app: AppTest
) -> None:
    """The command line asked; the page took the columns that it had recognised for a person's."""
    rows = [f"q{i}?,m1,m2,one {i},two {i},model_a,model_{'ab'[i % 2]}\n" for i in range(4)]
    head = "prompt,model_a,model_b,response_a,response_b,winner,second_winner\n"
    upload(app, "second.csv", head + "".join(rows))
    assert "'second_winner'" in shown(app)
    assert not has_import(app)
    press(app, next(label for label in labels(app.button) if label.startswith("Use it as: ")))
    press(app, "Import")
    assert len(outcomes(study, "second")) == 8
